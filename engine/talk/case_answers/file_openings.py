"""How the newest files of a case begin; a short text is told whole (Markdown)."""

from dataclasses import dataclass

from cards.clipping import clip
from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolError
from engine.services import Services
from engine.talk.mine.cases import KnownCase
from engine.tools.files.file_parse import FILE_PARSE
from engine.tools.model import ToolContext

MOST = 2
"""So many files are shown by how they begin, where no file has a word of the question."""

OPENING_CHARS = 300
SHORT_CHARS = 600
"""A text of so many characters is told whole."""


@dataclass(frozen=True, slots=True)
class FileOpening:
    """A file of a case, and how its text begins; `is_whole` when that is all of it.

    A passage of a longer one stands `at` that character of it, from 1 on.
    """

    name: str
    begins: str
    is_whole: bool
    at: int = 0

    def text(self, lang: Lang) -> str:
        """The same as Markdown."""
        key = "case.file" if self.is_whole else "case.begins"
        begins = self.begins if self.is_whole else clip(self.begins, OPENING_CHARS)
        return say(key, lang, name=literal(self.name), text=literal(begins))


async def read_openings(
    case: KnownCase, context: ToolContext, services: Services
) -> tuple[FileOpening, ...]:
    """How the newest texts of the case begin, the newest first."""
    if FILE_PARSE.name not in {tool.name for tool in services.tools}:
        return ()
    found = []
    for name in case.document.files[::-1][:MOST]:
        try:
            result = await services.call(FILE_PARSE, {"name": name}, context)
        except ToolError:
            continue  # it is named all the same
        if text := " ".join(str(result.get("text", "")).split()):
            is_whole = len(text) <= SHORT_CHARS and not (result.get("next") or result.get("cut"))
            found.append(FileOpening(name, text, is_whole))
    return tuple(found)

"""Finding the file that a question is about, and its text."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolFailed
from engine.ports.library import Extract, FileInfo, Files
from engine.tools.model import ToolContext

PLAIN = (".txt", ".md", ".csv", ".json")
READABLE = (*PLAIN, ".pdf", ".docx", ".xlsx", ".png", ".jpg", ".jpeg", ".gif", ".webp")
WHOLE_BYTES = 5 * 1024 * 1024
"""A larger plain text is read in a process of its own, as files of other kinds are."""

TIMEOUT_S = 60.0
"""How long a tool that reads a file may take, waiting for its place included."""

FileName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=255),
    Field(json_schema_extra={"reads": "file"}),
]
"""A file's name as `file__list` gives it; never a path."""


def project_files(ctx: ToolContext) -> Files:
    """The files of the deployment. Raises ToolFailed when it has none."""
    if ctx.library.files is None:
        raise ToolFailed("files.none")
    return ctx.library.files


def unknown_file(name: str, infos: Sequence[FileInfo]) -> dict[str, Any]:
    """A result that there is no such file, with names that are close."""
    names = [info.name for info in infos]
    return {"found": False, "name": name, "nearest": get_close_matches(name, names, 3, 0.4)}


async def find_content(name: str, ctx: ToolContext) -> str | Extract | dict[str, Any]:
    """A plain file's text, the extract of another file, or a result that there is no such file.

    Raises ToolFailed for what cannot be read.
    """
    infos = await project_files(ctx).infos(ctx.file_scope)
    info = next((info for info in infos if info.name == name), None)
    if info is None:
        return unknown_file(name, infos)
    ending = PurePosixPath(name).suffix.lower()
    if ending not in READABLE:
        kinds = ", ".join(ending[1:] for ending in READABLE)
        raise ToolFailed("files.unreadable", name=name, kinds=kinds)
    if ending not in PLAIN or info.size_bytes > WHOLE_BYTES:
        return await _extract(name, ctx) or unknown_file(name, infos)
    content = await project_files(ctx).read(ctx.file_scope, name)
    if content is None:
        return unknown_file(name, infos)
    text = _decode(content)
    if text is None:
        raise ToolFailed("files.no_text", name=name)
    return text


async def _extract(name: str, ctx: ToolContext) -> Extract | None:
    extract = await project_files(ctx).extract(ctx.file_scope, name)
    if extract is not None and extract.problem:
        raise ToolFailed(f"files.{extract.problem}", name=name)
    return extract


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's text as far as it can be read; `cut` when the file goes on.

    `starts` is where each page or sheet begins, empty for a file without any.
    """

    text: str
    cut: bool = False
    starts: tuple[int, ...] = ()

    def place(self, at: int) -> dict[str, int]:
        """A position as results name it: with the page or sheet, if there are any."""
        return {"at": at, **({"part": bisect_right(self.starts, at)} if self.starts else {})}


def text_of(content: str | Extract) -> FileText:
    """The text of a file's content."""
    if isinstance(content, str):
        return FileText(content)
    return FileText(content.text, content.cut, content.starts)


async def find_text(name: str, ctx: ToolContext) -> FileText | dict[str, Any]:
    """The file's text, or a result that there is no such file. Raises ToolFailed."""
    content = await find_content(name, ctx)
    if isinstance(content, dict):
        return content
    if isinstance(content, Extract) and content.width:
        raise ToolFailed("files.picture", name=name)
    return text_of(content)


def _decode(content: bytes) -> str | None:
    """Text in UTF-8, else in the encoding of Chinese spreadsheets; None when it is no text."""
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return None if "\x00" in text else text
    return None


def tell_unknown_file(result: dict[str, Any], lang: Lang) -> str:
    """A sentence that there is no such file, with names that are close."""
    name = literal(result["name"])
    if not result["nearest"]:
        return say("tool.file.unknown", lang, name=name)
    names = say("list.items", lang).join(map(literal, result["nearest"]))
    return say("tool.file.unknown_near", lang, name=name, names=names)


def tell_size(size_bytes: int) -> str:
    """A size with a unit that suits it."""
    if size_bytes < 1024:
        return f"{size_bytes} B"
    kib = size_bytes / 1024
    return f"{kib:.1f} KiB" if kib < 1024 else f"{kib / 1024:.1f} MiB"

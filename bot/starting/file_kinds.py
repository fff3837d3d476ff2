"""Every kind of file of a project folder, and the models that read it."""

from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import PurePosixPath
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, TypeAdapter

from bot.definitions.mcp_servers import ServersFile
from bot.people.file import people_model
from bot.project import ProjectFile
from bot.wiring.connections import KINDS
from bot.wiring.platforms import PLATFORMS
from engine.playbooks.answer import AnswerDefinition
from engine.playbooks.legacy import Legacy
from engine.playbooks.model import PlaybookFile
from engine.playbooks.skill import Skill
from engine.playbooks.tool import ToolDefinition, ToolName
from engine.understanding.learned.talk import Talk


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: its name, where such files are in a project folder, and their models.

    With `named` a file is a mapping from names of that form to one of the models each, else one of
    them itself. Which of several, their `kind` says.
    """

    name: str
    places: tuple[str, ...]
    models: tuple[type[BaseModel], ...]
    named: Any = None

    def adapter(self) -> TypeAdapter[Any]:
        """What reads the content of such a file."""
        one: Any = reduce(or_, self.models)
        each: Any = Annotated[one, Field(discriminator="kind")] if self.models[1:] else one
        mapping: Any = dict
        return TypeAdapter(each if self.named is None else mapping[self.named, each])


def _people() -> type[BaseModel]:
    rules = {name: room.settings.accounts for name, room in PLATFORMS.items()}
    return people_model(rules)


FILE_KINDS: Final = (
    FileKind("signoff", ("signoff.yaml",), (ProjectFile,)),
    FileKind("people", ("people.yaml",), (_people(),)),
    FileKind(
        "connections",
        ("connections.yaml", "playbooks/connections.yaml"),
        tuple(kind.settings for kind in KINDS.values()),
        named=str,
    ),
    FileKind("mcp", ("mcp.yaml",), (ServersFile,)),
    FileKind("playbook", ("playbooks/*/playbook.yaml", "*/playbook.yaml"), (PlaybookFile,)),
    FileKind("skill", ("playbooks/*/skills/*.yaml", "*/skills/*.yaml", "skills/*.yaml"), (Skill,)),
    FileKind(
        "tools", ("playbooks/*/tools.yaml", "*/tools.yaml"), (ToolDefinition,), named=ToolName
    ),
    FileKind(
        "answers", ("playbooks/*/answers.yaml", "*/answers.yaml"), (AnswerDefinition,), named=str
    ),
    FileKind("talk", ("playbooks/talk.yaml", "talk.yaml"), (Talk,)),
    FileKind("legacy", ("playbooks/legacy.yaml", "legacy.yaml"), (Legacy,)),
)
"""In the order in which somebody meets them."""


def kind_of(place: PurePosixPath) -> FileKind | None:
    """The kind of the file at that place in a project folder; None for any other file."""
    fitting = (kind for kind in FILE_KINDS for each in kind.places if _fits(place, each))
    return next(fitting, None)


def _fits(place: PurePosixPath, pattern: str) -> bool:
    return len(place.parts) == pattern.count("/") + 1 and place.match(pattern)

"""Every kind of file of a project folder, and the models that read it."""

from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import PurePosixPath
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field

from bot.definitions.mcp_servers import ServersFile
from bot.people.file import people_model
from bot.project import ProjectFile
from bot.testing.files.model import ScenarioFile, ScenarioHead
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
    """A kind of file: its name, its places in a project folder, and what one holds, as a type."""

    name: str
    places: tuple[str, ...]
    content: Any


def _people() -> type[BaseModel]:
    rules = {name: room.settings.accounts for name, room in PLATFORMS.items()}
    return people_model(rules)


def _connection() -> Any:
    """Which of the kinds of connections it is, its `kind` says."""
    one: Any = reduce(or_, (kind.settings for kind in KINDS.values()))
    return Annotated[one, Field(discriminator="kind")]


_TESTS: Final = ("tests/*.yaml", "*/tests/*.yaml", "playbooks/*/tests/*.yaml")
FILE_KINDS: Final = (
    FileKind("signoff", ("signoff.yaml",), ProjectFile),
    FileKind("people", ("people.yaml",), _people()),
    FileKind(
        "connections",
        ("connections.yaml", "playbooks/connections.yaml"),
        dict[str, _connection()],  # type: ignore[misc]
    ),
    FileKind("mcp", ("mcp.yaml",), ServersFile),
    FileKind("playbook", ("playbooks/*/playbook.yaml", "*/playbook.yaml"), PlaybookFile),
    FileKind("skill", ("playbooks/*/skills/*.yaml", "*/skills/*.yaml", "skills/*.yaml"), Skill),
    FileKind("tools", ("playbooks/*/tools.yaml", "*/tools.yaml"), dict[ToolName, ToolDefinition]),
    FileKind(
        "answers", ("playbooks/*/answers.yaml", "*/answers.yaml"), dict[str, AnswerDefinition]
    ),
    FileKind("tests", _TESTS, list[ScenarioHead] | ScenarioFile),
    FileKind("talk", ("playbooks/talk.yaml", "talk.yaml"), Talk),
    FileKind("legacy", ("playbooks/legacy.yaml", "legacy.yaml"), Legacy),
)
"""In the order in which somebody meets them."""


def kind_of(place: PurePosixPath) -> FileKind | None:
    """The kind of the file at that place in a project folder; None for any other file."""
    fitting = (kind for kind in FILE_KINDS for each in kind.places if _fits(place, each))
    return next(fitting, None)


def _fits(place: PurePosixPath, pattern: str) -> bool:
    return len(place.parts) == pattern.count("/") + 1 and place.match(pattern)

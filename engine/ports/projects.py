"""Projects that were added while the service runs, and the conversations that are theirs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from cards.frozen import Frozen
from engine.text.language import LocalizedText

PROJECT_FORM = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
"""The form of a project's id, as a regular expression: its files are in a folder of that name."""


class Project(Frozen):
    """A piece of work with files, memory, findings and runs of its own: a study, a matter.

    `playbooks` are the ids of those that it may run, () for all. `of` are entities that it belongs
    to, by kind, as in {client: ACME}. `by` (principal id) added it at `at`, under the idempotency
    key `key`. One that was `removed` is nobody's choice any more, and its id stays taken.
    `tenant` is the project of the workspace in which it was added, where workspaces know nothing of
    each other: no other one may choose it.
    """

    id: str
    name: LocalizedText
    playbooks: tuple[str, ...] = ()
    of: dict[str, str] = {}
    by: str = ""
    at: datetime | None = None
    key: str = ""
    removed: bool = False
    tenant: str = ""

    @property
    def handle(self) -> str:
        """The same for ids that differ in capitals alone: some file systems take them for one."""
        return self.id.casefold()


class Binding(Frozen):
    """A conversation, with all that its id begins, belongs to a project; who bound it, and when."""

    conversation: str
    project: str
    by: str = ""
    at: datetime | None = None


class ProjectChange(Frozen):
    """What was done to a project or conversation: by whom (principal id), from where, and when."""

    what: Literal["added", "bound", "unbound", "removed"]
    project: str
    conversation: str = ""
    by: str = ""
    via: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class KeptProjects:
    """All that is kept, as of a version; `bindings` by conversation, `projects` by id."""

    version: int = 0
    projects: Mapping[str, Project] = field(default_factory=dict)
    bindings: Mapping[str, Binding] = field(default_factory=dict)


class Projects(Protocol):
    """Kept for good. Each change is noted with who made it. Raises StoreUnavailable."""

    async def load(self, known: int | None = None) -> KeptProjects | None:
        """What is kept; None when it is still that of the `known` version."""
        ...

    async def add(
        self, project: Project, change: ProjectChange
    ) -> Literal["new", "repeat", "taken"]:
        """Add a project, bound to the change's conversation if it names one.

        The same project under the same key is a repeat; another of that id is `taken`.
        """
        ...

    async def bind(
        self, binding: Binding, change: ProjectChange, *, is_kept: bool
    ) -> Literal["bound", "same", "gone"]:
        """Bind the conversation, in place of what it was bound to.

        A project that `is_kept` here has to be there still.
        """
        ...

    async def unbind(self, conversation: str, change: ProjectChange) -> bool:
        """Take the conversation's binding away; False when it had none."""
        ...

    async def remove(
        self, project: str, change: ProjectChange
    ) -> Literal["removed", "gone", "bound"]:
        """Remove the project, unless a conversation is bound to it; what is its own stays."""
        ...

    async def changes(self, most: int) -> tuple[ProjectChange, ...]:
        """The newest changes, the newest first."""
        ...


class NoProjects:
    """Keeps none, and takes none."""

    async def load(self, known: int | None = None) -> KeptProjects | None:
        """Nothing."""
        return None if known == 0 else KeptProjects()

    async def add(
        self, project: Project, change: ProjectChange
    ) -> Literal["new", "repeat", "taken"]:
        """Its id is not to be had."""
        return "taken"

    async def bind(
        self, binding: Binding, change: ProjectChange, *, is_kept: bool
    ) -> Literal["bound", "same", "gone"]:
        """There is no such project."""
        return "gone"

    async def unbind(self, conversation: str, change: ProjectChange) -> bool:
        """It was not bound."""
        return False

    async def remove(
        self, project: str, change: ProjectChange
    ) -> Literal["removed", "gone", "bound"]:
        """There is no such project."""
        return "gone"

    async def changes(self, most: int) -> tuple[ProjectChange, ...]:
        """None."""
        return ()


KEEPS_NONE = NoProjects()

"""Which project a conversation belongs to (design §6)."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

import structlog

from bot.definitions.folder_projects import folder_projects
from bot.definitions.loader import try_load_playbooks
from bot.people.workspaces import workspace_of
from bot.project import find_project_file
from bot.settings import Settings
from bot.waits import pause
from engine.errors import StoreError
from engine.playbooks.model import Playbook
from engine.ports.projects import KeptProjects, Project, Projects
from engine.projects import NO_PROJECTS, ProjectBook, no_tenant
from engine.text.language import LocalizedText
from engine.toolbox.toolbox import Toolbox
from engine.yaml.source import Problems

log = structlog.get_logger()
REFRESH_S: Final = 2.0
MAIN: Final = "main"
"""The project of a folder that names none."""

_UNFILED: Final = "so it keeps no files, remembers nothing and searches no documents"


class LiveProjects:
    """The projects as this process knows them: the folder's, those of settings, those added since.

    `playbooks()` are those that are served now.
    """

    def __init__(
        self,
        kept: Projects,
        settings: Settings,
        folder: Sequence[Project],
        playbooks: Callable[[], Mapping[str, Playbook]],
    ) -> None:
        self._store = kept
        self._settings = settings
        self._folder = folder
        self._playbooks = playbooks
        self._kept = KeptProjects(version=-1)
        self._book = NO_PROJECTS
        self._made_of: tuple[KeptProjects, object] | None = None

    @property
    def book(self) -> ProjectBook:
        """The projects as they were last read."""
        playbooks = self._playbooks()
        if self._made_of is None or self._made_of != (self._kept, id(playbooks)):
            self._made_of = self._kept, id(playbooks)
            self._book = make_book(self._settings, self._folder, playbooks.values(), self._kept)
        return self._book

    def of(self, conversation: str) -> str:
        """The project of the conversation, "" for none."""
        return self.book.of(conversation)

    async def refresh(self) -> None:
        """Read what was changed since, by whichever process. Raises StoreError."""
        self._kept = await self._store.load(self._kept.version) or self._kept

    async def run(self, stop: asyncio.Event) -> None:
        """Read it every few seconds until `stop`."""
        while not stop.is_set():
            try:
                await self.refresh()
            except StoreError as error:
                log.warning("projects_store_away", error=str(error))
            await pause(stop, REFRESH_S)


def make_book(
    settings: Settings,
    folder: Iterable[Project],
    playbooks: Iterable[Playbook],
    kept: KeptProjects,
) -> ProjectBook:
    """All projects that there are; what the folder says of one stands above all else."""
    own = [playbook.definition.project for playbook in playbooks]
    folder = tuple(folder)
    default = settings.project or shared_project(own, [each.id for each in folder])
    named = (default, *own, *(project for _, project in settings.projects))
    implied = {each: Project(id=each, name=LocalizedText(each)) for each in named if each}
    bindings = {each.conversation: each.project for each in kept.bindings.values()}
    return ProjectBook(
        projects=implied | dict(kept.projects) | {each.id: each for each in folder},
        bound={**dict(settings.projects), **bindings},
        default=default,
        tenant=_tenant_project if settings.isolates_workspaces else no_tenant,
    )


def _tenant_project(conversation: str) -> str:
    team = workspace_of(conversation)
    return f"slack-{team}" if team else ""


def shared_project(own: Iterable[str], listed: Collection[str]) -> str:
    """The project that all have: which the playbooks name as their `own`, else that is `listed`.

    "" where there are several, and MAIN where nobody names one.
    """
    projects = {*own} - {""} or {*listed} or {MAIN}
    return projects.pop() if len(projects) == 1 else ""


def unnamed_project(settings: Settings, playbooks: Iterable[Playbook]) -> str:
    """That conversations have no project, where several could be meant; "" where all is well."""
    own = [playbook.definition.project for playbook in playbooks]
    listed = [each.id for each in folder_projects(settings)]
    if settings.project or shared_project(own, listed):
        return ""
    file = find_project_file(settings.playbooks)
    place = f"{file}:1: project" if file else "SIGNOFF_PROJECT"
    named = sorted({*own} - {""})
    why = (
        f"the playbooks are of several ({', '.join(named)})"
        if named
        else (f"the folder has several ({', '.join(sorted(listed))})")
    )
    return (
        f"{place}: names none, and {why}: a conversation that SIGNOFF_PROJECTS does not name, and"
        f" that nobody bound, has no project, {_UNFILED}; name one"
    )


def find_playbooks(settings: Settings) -> list[Playbook]:
    """The playbooks of the folder that can be read, whoever the people and connections are."""
    found = try_load_playbooks(
        settings.playbooks,
        None,
        Problems(),
        prefix="",
        toolbox=Toolbox(are_known=False),
        languages=settings.languages,
        skills=settings.skills,
    )
    return list(found.values())

"""Projects that were added while the service runs, and what is bound to them."""

from typing import Literal, TypeVar

import structlog
from pydantic import ValidationError

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors
from adapters.redis.replicas.acks import ReplicaAcks
from adapters.redis.scripts import LUA, Argument, LuaScript
from cards.frozen import Frozen
from engine.ports.projects import Binding, KeptProjects, Project, ProjectChange
from engine.text.language import LocalizedText

CHANGES = 10_000
"""So many changes are kept."""

UNREADABLE = "?"
"""No playbook and no project has this id."""

FrozenT = TypeVar("FrozenT", bound=Frozen)
log = structlog.get_logger()


class RedisProjects:
    """The projects port."""

    def __init__(self, client: Client, acks: ReplicaAcks | None = None) -> None:
        self._client = client
        self._script = LuaScript(client, LUA.joinpath("projects.lua").read_text(), acks)
        own = keys.PROJECTS
        self._keys = [own, f"{own}:bound", f"{own}:changes", f"{own}:version"]

    async def load(self, known: int | None = None) -> KeptProjects | None:
        """What is kept; None when it is still that of the `known` version."""
        projects, bound, _, version = self._keys
        with translate_errors():
            # The version first: what is read after it may be newer, and is read again then.
            now = int(await self._client.get(version) or 0)
            if now == known:
                return None
            added = await self._client.hgetall(projects)
            bindings = await self._client.hgetall(bound)
        read = (_project(str(handle), str(body)) for handle, body in added.items())
        belongs = (_binding(str(name), str(body)) for name, body in bindings.items())
        return KeptProjects(
            version=now,
            projects={each.id: each for each in read},
            bindings={each.conversation: each for each in belongs},
        )

    async def add(
        self, project: Project, change: ProjectChange
    ) -> Literal["new", "repeat", "taken"]:
        """Add a project, bound to the change's conversation if it names one."""
        bound, where = "", change.conversation
        if where:
            binding = Binding(conversation=where, project=project.id, by=change.by, at=change.at)
            bound = binding.stored()
        about = (project.handle, project.stored(), project.key, where, bound)
        answer = await self._change("add", change, *about)
        return "new" if answer == "new" else "repeat" if answer == "repeat" else "taken"

    async def bind(
        self, binding: Binding, change: ProjectChange, *, is_kept: bool
    ) -> Literal["bound", "same", "gone"]:
        """Bind the conversation, in place of what it was bound to."""
        handle = binding.project.casefold() if is_kept else ""
        about = (binding.conversation, binding.stored(), binding.project, handle)
        answer = await self._change("bind", change, *about)
        return "bound" if answer == "bound" else "same" if answer == "same" else "gone"

    async def unbind(self, conversation: str, change: ProjectChange) -> bool:
        """Take the conversation's binding away; False when it had none."""
        return await self._change("unbind", change, conversation) == "unbound"

    async def remove(
        self, project: str, change: ProjectChange
    ) -> Literal["removed", "gone", "bound"]:
        """Remove the project, unless a conversation is bound to it."""
        kept = await self.load()
        found = kept.projects.get(project) if kept else None
        if found is None:
            return "gone"
        body = found.model_copy(update={"removed": True}).stored()
        answer = await self._change("remove", change, found.handle, found.id, body)
        return "removed" if answer == "removed" else "bound" if answer == "bound" else "gone"

    async def changes(self, most: int) -> tuple[ProjectChange, ...]:
        """The newest changes, the newest first."""
        with translate_errors():
            found = await self._client.lrange(self._keys[2], 0, most - 1)
        read = (_read(ProjectChange, str(body)) for body in found)
        return tuple(each for each in read if each)

    async def _change(self, what: str, change: ProjectChange, *about: Argument) -> str:
        args = [what, change.stored(), CHANGES, *about]
        with translate_errors():
            return str(await self._script(keys=self._keys, args=args))


def _project(handle: str, body: str) -> Project:
    """The project; one that this version of us cannot read has no playbook."""
    found = _read(Project, body)
    return found or Project(id=handle, name=LocalizedText(handle), playbooks=(UNREADABLE,))


def _binding(conversation: str, body: str) -> Binding:
    """The binding; one that this version of us cannot read is to a project of nobody."""
    found = _read(Binding, body)
    return found or Binding(conversation=conversation, project=UNREADABLE)


def _read(model: type[FrozenT], body: str) -> FrozenT | None:
    """What stands there; None for what another version of us wrote."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        log.error("unreadable_project", faults=error.error_count())
        return None

"""Names of a project that tools list, kept ready for the router, which fetches nothing itself."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import zip_longest
from typing import Any, Final

import structlog

from bot.waits import pause
from cards.model import Principal
from engine.errors import ToolError
from engine.playbooks.entity import EntityDefinition
from engine.playbooks.model import Playbook
from engine.services import Services
from engine.text.entity_kinds import (
    MAX_ID_CHARS,
    MAX_NAMES,
    Entities,
    EntityKind,
    ListKind,
    PatternKind,
    entities_of,
    list_of,
)

log = structlog.get_logger()

REFRESH_S: Final = 300.0
"""So often every list is read again."""

_LOOK_S: Final = 2.0
_MAX_KEPT = 64
_AT_ONCE = 8
_READER = "signoff"

Rows = list[tuple[str, list[str]]]
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _KeptList:
    """The last good rows of a list: for whom, and under which version.

    It is that of a playbook, which names its `own` project or "". `project` is the one that it was
    read for, "" where it is the same for all.
    """

    playbook: str
    own: str
    project: str
    roles: tuple[str, ...]
    kind: ListKind
    version: str


class EntityLists:
    """The lists of all playbooks that are served, as they were last read.

    `playbooks()` are those of now; `services` are what their tools are called with.
    """

    def __init__(self, services: Services, playbooks: Callable[[], Mapping[str, Playbook]]) -> None:
        self._services = services
        self._playbooks = playbooks
        self._kept: dict[_Key, _KeptList] = {}
        self._made: dict[object, Entities] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Read the lists until `stop`: now, every five minutes, and for what was changed."""
        read: tuple[object, ...] = ()
        left_s = 0.0
        while not stop.is_set():
            now = self._playbooks(), self._services.projects()
            if left_s <= 0 or any(a is not b for a, b in zip_longest(now, read)):
                await self.refresh()
                read, left_s = now, REFRESH_S
            await pause(stop, _LOOK_S)
            left_s -= _LOOK_S

    async def refresh(self) -> None:
        """Read every list anew; one that cannot be read stays as it was."""
        wanted = [
            (playbook, name, entity, project)
            for playbook in self._playbooks().values()
            for name, entity in playbook.definition.entities.items()
            if entity.tool
            for project in self._projects_of(playbook, entity)
        ]
        places = asyncio.Semaphore(_AT_ONCE)
        found = await asyncio.gather(*(self._read(*each, places) for each in wanted))
        keys = [(playbook.id, name, project) for playbook, name, _, project in wanted]
        kept = {key: each for key, each in zip(keys, found, strict=True) if each is not None}
        if kept != self._kept:
            self._kept = kept
            self._made.clear()

    def entities(
        self, patterns: tuple[PatternKind, ...], project: str, person: Principal
    ) -> Entities:
        """All that a text of the person may name there: patterns, and lists that they may read."""
        serves = self._services.projects().serves
        lists = tuple(
            kept
            for kept in self._kept.values()
            if project and kept.project in ("", project) and person.holds_one_of(kept.roles)
            if serves(project, kept.playbook, kept.own)
        )
        if not lists:
            return entities_of(patterns)
        versions = tuple(kept.version for kept in lists)
        key = (patterns, project, versions)
        if key not in self._made:
            if len(self._made) >= _MAX_KEPT:
                self._made.clear()
            kinds: tuple[EntityKind, ...] = (*patterns, *(kept.kind for kept in lists))
            self._made[key] = Entities(kinds, _digest(versions))
        return self._made[key]

    def _projects_of(self, playbook: Playbook, entity: EntityDefinition) -> Sequence[str]:
        """Those for which it is read: the playbook's own, else each that its tool tells apart."""
        own, tool = playbook.definition.project, playbook.tools.get(entity.tool)
        if own or tool is None or not tool.names_project:
            return (own,)
        return tuple(self._services.projects().runs_in(playbook.id, own))

    async def _read(
        self,
        playbook: Playbook,
        name: str,
        entity: EntityDefinition,
        project: str,
        places: asyncio.Semaphore,
    ) -> _KeptList | None:
        """The list as it is now, or as it was last when it cannot be read."""
        before = self._kept.get((playbook.id, name, project))
        try:
            tool = self._services.toolbox.find(entity.tool, playbook)
            reader = Principal(id=_READER, name=_READER, roles=tool.roles)
            context = replace(self._services.tool_context("", reader), project=project)
            async with places:
                rows = rows_of_list(entity, await self._services.call(tool, {}, context))
        except (ToolError, ValueError) as error:
            log.warning("entities_not_read", playbook=playbook.id, kind=name, error=str(error))
            return before
        version = _digest(rows)
        if before is not None and before.version == version and before.roles == tool.roles:
            return before
        kind = await asyncio.to_thread(_make_kind, name, rows, entity)
        own = playbook.definition.project
        return _KeptList(playbook.id, own, project, tool.roles, kind, version)


def rows_of_list(entity: EntityDefinition, result: Mapping[str, Any]) -> Rows:
    """Ids with their other names; raises ValueError for what is no list, or too long a one."""
    listed = result.get("rows")
    if not isinstance(listed, list):
        raise ValueError(f"{entity.tool} gives no rows")
    if len(listed) > MAX_NAMES:
        raise ValueError(f"{entity.tool} gives {len(listed)} rows; at most {MAX_NAMES} are kept")
    rows: Rows = []
    for row in listed:
        id_, *names = (_cell(row, column) for column in (entity.id, *entity.names))
        if id_:
            rows.append((id_, [name for name in names if name]))
    return rows


def _cell(row: Any, column: str) -> str:
    value = row.get(column) if isinstance(row, dict) else None
    text = str(value).strip() if isinstance(value, str | int) else ""
    return text if len(text) <= MAX_ID_CHARS else ""


def _make_kind(name: str, rows: Rows, entity: EntityDefinition) -> ListKind:
    kind = list_of(name, rows, entity.name)
    # What the first search would build takes a while for a long list, and nobody should wait.
    kind.index()
    return kind


def _digest(value: object) -> str:
    return sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:12]

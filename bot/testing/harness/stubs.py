"""Tools of a folder as a test has them: what each gives stands in its file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import JsonValue

from bot.testing.files.model import SYNC, StubCase
from engine.errors import ToolFailed, ToolRefused, ToolUnsure
from engine.playbooks.checks.tools import call_request
from engine.playbooks.model import Playbook
from engine.playbooks.tool import ToolDefinition
from engine.ports.systems.connections import PreparedCall
from engine.ports.systems.sync import Change
from engine.text.entity_kinds import entities_of
from engine.toolbox.connected import connect_tool
from engine.toolbox.toolbox import Toolbox
from engine.tools.model import Tool

_SLOW_S = "20"
_CONTEXT = frozenset({"requester", "approver", "project", "today"})
"""What every call is given beside its arguments."""


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call of a tool: with which arguments, under which key, and what came of it."""

    tool: str
    arguments: Mapping[str, JsonValue]
    writes: bool
    key: str = ""
    result: str = "ok"


@dataclass(slots=True)
class StubbedSystems:
    """What the tools of the test that is played give, and the calls that were made of them."""

    cases: Mapping[str, tuple[StubCase, ...] | None] = field(default_factory=dict)
    real: bool = False
    calls: list[MadeCall] = field(default_factory=list)
    missing: dict[str, None] = field(default_factory=dict)
    """Tools that were called and of which the test says nothing."""
    used: dict[tuple[str, int], int] = field(default_factory=dict)

    def reset(self, cases: Mapping[str, tuple[StubCase, ...] | None], *, real: bool) -> None:
        """Begin another test."""
        self.cases, self.real = cases, real
        self.calls, self.missing, self.used = [], {}, {}

    def is_real(self, tool: str, *, writes: bool) -> bool:
        """Whether the tool asks its own system."""
        return not writes and (self.cases[tool] is None if tool in self.cases else self.real)

    def case(
        self, tool: str, arguments: Mapping[str, JsonValue], *, counts: bool = True
    ) -> StubCase | None:
        """The first case of the tool that fits and is not used up, by this use if it `counts`."""
        for number, each in enumerate(self.cases.get(tool) or ()):
            used = self.used.get((tool, number), 0)
            fits = all(same_value(arguments.get(name), v) for name, v in each.with_.items())
            if fits and (each.times is None or used < each.times):
                self.used[tool, number] = used + counts
                return each
        return None


def same_value(one: Any, other: Any) -> bool:
    """Whether two values are the same to people: 1 and 1.0, `E-7` and `e-7`, parts of a mapping.

    What the second one, a mapping, does not say is not looked at.
    """
    match one, other:
        case dict(), dict():
            return all(name in one and same_value(one[name], each) for name, each in other.items())
        case list() | tuple(), list() | tuple():
            return len(one) == len(other) and all(map(same_value, one, other))
        case bool(), _:
            return one is other
        case _, bool():
            return False
        case ((int() | float()), (int() | float())):
            return one == other
        case ((int() | float()), str()):
            return str(one) == other.strip()
        case str(), (int() | float()):
            return one.strip() == str(other)
        case str(), str():
            return one.strip().casefold() == other.strip().casefold()
    return bool(one == other)


class StubbedRecord:
    """A system of record that takes every change; each is a call of `sync`."""

    def __init__(self, systems: StubbedSystems) -> None:
        self._systems = systems

    async def take(self, change: Change) -> None:
        """Keep the change; an end is a call with its state as `ended`."""
        told = {"ended": change.ended.state} if change.ended else change.fields
        self._systems.calls.append(MadeCall(SYNC, told, writes=False, key=change.key))


class StubbedToolbox(Toolbox):
    """A toolbox whose connected tools give what the `systems` says."""

    def __init__(self, inner: Toolbox, systems: StubbedSystems) -> None:
        super().__init__(inner.connections, tuple(inner.own))
        self._systems = systems

    def connect(self, playbook: Playbook) -> Mapping[str, Tool[Any]]:
        """Return the playbook's tools, each over a call that a test answers."""
        project = playbook.definition.project
        entities = entities_of(playbook.definition.pattern_kinds)
        found = super().connect(playbook)
        made = {}
        for name, definition in playbook.tools.items():
            real = self.prepare(name, definition.call, call_request(definition))
            call = _StubbedCall(name, definition, real, self._systems)
            stubbed = connect_tool(
                name,
                _without_paths(definition),
                call,
                project,
                [
                    _Refusal(name, number, self._systems, lacks=refusal.lacks is not None)
                    for number, refusal in enumerate(definition.refused_when, 1)
                ],
                entities=entities,
                playbook=playbook.id,
            )
            asked = definition.call.connection
            made[name] = _Either(found[name], stubbed, asked, self._systems).tool()
        return made


@dataclass(frozen=True, slots=True)
class _Either:
    """A tool that asks its own system, or the test."""

    real: Tool[Any]
    stubbed: Tool[Any]
    connection: str
    systems: StubbedSystems

    def tool(self) -> Tool[Any]:
        """The tool that chooses."""
        rehearse = self.rehearse if self.stubbed.rehearse else None
        return replace(self.stubbed, run=self.run, rehearse=rehearse)

    async def rehearse(self, args: Any, ctx: Any) -> None:
        """Whether the write would be taken, as the test says. Raises ToolError."""
        given = args.model_dump(mode="json", exclude_none=True)
        case = self.systems.case(self.stubbed.name, given, counts=False)
        if case is not None and case.fault == "refuses":
            raise ToolRefused(_refused_text(case), **_refused_values(self.connection, case))
        assert self.stubbed.rehearse is not None
        await self.stubbed.rehearse(args, ctx)

    async def run(self, args: Any, ctx: Any) -> Any:
        """What either gives. Raises ToolError."""
        writes = not self.stubbed.readonly
        if self.systems.is_real(self.stubbed.name, writes=writes):
            given = args.model_dump(mode="json", exclude_none=True)
            self.systems.calls.append(MadeCall(self.stubbed.name, given, writes))
            return await self.real.run(args, ctx)
        return await self.stubbed.run(args, ctx)


@dataclass(frozen=True, slots=True)
class _StubbedCall:
    """A call that the test answers."""

    name: str
    definition: ToolDefinition
    real: PreparedCall
    systems: StubbedSystems

    @property
    def keyed(self) -> bool:
        """As the connection's own."""
        return self.real.keyed

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """What the test says. Raises ToolError."""
        writes = self.definition.writes is not None
        named = self.definition.arguments_schema is None
        names = self.definition.arguments if named else values.keys() - _CONTEXT
        given = {name: value for name, value in values.items() if name in names}
        case = self.systems.case(self.name, values)
        refused = case is not None and case.refused_when is not None
        result = "missing" if case is None else "refused" if refused else case.fault or "ok"
        self.systems.calls.append(MadeCall(self.name, given, writes, key, result))
        if case is None:
            self.systems.missing[self.name] = None
            raise ToolFailed("connection.away", name=self.definition.call.connection)
        if refused and not writes:
            return None
        if refused or case.fault is not None:
            raise self._fault(case, writes=writes)
        return case.gives

    def _fault(self, case: StubCase, *, writes: bool) -> ToolFailed:
        name = self.definition.call.connection
        match case.fault:
            case "lost answer" if writes:
                return ToolUnsure("connection.unsure", name=name)
            case "slow" if writes:
                return ToolUnsure("connection.unsure", name=name)
            case "slow" | "lost answer":
                return ToolFailed("connection.slow", name=name, seconds=_SLOW_S)
            case "refuses":
                return ToolFailed(_refused_text(case), **_refused_values(name, case))
            case _:
                return ToolFailed("connection.away", name=name)


def _refused_text(case: StubCase) -> str:
    """The text of a refusal, with or without what the system says."""
    return "connection.refused" if case.says else "connection.refused_only"


def _refused_values(connection: str, case: StubCase) -> dict[str, str]:
    return {"name": connection, "status": "409", **({"words": case.says} if case.says else {})}


@dataclass(frozen=True, slots=True)
class _Refusal:
    """What a refusal of the tool looks for, which is there only where a case says so."""

    name: str
    number: int
    systems: StubbedSystems
    lacks: bool

    @property
    def keyed(self) -> bool:
        """It only reads."""
        return False

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """What was found, None for nothing."""
        case = self.systems.case(self.name, values, counts=False)
        holds = case is not None and case.refused_when == self.number
        if holds is self.lacks:
            return None
        return (case.gives if case else None) or True


def _without_paths(definition: ToolDefinition) -> ToolDefinition:
    """The tool where results come by columns, not as its system has them."""
    columns = {
        name: column.model_copy(update={"at": ""}) for name, column in definition.columns.items()
    }
    return definition.model_copy(update={"columns": columns, "rows": ""})

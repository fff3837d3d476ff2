"""A playbook's own tools: read, bound to their connections, and checked (design §11)."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from cards.fields.table import FIELD_TYPES
from engine.playbooks.checks.fields import typed_faults
from engine.playbooks.tool import CallRefusal, ConnectedCall, ToolDefinition, name_faults
from engine.ports.systems.connections import (
    BadCall,
    CallRequest,
    Connection,
    NamedColumnsCall,
    PreparedCall,
)
from engine.text.template import CONTEXT_NAMES
from engine.yaml.faults import Path, suggestion
from engine.yaml.source import Problems, Source, try_build

CONTEXT_ARGUMENTS = frozenset(CONTEXT_NAMES)
"""What every call may name beside its arguments."""
_OWN = frozenset({"case", "approvers"})
"""Of these, what a tool may have as an argument of its own."""


def read_tools(
    source: Source,
    problems: Problems,
    *,
    taken: Collection[str],
    connections: Mapping[str, Connection] | None,
) -> dict[str, ToolDefinition]:
    """The tools of a `tools.yaml` as far as they stand; what is wrong goes to `problems`.

    `taken` are names of other tools; connections are None where they are not known.
    """
    tools: dict[str, ToolDefinition] = {}
    data = source.data if source.data is not None else {}
    if not isinstance(data, dict):
        problems.add(source.problem((), "should be a mapping from names to tools"))
        return tools
    for name in data:
        definition = try_build(ToolDefinition, source, problems, at=(name,))
        if name in taken:
            problems.add(source.problem((name,), f"there is a tool {name!r} already"))
        if definition is None:
            continue
        check = ToolCheck(name, definition, source, problems)
        tools[name] = check.bind(connections) if connections is not None else definition
        check.run()
    return tools


class ToolCheck:
    """One pass over a tool; adds each problem where it stands."""

    def __init__(
        self, name: str, definition: ToolDefinition, source: Source, problems: Problems
    ) -> None:
        self._name = name
        self._tool = definition
        self._source = source
        self._problems = problems
        self._kind = "reads" if definition.reads else "writes"

    def run(self) -> None:
        """Check names, arguments and what is told."""
        for name in {*self._tool.arguments} & (CONTEXT_ARGUMENTS - _OWN):
            self._add(("arguments", name), "is a name that every call has; choose another")
        for name, leaf in self._tool.arguments.items():
            for key, fault in typed_faults(leaf):
                self._add(("arguments", name, key), fault)
        for at, fault in self._tool.tell_faults():
            self._add(at, fault)
        if self._tool.writes and (self._tool.examples or self._tool.cues):
            fault = "belongs to tools that read; a write is asked for by a playbook's requests"
            self._add(("examples",) if self._tool.examples else ("cues",), fault)
        for cue, implied in self._tool.cued.items():
            for name in implied:
                if name not in self._tool.arguments:
                    self._add(("cues", cue, name), "is none of its arguments")

    def bind(self, connections: Mapping[str, Connection]) -> ToolDefinition:
        """The tool, with what its system says of its arguments; checks its calls."""
        tool = self._tool
        connection = self._connection(tool.call, (self._kind,), connections)
        if connection is None:
            return tool
        try:
            if not tool.arguments and (shape := connection.shape(tool.call.call)):
                update = {"arguments_schema": dict(shape.schema)}
                tool = tool.model_copy(update=update)
            connection.prepare(call_request(tool))
        except BadCall as error:
            for problem in error.problems:
                self._add((self._kind,), problem)
        for i, refusal in enumerate(tool.refused_when):
            at = ("refused_when", i, refusal.key)
            if (asked := self._connection(refusal.call, at, connections)) is None:
                continue
            try:
                prepared = asked.prepare(refusal_request(tool, refusal))
            except BadCall as error:
                for problem in error.problems:
                    self._add(at, problem)
                continue
            self._refusal_names(i, refusal, prepared)
        return tool

    def _refusal_names(self, number: int, refusal: CallRefusal, prepared: PreparedCall) -> None:
        """A refusal's text names arguments, and what is found; nothing is of what is lacking."""
        columns: Collection[str] | None = () if refusal.lacks else None
        if refusal.finds and isinstance(prepared, NamedColumnsCall):
            columns = prepared.columns
        if columns is not None:
            names = dict.fromkeys([*argument_names(self._tool), *sorted(columns)])
            for fault in name_faults(refusal.text, [*names]):
                self._add(("refused_when", number, "text"), fault)

    def _connection(
        self, call: ConnectedCall, at: Path, connections: Mapping[str, Connection]
    ) -> Connection | None:
        connection = connections.get(call.connection)
        if connection is None:
            known = suggestion(call.connection, connections) or "connections.yaml has none"
            self._add((*at, "connection"), f"there is no {call.connection!r}; {known}")
        return connection

    def _add(self, path: Path, message: str) -> None:
        if message:
            self._problems.add(self._source.problem((self._name, *path), message))


def call_request(tool: ToolDefinition) -> CallRequest:
    """What its connection is asked to prepare."""
    call: ConnectedCall = tool.call
    return CallRequest(
        call.call,
        frozenset(argument_names(tool)),
        tool.writes is not None,
        tool.result,
        CONTEXT_ARGUMENTS,
        _parts(tool),
    )


def refusal_request(tool: ToolDefinition, refusal: CallRefusal) -> CallRequest:
    """What is asked of a call that may be refused: the first that is found."""
    names = frozenset(argument_names(tool))
    return CallRequest(refusal.call.call, names, False, "one", CONTEXT_ARGUMENTS, _parts(tool))


def requests_of(tool: ToolDefinition) -> Iterator[tuple[Path, ConnectedCall, CallRequest]]:
    """Every call of a tool, and where in it that stands."""
    yield ("reads" if tool.reads else "writes",), tool.call, call_request(tool)
    for number, refusal in enumerate(tool.refused_when):
        at = ("refused_when", number, refusal.key)
        yield at, refusal.call, refusal_request(tool, refusal)


def _parts(tool: ToolDefinition) -> dict[str, tuple[str, ...]]:
    """The parts of its arguments that have several."""
    traits = {name: FIELD_TYPES[leaf.type] for name, leaf in tool.arguments.items()}
    return {
        name: tuple(each.schema.get("properties", ()))
        for name, each in traits.items()
        if each.shape in ("money", "rows")
    }


def argument_names(tool: ToolDefinition) -> Collection[str]:
    """The names of its arguments, whoever says them."""
    schema: Mapping[str, Any] = tool.arguments_schema or {}
    return tool.arguments or schema.get("properties", {})

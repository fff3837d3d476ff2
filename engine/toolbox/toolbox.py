"""The tools that there are: the service's own, and those of playbooks over their connections."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from cards.clipping import shorten
from engine.errors import ToolFailed
from engine.playbooks.checks.tools import call_request
from engine.playbooks.model import Playbook
from engine.playbooks.tool import ToolDefinition, ToolFacts
from engine.ports.systems.connections import BadCall, Connection, PreparedCall
from engine.toolbox.connected import connect_tool
from engine.tools import registry
from engine.tools.model import Tool

MAX_PLAYBOOKS = 256
"""So many playbooks keep their tools ready to be called."""


class Toolbox:
    """Tools by name, of the service and of a playbook."""

    def __init__(
        self,
        connections: Mapping[str, Connection] | None = None,
        own: Sequence[Tool[Any]] | None = None,
    ) -> None:
        self.connections = connections or {}
        """Systems outside, by name."""
        listed = (*registry.TOOLS, *registry.INNER) if own is None else own
        self._own = {tool.name: tool for tool in listed}
        self._connected: dict[str, Mapping[str, Tool[Any]]] = {}

    def find(self, name: str, playbook: Playbook | None = None) -> Tool[Any]:
        """The tool of that name, of the service or the playbook. Raises ToolFailed."""
        own = self.of(playbook) if playbook else {}
        found = self._own.get(name) or own.get(name)
        if found is None:
            names = ", ".join((*self._own, *own))
            raise ToolFailed("tool.unknown", name=shorten(name, 40), names=names)
        return found

    def of(self, playbook: Playbook) -> Mapping[str, Tool[Any]]:
        """The playbook's own tools by name; one that cannot be called says why when it is."""
        if not playbook.tools:
            return {}
        known = self._connected.get(playbook.digest)
        if known is None:
            known = self._connect(playbook)
            if len(self._connected) >= MAX_PLAYBOOKS:
                self._connected.pop(next(iter(self._connected)))
            self._connected[playbook.digest] = known
        return known

    @property
    def facts(self) -> Mapping[str, ToolFacts]:
        """What checks of playbooks need to know of the service's own tools."""
        return {name: _facts_of(tool) for name, tool in self._own.items()}

    def reading(self, playbooks: Iterable[Playbook]) -> tuple[Tool[Any], ...]:
        """Every tool that only reads: the service's own first, then those of the playbooks."""
        inner = {tool.name for tool in registry.INNER}
        tools = [t for t in self._own.values() if t.readonly and t.name not in inner]
        for playbook in playbooks:
            tools += (tool for tool in self.of(playbook).values() if tool.readonly)
        return tuple(tools)

    def _connect(self, playbook: Playbook) -> Mapping[str, Tool[Any]]:
        project = playbook.definition.project
        return {
            name: connect_tool(name, definition, self._prepare(name, definition), project)
            for name, definition in playbook.tools.items()
        }

    def _prepare(self, name: str, definition: ToolDefinition) -> PreparedCall:
        connection = self.connections.get(definition.call.connection)
        if connection is None:
            return _BrokenCall(name, f"there is no connection {definition.call.connection}")
        try:
            return connection.prepare(call_request(definition))
        except BadCall as error:
            return _BrokenCall(name, str(error))


def _facts_of(tool: Tool[Any]) -> ToolFacts:
    fields = tool.arguments.model_fields
    required = frozenset(name for name, field in fields.items() if field.is_required())
    return ToolFacts(not tool.readonly, frozenset(fields), tool.columns or None, required)


class _BrokenCall:
    """A call of a connection that is not there any more, or takes it no more."""

    keyed = False

    def __init__(self, name: str, why: str) -> None:
        self._name = name
        self._why = why

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        raise ToolFailed("tool.broken", name=self._name, why=shorten(self._why, 200))

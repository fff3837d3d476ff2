"""The tools that there are: the service's own, and those of playbooks over their connections."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import JsonValue

from cards.clipping import shorten
from engine.errors import ToolFailed
from engine.playbooks.checks.tools import call_request, refusal_request
from engine.playbooks.model import Playbook
from engine.playbooks.tool import ConnectedCall, ToolFacts
from engine.ports.systems.connections import BadCall, CallRequest, Connection, PreparedCall
from engine.text.entity_kinds import entities_of
from engine.toolbox.answers import answer_tools, find_answers_tool
from engine.toolbox.connected import connect_tool
from engine.tools import registry
from engine.tools.model import Tool

T = TypeVar("T")

MAX_PLAYBOOKS = 256
"""So many playbooks keep their tools ready to be called."""


class Toolbox:
    """Tools by name, of the service and of a playbook.

    Other connections that have the same `connections_key` take the same calls.
    """

    def __init__(
        self,
        connections: Mapping[str, Connection] | None = None,
        own: Sequence[Tool[Any]] | None = None,
        *,
        are_known: bool = True,
        connections_key: Hashable = None,
    ) -> None:
        self.connections = connections or {}
        """Systems outside, by name."""
        self.are_known = are_known
        """Whether those are all; not where their file has faults, which are told as such."""
        listed = registry.TOOLS if own is None else own
        self._own = {tool.name: tool for tool in listed}
        self._connections_key = connections_key or id(self)
        self._connected: dict[str, Mapping[str, Tool[Any]]] = {}
        self._answers: dict[str, tuple[Tool[Any], ...]] = {}

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
        return _kept(self._connected, playbook, self.connect)

    def answers(self, playbook: Playbook) -> tuple[Tool[Any], ...]:
        """The playbook's answers, each as a tool that reads."""
        if not playbook.answers:
            return ()
        return _kept(self._answers, playbook, lambda each: answer_tools(each, self.of(each)))

    @property
    def facts(self) -> Mapping[str, ToolFacts]:
        """What checks of playbooks need to know of the service's own tools."""
        return {name: _facts_of(tool) for name, tool in self._own.items()}

    @property
    def own(self) -> tuple[Tool[Any], ...]:
        """The service's own tools, and those that packages bring."""
        return tuple(self._own.values())

    @property
    def key(self) -> Hashable:
        """Equal for toolboxes by which a playbook is checked alike, while they exist."""
        return self._connections_key, self.are_known, tuple(map(id, self._own.values()))

    @property
    def installed(self) -> tuple[Tool[Any], ...]:
        """The tools that packages bring."""
        return tuple(tool for tool in self._own.values() if tool.origin)

    def reading(self, playbooks: Iterable[Playbook]) -> tuple[Tool[Any], ...]:
        """Every tool that questions can reach: of the playbooks, their answers, the service's own.

        Behind them comes what finds answers for a model.
        """
        playbooks = tuple(playbooks)
        tools = [tool for playbook in playbooks for tool in self.of(playbook).values()]
        answers = [answer for playbook in playbooks for answer in self.answers(playbook)]
        find = [find_answers_tool(answers)] if answers else []
        every = (*tools, *answers, *self._own.values(), *find)
        return tuple(tool for tool in every if tool.readonly and tool.for_questions)

    def writing(self, playbooks: Iterable[Playbook]) -> frozenset[str]:
        """The names of all tools that write, of the service and of the playbooks."""
        own = {name for name, tool in self._own.items() if not tool.readonly}
        return frozenset(own).union(
            name for playbook in playbooks for name, tool in playbook.tools.items() if tool.writes
        )

    def connect(self, playbook: Playbook) -> Mapping[str, Tool[Any]]:
        """The playbook's own tools, made anew."""
        project = playbook.definition.project
        entities = entities_of(playbook.definition.pattern_kinds)
        return {
            name: connect_tool(
                name,
                definition,
                self.prepare(name, definition.call, call_request(definition)),
                project,
                [
                    self.prepare(name, refusal.call, refusal_request(definition, refusal))
                    for refusal in definition.refused_when
                ],
                entities=entities,
                playbook=playbook.id,
            )
            for name, definition in playbook.tools.items()
        }

    def prepare(self, name: str, call: ConnectedCall, request: CallRequest) -> PreparedCall:
        """The call of that tool, ready to be made; one that cannot be says why when it is."""
        connection = self.connections.get(call.connection)
        if connection is None:
            return _BrokenCall(name, f"there is no connection {call.connection}")
        try:
            return connection.prepare(request)
        except BadCall as error:
            return _BrokenCall(name, str(error))


def _kept(kept: dict[str, T], playbook: Playbook, make: Callable[[Playbook], T]) -> T:
    """What was made of the playbook before, or is made now."""
    known = kept.get(playbook.digest)
    if known is None:
        known = make(playbook)
        if len(kept) >= MAX_PLAYBOOKS:
            kept.pop(next(iter(kept)))
        kept[playbook.digest] = known
    return known


def _facts_of(tool: Tool[Any]) -> ToolFacts:
    fields = tool.arguments.model_fields
    required = frozenset(name for name, field in fields.items() if field.is_required())
    names = frozenset(field.alias or name for name, field in fields.items())
    return ToolFacts(not tool.readonly, names, tool.columns or None, required)


class _BrokenCall:
    """A call of a connection that is not there any more, or takes it no more."""

    keyed = False

    def __init__(self, name: str, why: str) -> None:
        self._name = name
        self._why = why

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        raise ToolFailed("tool.broken", name=self._name, why=shorten(self._why, 200))

"""What a frame is advanced with, and what may come of it (design §5)."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar, Literal, assert_never

from cards.markdown import literal
from cards.model import Card, Decision
from cards.showing.view import PartState
from engine.errors import ToolFailed
from engine.frames.state import Frame, Patch, Run, RunStatus
from engine.playbooks.end_kinds import RunEnd
from engine.playbooks.model import Playbook
from engine.ports.library import FileScope
from engine.ports.model import ModelUsage
from engine.ports.storage.findings import Check
from engine.services import Services
from engine.text.entity_kinds import Entities, entities_as_recorded
from engine.text.excerpts.known import STATE_READER, leaves_out
from engine.tools.model import RUN_ROOM, Tool, ToolContext
from engine.tools.read_only import ReadOnlyTools

GraphOrder = Literal["stop", "fail", "recover"]
NodeResult = Literal["passed", "failed", "checked", "approved", "rejected", "expired", "error"]


@dataclass(frozen=True, slots=True)
class Note:
    """What the run's part of the reply says from now on."""

    state: PartState
    text: str


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """What came of an SOP's node, by whom, and which node is next (spec 001 §4.2, the trace).

    `by` is a person's id, `rules`, `model`, or `signoff` for what its own clock or limits decide.
    `broken` are the fields of the rules that did not hold, `rules` their places in the node.
    """

    node: str
    result: NodeResult
    by: str
    next: str
    broken: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Next:
    """The frame goes on; a patch changes the state, a note tells how far it is.

    `checks` is what a node of an SOP found in this step, or found no more. `info_card` is shown and
    waits for nobody; `tells` are the ids of people who are shown it besides. `read` are the words
    of a text that gave each leaf of the patch.
    """

    name: ClassVar[str] = "next"
    frame: Frame
    why: str
    patch: Patch | None = None
    note: Note | None = None
    verdict: NodeVerdict | None = None
    checks: tuple[Check, ...] = ()
    info_card: Card | None = None
    tells: tuple[str, ...] = ()
    read: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Push:
    """A child frame goes first; `frame` is how this one will look when it is done."""

    name: ClassVar[str] = "push"
    frame: Frame
    child: Frame
    why: str
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The frame is finished; its patch is merged and handed to the frame below."""

    name: ClassVar[str] = "done"
    patch: Patch
    why: str
    verdict: NodeVerdict | None = None
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Suspend:
    """The run waits for these new cards; `dropped_children` (keys) end as cancelled.

    `unused` are words of the message that nothing took.
    """

    name: ClassVar[str] = "suspend"
    frame: Frame
    cards: tuple[Card, ...]
    note: Note
    why: str
    dropped_children: tuple[str, ...] = ()
    unused: str = ""


@dataclass(frozen=True, slots=True)
class Child:
    """A run to begin below this one, named `key` among its siblings; `patch` adds to its state."""

    key: str
    frame: Frame
    patch: Patch


@dataclass(frozen=True, slots=True)
class Alarm:
    """The frame is to be advanced at a moment; another alarm of the same id replaces this one."""

    id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Fork:
    """The run waits for what it waited for, and for these new child runs, each in its own lane.

    Without children it only goes on waiting, if need be for an alarm. `dropped_children` (keys)
    end as cancelled; `dropped_cards` (tokens) are not waited for any more.
    """

    name: ClassVar[str] = "fork"
    frame: Frame
    children: tuple[Child, ...]
    why: str
    patch: Patch | None = None
    note: Note | None = None
    alarms: tuple[Alarm, ...] = ()
    dropped_children: tuple[str, ...] = ()
    dropped_cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StatusChange:
    """The whole run ends or is blocked with this status, or goes on after it was blocked.

    `end` is how it ended, None for what is usual with the status.
    """

    name: ClassVar[str] = "ended"
    status: RunStatus
    note: Note
    why: str
    verdict: NodeVerdict | None = None
    end: RunEnd | None = None


StepOutcome = Next | Push | Done | Suspend | Fork | StatusChange
"""What came of a step; runs keep its `name` in their logs, and replays compare it."""


def patch_of(advanced: StepOutcome) -> Patch | None:
    """What the step changes in the run's state; None where it changes nothing."""
    match advanced:
        case Next() | Done() | Fork():
            return advanced.patch
        case Push() | Suspend() | StatusChange():
            return None
        case _:
            assert_never(advanced)


def verdict_of(advanced: StepOutcome) -> NodeVerdict | None:
    """The verdict on an SOP's node in the step; None where none was judged."""
    match advanced:
        case Next() | Done() | StatusChange():
            return advanced.verdict
        case Push() | Suspend() | Fork():
            return None
        case _:
            assert_never(advanced)


def checks_of(advanced: StepOutcome) -> tuple[Check, ...]:
    """What the checks of the step found."""
    match advanced:
        case Next() | Done():
            return advanced.checks
        case Push() | Suspend() | Fork() | StatusChange():
            return ()
        case _:
            assert_never(advanced)


@dataclass(frozen=True, slots=True)
class FrameEntered:
    """The frame is new, or goes on after a step of its own."""


@dataclass(frozen=True, slots=True)
class ChildFrameDone:
    """The child frame finished with this patch, already merged."""

    patch: Patch


@dataclass(frozen=True, slots=True)
class CardAnswered:
    """A card that the frame waited for (its token) was decided."""

    card: str
    decision: Decision


@dataclass(frozen=True, slots=True)
class CardTimedOut:
    """A card that the frame waited for has expired."""

    card: str


@dataclass(frozen=True, slots=True)
class ChildRunEnded:
    """A child run ended with this status, and the last change that it made; `reason` if it failed.

    A `blocked` one has not ended: an operator may let it go on. One that carries out a job also
    reports when it is `suspended` on a card, and when it is `running` again. `used` is what it
    used of the model.
    """

    key: str
    status: RunStatus
    patch: Patch
    reason: str
    used: ModelUsage


@dataclass(frozen=True, slots=True)
class AlarmFired:
    """The moment of the alarm with this id has come."""

    id: str


@dataclass(frozen=True, slots=True)
class OrderReceived:
    """Somebody wants a job graph to stop, one of its jobs to fail, or it to go on (spec 002)."""

    what: GraphOrder
    name: str
    text: str = ""
    job: str = ""


FrameInput = (
    FrameEntered
    | ChildFrameDone
    | ChildRunEnded
    | CardAnswered
    | CardTimedOut
    | AlarmFired
    | OrderReceived
)


@dataclass(frozen=True, slots=True)
class StepContext:
    """The run as last persisted, its pinned playbook, and the services.

    `follows` when the same worker persisted the step before just now: no call can be under way that
    nobody knows of.
    """

    run: Run
    playbook: Playbook
    services: Services
    follows: bool = True

    @property
    def entities(self) -> Entities:
        """What texts may name: what the pinned playbook has a pattern for, and what was named.

        A run that was begun before that was kept goes by what is known now.
        """
        run, kinds = self.run, self.playbook.definition.pattern_kinds
        if run.named is None:
            return self.services.entities(run.conversation, run.requester, kinds)
        return entities_as_recorded(kinds, run.named)

    def tool_context(
        self, *, key: str = "", by: str = "", approvers: tuple[str, ...] = ()
    ) -> ToolContext:
        """What a call of this run may use; a write needs its idempotency key and approver."""
        run, services = self.run, self.services
        person = services.people.refresh(run.requester)
        made = services.tool_context(run.conversation, person, key=key, by=by)
        elements = self.playbook.definition.element_kinds
        files = self.file_scope.elsewhere
        case = run.case.name.key if run.case else ""
        known = run.state.tree()
        made = replace(made, approvers=approvers)
        return replace(made, known=known, elements=elements, elsewhere=files, case=case)

    @property
    def file_scope(self) -> FileScope:
        """Whose files the run looks up: its conversation's, and those that its case knows."""
        own = self.services.file_scope(self.run.conversation)
        return replace(own, elsewhere=self.run.state.files_elsewhere)

    def list_tool(self, name: str) -> Tool[Any]:
        """The tool of that name, which only reads. Raises ToolFailed."""
        tool = self.find_tool(name)
        if not tool.readonly:
            raise ToolFailed("tool.list_writes", name=literal(name))
        return tool

    def read_only_tools(self, names: Iterable[str]) -> ReadOnlyTools:
        """Those of these tools that only read and that the requester may use, for a model."""
        return self._reading(names, self.run.state.tree())

    def model_tools(
        self, names: Iterable[str], known: Mapping[str, Any], shown_chars: int
    ) -> ReadOnlyTools:
        """The same, and what reads the rest of what is `known` where a prompt shows not all."""
        reader = (STATE_READER,) if leaves_out(known, shown_chars) else ()
        return self._reading(dict.fromkeys((*names, *reader)), known)

    def _reading(self, names: Iterable[str], known: Mapping[str, Any]) -> ReadOnlyTools:
        found = [self.find_tool(name) for name in names]
        context = replace(self.tool_context(), room=RUN_ROOM, known=known)
        return ReadOnlyTools(found, context, self.services.call, lang=self.run.lang)

    def find_tool(self, name: str) -> Tool[Any]:
        """The tool of that name, as the run's playbook has it. Raises ToolFailed."""
        return self.services.toolbox.find(name, self.playbook)


Advance = Callable[[Any, FrameInput, StepContext], Awaitable[StepOutcome]]

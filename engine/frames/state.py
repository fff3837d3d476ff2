"""A run as it is stored (design §5; AgentState: spec 000 §1)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, field_serializer

from cards.frozen import Frozen
from cards.model import Lang, Principal, Value
from engine.replies import Part

RunStatus = Literal[
    "running", "suspended", "completed", "failed", "stopped", "cancelled", "blocked"
]
ENDED: frozenset[RunStatus] = frozenset({"completed", "failed", "stopped", "cancelled"})
Scalar = str | int | float | bool | None


class Approval(Frozen):
    """What was approved, and by whom: the digest of what the card showed."""

    by: str
    name: str
    digest: str


class AgentState(Frozen):
    """What a run knows. `problems` are the last check's findings, shown at the next question.

    `written` names the writes that have been done.
    """

    profile: dict[str, Scalar] = {}
    decisions: dict[str, Scalar] = {}
    data: dict[str, Value] = {}
    approvals: dict[str, Approval] = {}
    problems: tuple[str, ...] = ()
    written: tuple[str, ...] = ()

    def tree(self) -> dict[str, Any]:
        """The state as conditions read it."""
        return {"profile": self.profile, "decisions": self.decisions, "data": self.data}


class Patch(Frozen):
    """A change of the state, with who caused it. What is set to None is cleared."""

    by: str
    profile: dict[str, Scalar] = {}
    decisions: dict[str, Scalar] = {}
    data: dict[str, Value | None] = {}
    approvals: dict[str, Approval] = {}
    problems: tuple[str, ...] | None = None
    written: tuple[str, ...] = ()

    @classmethod
    def setting(cls, by: str, paths: Mapping[str, Scalar], **more: Any) -> "Patch":
        """A patch from dotted paths as playbooks write them (`profile.x`, `decisions.x`)."""
        groups: dict[str, dict[str, Scalar]] = {"profile": {}, "decisions": {}}
        for path, value in paths.items():
            group, _, name = path.partition(".")
            groups[group][name] = value
        return cls(by=by, profile=groups["profile"], decisions=groups["decisions"], **more)

    def apply(self, state: AgentState) -> AgentState:
        """The state after this change."""
        return AgentState(
            profile=_merged(state.profile, self.profile),
            decisions=_merged(state.decisions, self.decisions),
            data={n: v for n, v in {**state.data, **self.data}.items() if v is not None},
            approvals={**state.approvals, **self.approvals},
            problems=state.problems if self.problems is None else self.problems,
            written=state.written + self.written,
        )


def _merged(old: dict[str, Scalar], new: dict[str, Scalar]) -> dict[str, Scalar]:
    return {name: value for name, value in {**old, **new}.items() if value is not None}


class PlannerFrame(Frozen):
    """The planner's position: a phase. `announced` are phases whose phase_done card was shown."""

    kind: Literal["planner"] = "planner"
    schema_version: Literal[1] = 1
    phase: str
    announced: tuple[str, ...] = ()


class PromptFrame(Frozen):
    """A prompt skill's position: `asked` is the card it waits for, `fields` what it asks for."""

    kind: Literal["prompt"] = "prompt"
    schema_version: Literal[1] = 1
    skill: str
    asked: str = ""
    fields: tuple[str, ...] = ()


class SopFrame(Frozen):
    """An SOP's position: a node, the card it waits for, and what the last check found."""

    kind: Literal["sop"] = "sop"
    schema_version: Literal[1] = 1
    skill: str
    node: str
    asked: str = ""
    shown_digest: str = ""
    problems: tuple[str, ...] = ()


class ToolPlanFrame(Frozen):
    """A tool plan's position: the next call; `started` once its intent is recorded."""

    kind: Literal["tool_plan"] = "tool_plan"
    schema_version: Literal[1] = 1
    skill: str
    position: int = 0
    started: bool = False


Frame = Annotated[
    PlannerFrame | PromptFrame | SopFrame | ToolPlanFrame, Field(discriminator="kind")
]


class Run(Frozen):
    """One execution of a playbook. `waiting` are the cards that it is suspended on.

    `text` is the piece of `message` that asked for it. `result` is what a finished frame left for
    the one below; `wakes` are parts of its reply that wait for its end; `slot` lets its first card
    stand inside the reply's own message.
    """

    schema_version: Literal[1] = 1
    id: str
    playbook: str
    digest: str
    name: str
    conversation: str
    lang: Lang
    requester: Principal
    text: str
    message: str
    reply: str
    part: Part
    slot: bool
    wakes: tuple[int, ...] = ()
    status: RunStatus = "running"
    frames: tuple[Frame, ...]
    state: AgentState = AgentState()
    result: Patch | None = None
    waiting: tuple[str, ...] = ()
    steps: int = 0
    started_at: datetime

    @field_serializer("frames")
    def _whole(self, frames: tuple[Frame, ...]) -> list[dict[str, Any]]:
        # A frame is known by its kind, which is a default.
        return [frame.model_dump(mode="json") for frame in frames]

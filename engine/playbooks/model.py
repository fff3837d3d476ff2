"""What a playbook's YAML may say (spec 000 §1-4, spec 003; SOP nodes: spec 001 §4.2)."""

from typing import Any, Literal

from pydantic import Field as Key

from cards.frozen import Frozen
from cards.model import FieldType
from engine.conditions import Condition
from engine.language import Bilingual
from engine.rules.engine import HardRule

SkillKind = Literal["prompt", "sop", "tool_plan"]


class DataField(Frozen):
    """A typed data leaf of the state, and how people are asked for it.

    `inherit` lets it be taken from the rest of the message too, not only from the run's piece. An
    `identity` says whom the data is about.
    """

    label: Bilingual
    type: FieldType = "text"
    required: bool = True
    unit: str = ""
    options: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    hint: Bilingual | None = None
    inherit: bool = False
    identity: bool = False


class PriorityRule(Frozen):
    """When it holds, this skill goes first; one whose skill cannot run is an error (000 §3.2)."""

    when: Condition
    skill: str


class Request(Frozen):
    """A kind of work that people ask a playbook for, with examples in both languages.

    `not_yet`: such a request is recognised, and answered with that it cannot be done yet.
    """

    id: str
    name: Bilingual
    examples: tuple[str, ...] = Key(min_length=1)
    not_yet: bool = False


class Announcement(Frozen):
    """A phase_done card: shown to the requester when the phase is complete."""

    title: Bilingual
    text: Bilingual


class Phase(Frozen):
    """One stage; complete when its gate and checkpoints hold (spec 000 §4)."""

    id: str
    name: Bilingual
    goal: Bilingual
    allowed_skills: tuple[str, ...] = ()
    priority_rules: tuple[PriorityRule, ...] = ()
    checkpoints: tuple[str, ...] = ()
    gate_field: str = ""
    gate_value: str | int | bool | None = None
    gate_check: str = ""
    done_card: Announcement | None = None


class Ask(Frozen):
    """A prompt skill's questions: the data leaves it fills.

    `again` asks for all of them, filled in as they stand; else only for what is missing.
    """

    fields: tuple[str, ...]
    title: Bilingual
    text: Bilingual
    again: bool = False


class ReviewPolicy(Frozen):
    """Who decides at a human_review node; four eyes unless switched off (design §7)."""

    roles: tuple[str, ...]
    quorum: int = Key(default=1, ge=1)
    four_eyes: bool = True
    deadline_s: int | None = Key(default=None, gt=0)


class SopNode(Frozen):
    """A node of an SOP; names of targets that begin with `end` end it (spec 001 §4.2)."""

    type: Literal["hard_rule", "human_review"]
    rules: tuple[HardRule, ...] = ()
    title: Bilingual | None = None
    description: Bilingual | None = None
    review: ReviewPolicy | None = None
    shows: str = ""
    decision: str = ""
    on_pass: str = ""
    on_fail: str = ""
    on_approve: str = ""
    on_reject: str = "end_rejected"
    on_error: str = "end_error"
    on_expire: str = ""


class Sop(Frozen):
    """An SOP: a start node and its nodes; `outcomes` sets state by the end that was reached."""

    start_node: str
    nodes: dict[str, SopNode]
    outcomes: dict[str, dict[str, str | bool | int | None]] = {}


class PlannedCall(Frozen):
    """One tool call of a fixed plan; `$name` in an argument is the data leaf of that name."""

    tool: str
    arguments: dict[str, Any]


class Guard(Frozen):
    """What must have been approved before a plan with writes may run."""

    decision: str


class ToolPlan(Frozen):
    """A fixed list of tool calls, run step by step with idempotency keys.

    With `rehearses` it only asks whether the calls of that skill's plan would succeed. `on_error`
    is what a call that fails leaves in the state, with its reason; else the run fails.
    """

    calls: tuple[PlannedCall, ...] = ()
    guard: Guard | None = None
    rehearses: str = ""
    on_error: dict[str, str | bool | int | None] = {}


class Skill(Frozen):
    """One thing a run can do; exactly the part that its kind names is given."""

    id: str
    name: Bilingual
    description: Bilingual
    category: str
    kind: SkillKind
    requires: tuple[Condition, ...] = ()
    provides: tuple[str, ...] = ()
    internal: bool = False
    sets: dict[str, str | bool | int | None] = {}
    ask: Ask | None = None
    sop: Sop | None = None
    plan: ToolPlan | None = None


class PlaybookFile(Frozen):
    """What `playbook.yaml` says."""

    id: str
    name: Bilingual
    project: str
    cues: tuple[str, ...]
    requests: tuple[Request, ...] = Key(min_length=1)
    profile_fields: tuple[str, ...] = ()
    decision_fields: tuple[str, ...] = ()
    data_fields: dict[str, DataField] = {}
    allowed_skills: tuple[str, ...] = ()
    priority_rules: tuple[PriorityRule, ...] = ()
    phases: tuple[Phase, ...]

    @property
    def examples(self) -> tuple[str, ...]:
        """Messages that ask for what the playbook can do."""
        return tuple(
            e for request in self.requests if not request.not_yet for e in request.examples
        )


class Playbook(Frozen):
    """A resolved playbook: everything a run of it ever needs. `digest` names its content."""

    schema_version: Literal[1] = 1
    definition: PlaybookFile
    skills: dict[str, Skill]
    digest: str = ""

    @property
    def id(self) -> str:
        """The playbook's id."""
        return self.definition.id

    def phase(self, phase_id: str) -> Phase:
        """The phase of that id, which the loader has checked to exist."""
        return next(p for p in self.definition.phases if p.id == phase_id)

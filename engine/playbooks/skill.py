"""What a skill's YAML may say (spec 000 §2, 003; SOP nodes: spec 001 §4.2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BeforeValidator
from pydantic import Field as Key

from cards.frozen import Frozen
from engine.playbooks.conditions import AnyCondition
from engine.playbooks.end_kinds import SopEnd
from engine.playbooks.job_graph import JobsPart
from engine.playbooks.records import Batch, Over, SystemReading
from engine.playbooks.review import ReviewPolicy
from engine.rules.call_rules import CallRule
from engine.rules.hard import HardRule, Severity
from engine.text.language import LocalizedText
from engine.yaml.faults import Path

SkillKind = Literal["prompt", "sop", "tool_plan", "job_graph", "document"]
SopNodeType = Literal["hard_rule", "soft_instruction", "human_review", "branch", "look_up"]
Setting = str | bool | int | None
SOP_ENDS: tuple[SopEnd, ...] = get_args(SopEnd)
ERROR_END = "end_error"
"""Where an SOP goes on an error that no node takes; without an outcome, the run fails there."""
RETRIEVAL = "retrieval"
"""The category of skills that only find out; they run in query mode, and in no other."""
FILES = "files"
"""The category of skills that read attachments."""


class Instead(Frozen):
    """What may be said in the place of one value, such as "all" for one.

    It is a button of its own, or one of the `words` in the request or the answer; it clears the
    leaf `of` and sets the state.
    """

    of: str
    label: LocalizedText
    words: tuple[str, ...] = Key(min_length=1)
    sets: dict[str, Setting] = Key(min_length=1)


class Ask(Frozen):
    """A prompt skill's questions: the data leaves it fills.

    `again` asks for all of them, filled in as they stand; else only for what is missing.
    """

    fields: tuple[str, ...]
    title: LocalizedText
    text: LocalizedText
    again: bool = False
    instead: Instead | None = None


class OutputSchema(Frozen):
    """The leaves that a model fills, by name; their types are those of the playbook's fields."""

    profile: tuple[str, ...] = ()
    data: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The leaves as conditions name them."""
        return (*(f"profile.{name}" for name in self.profile), *self.data)


class SkillCard(Frozen):
    """What people are asked once the skill has its output (spec 003, cards).

    `shows` are paths. A `confirm` sets `decision` to true. A `select` puts the choice into `field`;
    its options are the texts of `options_from`, a list leaf's column as `leaf.column`. `task_key`
    is what the card is about: a newer card of one run with the same key replaces the older.
    Whoever `review` names is asked, without it the requester.
    """

    kind: Literal["confirm", "select"]
    title: LocalizedText
    text: LocalizedText
    shows: tuple[str, ...] = ()
    decision: str = ""
    field: str = ""
    options_from: str = ""
    task_key: str = ""
    deadline_s: int | None = Key(default=None, gt=0)
    review: ReviewPolicy | None = Key(default=None, exclude_if=lambda review: review is None)


class Way(Frozen):
    """Where a branch leads when a condition holds: the first of its ways whose condition does."""

    when: AnyCondition
    to: str


@dataclass(frozen=True, slots=True)
class SopNodeKind:
    """What the checker, the drawing and the engine read of a type of node.

    `judge` says whether a node passes; `on_passed` and `on_failed` are the keys of where it leads
    then, both empty for a node that judges nothing and leads on by conditions. It may wait for
    people, and so expire, where they judge or where a model cannot. `parts` are those that only
    nodes of some types have.
    """

    judge: Literal["rules", "model", "people", "conditions", "system"]
    on_passed: str
    on_failed: str
    parts: tuple[str, ...]

    @property
    def target_keys(self) -> tuple[str, ...]:
        """The keys of where a node leads when nothing goes wrong; `on_expire` may be left out."""
        match self.judge:
            case "conditions":
                return ("default",)
            case "rules" | "system":
                return (self.on_passed, self.on_failed)
            case "model" | "people":
                return (self.on_passed, self.on_failed, "on_expire")


SOP_NODE_KINDS: Final[Mapping[SopNodeType, SopNodeKind]] = {
    "hard_rule": SopNodeKind(
        "rules", "on_pass", "on_fail", ("rules", "over", "fail_on", "only_branches")
    ),
    "soft_instruction": SopNodeKind(
        "model",
        "on_pass",
        "on_fail",
        ("instruction", "tools", "review", "presents", "only_branches"),
    ),
    "human_review": SopNodeKind(
        "people", "on_approve", "on_reject", ("review", "shows", "presents", "decision")
    ),
    "branch": SopNodeKind("conditions", "", "", ("ways",)),
    "look_up": SopNodeKind("system", "on_pass", "on_fail", ("reads", "only_branches")),
}


class SopNode(Frozen):
    """A node of an SOP; names of targets that begin with `end` end it (spec 001 §4.2).

    With `over`, a hard_rule judges records of a tool instead of the state. A violation as severe as
    `fail_on` fails it. What fails with `only_branches` is no problem: it leads on, and is neither a
    finding nor told. A soft_instruction's `review` says who decides when the model cannot, and
    `presents` what they are shown. A human_review shows the plan of the skill in `shows`, and what
    stands at the paths in `presents`, or one of both.
    A branch goes the first of its `ways` whose condition holds, else to its `default`. A look_up
    fills fields with what a system has of one thing (`reads`), and fails where that is not there.
    A node that is entered more than `max_visits` times goes to `on_error`.
    """

    type: SopNodeType
    rules: tuple[HardRule, ...] = ()
    over: Over | None = None
    reads: SystemReading | None = Key(default=None, exclude_if=lambda reads: reads is None)
    fail_on: Severity = "error"
    only_branches: bool = False
    instruction: str = ""
    tools: tuple[str, ...] = ()
    title: LocalizedText | None = None
    description: LocalizedText | None = None
    review: ReviewPolicy | None = None
    shows: str = ""
    presents: tuple[str, ...] = ()
    decision: str = ""
    ways: tuple[Way, ...] = Key(default=(), max_length=50)
    default: str = ""
    on_pass: str = ""
    on_fail: str = ""
    on_approve: str = ""
    on_reject: str = "end_rejected"
    on_error: str = ERROR_END
    on_expire: str = ""
    max_visits: int = Key(default=10, ge=1, le=100)

    @property
    def kind(self) -> SopNodeKind:
        """What its type says of it."""
        return SOP_NODE_KINDS[self.type]

    @property
    def targets(self) -> dict[str, str]:
        """Where it leads when nothing goes wrong, by key; "" where it does not say."""
        ways = {f"ways.{number}.to": way.to for number, way in enumerate(self.ways)}
        return ways | {key: str(getattr(self, key)) for key in self.kind.target_keys}

    @property
    def pass_target(self) -> str:
        """Where it leads when it passes or is approved."""
        return self.targets[self.kind.on_passed]

    @property
    def fail_target(self) -> str:
        """Where it leads when it fails or is rejected."""
        return self.targets[self.kind.on_failed]


END, SAYS = "end", "says"
"""The keys of an outcome that set nothing: how the SOP ended there, and what people are told."""


def _with_text(outcome: Any) -> Any:
    """The outcome, in which a plain text of `says` is one, and no value of the state."""
    if not isinstance(outcome, dict) or not isinstance(outcome.get(SAYS), str):
        return outcome
    return {**outcome, SAYS: LocalizedText.model_validate(outcome[SAYS])}


Outcome = Annotated[
    dict[str, Setting | LocalizedText],
    BeforeValidator(_with_text, json_schema_input_type=dict[str, Setting | LocalizedText]),
]


class Sop(Frozen):
    """An SOP: a start node and its nodes; `outcomes` sets state by the end that was reached.

    An outcome may also have `end`, how the SOP ended there (`done`, `rejected`, `refused`,
    `failed`, `expired`; else as its last node judged), and `says`, what people are told.
    """

    name: LocalizedText | None = None
    start_node: str
    nodes: dict[str, SopNode]
    outcomes: dict[str, Outcome] = {}
    batch: Batch | None = None

    def sets(self, end: str) -> dict[str, Setting]:
        """What that end sets in the state, by path."""
        outcome = self.outcomes.get(end, {})
        told = (END, SAYS)
        return {
            path: value
            for path, value in outcome.items()
            if path not in told and not isinstance(value, LocalizedText)
        }

    def ends_as(self, end: str) -> SopEnd | None:
        """How the SOP ended at that end, where it says so."""
        given = self.outcomes.get(end, {}).get(END)
        return next((known for known in SOP_ENDS if known == given), None)

    def says(self, end: str) -> LocalizedText | None:
        """What people are told at that end, where it says so."""
        given = self.outcomes.get(end, {}).get(SAYS)
        return given if isinstance(given, LocalizedText) else None


class PlannedCall(Frozen):
    """One tool call of a fixed plan.

    `$name` in an argument is the data leaf of that name, or requester (their id), project or case.

    With `for_each`, a list leaf, there is one for each of its rows, in which `$leaf.column` is
    what stands in that row.
    """

    tool: str
    arguments: dict[str, Any]
    for_each: str = Key(default="", exclude_if=lambda leaf: not leaf)

    def row_column(self, value: Any) -> str:
        """The column of the row that an argument names, "" where it names none."""
        head = f"${self.for_each}."
        named = self.for_each and isinstance(value, str) and value.startswith(head)
        return value.removeprefix(head) if named else ""


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
    on_error: dict[str, Setting] = {}


class ToolPlanner(Frozen):
    """A plan that a model makes of the request, with these tools (spec 004).

    `profile` says what the model plans as. At most `top_k` of the tools are offered to it, and a
    plan has at most `max_steps`. Calls of a plan keep the `rules`. Whoever `review` names approves
    each write before it runs;
    `on_error` is what a plan that fails or is rejected leaves in the state, else the run fails.
    """

    profile: str
    tools: tuple[str, ...]
    max_steps: int = Key(default=6, ge=2, le=20)
    top_k: int = Key(default=6, ge=1, le=20)
    enable_repair: bool = True
    rules: tuple[CallRule, ...] = ()
    review: ReviewPolicy | None = None
    on_error: dict[str, Setting] = {}


class DocumentWriter(Frozen):
    """How a model writes a document: an outline first, then one section after the other.

    An outline has at most so many `sections`, and each of these at most so many characters.
    """

    prompt: str = Key(min_length=1)
    sections: int = Key(default=20, ge=1, le=60)
    section_chars: int = Key(default=4000, ge=200, le=20_000)
    tools: tuple[str, ...] = ()


class DocumentPart(Frozen):
    """A document that comes out as a file: as a .docx, and as a .md of the same content.

    The names of both go into the leaves `file` and `markdown`. `name` is the leaf that says what
    the document is called. `template` is a .docx in the playbook's folder `documents`, whose holes
    (`{{leaf}}`) are filled with what is known; its text is what the `writer` writes, or what stands
    in the leaf `text`.
    """

    file: str
    markdown: str = ""
    name: str
    template: str = ""
    text: str = ""
    writer: DocumentWriter | None = None


class Skill(Frozen):
    """One thing a run can do; exactly the part that its kind names is given.

    A `prompt` asks people with `ask`, a model with `system_prompt`, or the model first. An
    `internal` skill is never chosen; an `api_call_only` one only over the internal API. One that
    `reads` files `whole` is not done before its model has read those that it opened to their ends.
    """

    id: str
    name: LocalizedText
    description: LocalizedText
    category: str
    kind: SkillKind
    requires: tuple[AnyCondition, ...] = ()
    provides: tuple[str, ...] = ()
    internal: bool = False
    api_call_only: bool = False
    sets: dict[str, Setting] = {}
    ask: Ask | None = None
    system_prompt: str = ""
    output_schema: OutputSchema = OutputSchema()
    tools: tuple[str, ...] = ()
    reads: Literal["begin", "whole"] = "begin"
    card: SkillCard | None = None
    sop: Sop | None = None
    plan: ToolPlan | None = None
    planner: ToolPlanner | None = None
    jobs: JobsPart | None = None
    document: DocumentPart | None = None

    @property
    def provided_paths(self) -> tuple[str, ...]:
        """Every path that it may fill: what it says it provides, and its output and card."""
        card = self.card
        decided = f"decisions.{card.decision}" if card and card.decision else ""
        chosen = card.field if card else ""
        kept = (self.jobs.results, self.jobs.summary) if self.jobs else ()
        made = self.document
        files = (made.file, made.markdown, made.name if made.writer else "") if made else ()
        nodes = self.sop.nodes.values() if self.sop else ()
        read = [name for node in nodes if node.reads for name in node.reads.fills]
        own = (*self.provides, *self.output_schema.paths)
        paths = (*own, decided, chosen, *kept, *files, *read)
        return tuple(dict.fromkeys(filter(None, paths)))

    @property
    def reviews(self) -> dict[Path, ReviewPolicy]:
        """Everything that it says of who decides, by where that stands in its file."""
        found: dict[Path, ReviewPolicy | None] = {}
        if self.sop:
            nodes = self.sop.nodes.items()
            found |= {("sop", "nodes", name, "review"): node.review for name, node in nodes}
        if self.planner:
            found["planner", "review"] = self.planner.review
        if self.card:
            found["card", "review"] = self.card.review
        if self.jobs:
            found["jobs", "review"] = self.jobs.review
        return {at: review for at, review in found.items() if review}

    @property
    def all_settings(self) -> tuple[dict[str, Setting], ...]:
        """Every set of fixed values that it may leave in the state."""
        found = [self.sets]
        if self.sop:
            found += [self.sop.sets(end) for end in self.sop.outcomes]
        if self.ask and self.ask.instead:
            found.append(self.ask.instead.sets)
        found += [part.on_error for part in (self.plan, self.planner, self.jobs) if part]
        return tuple(found)

    @property
    def changed_paths(self) -> frozenset[str]:
        """Every path that a run of it may change."""
        return frozenset(
            (*self.provided_paths, *(path for sets in self.all_settings for path in sets))
        )

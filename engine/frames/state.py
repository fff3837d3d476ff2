"""A run as it is stored (design §5; AgentState: spec 000 §1)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, field_serializer

from cards.frozen import Frozen
from cards.model import Decision, Lang, Principal
from cards.showing.view import ChartView
from cards.values import Value
from engine.dialogue import Dialogue
from engine.frames.case import CaseConflict, CaseLink
from engine.frames.job_graph import JobFrame, JobsFrame, JobWrite, LeaderFrame
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.replies import Part
from engine.playbooks.end_kinds import Ending, RunEnd
from engine.playbooks.nesting import nest
from engine.ports.model import ModelUsage
from engine.ports.systems.sync import Change, ChangeDecision
from engine.rules.names import CONTENTS
from engine.rules.operators import UnreadFile
from engine.rules.soft import SoftDialogue
from engine.text.entity_kinds import NamedEntity

RunStatus = Literal[
    "running", "suspended", "completed", "failed", "stopped", "cancelled", "blocked"
]
ENDED: frozenset[RunStatus] = frozenset({"completed", "failed", "stopped", "cancelled"})
Scalar = Value | None
Rows = tuple[dict[str, Scalar], ...]
LeafValue = Value | Rows


class Approval(Frozen):
    """What was approved, and by whom: the digest of what the card showed.

    At `until` it is too old for a write; None when it does not age. `schemas` are the digests of
    what systems took that may change it, by tool. `others` are the ids of those who approved it
    before, with their `other_names`.
    """

    by: str
    name: str
    digest: str
    others: tuple[str, ...] = ()
    other_names: tuple[str, ...] = ()
    until: datetime | None = None
    schemas: dict[str, str] = Field(default_factory=dict)

    @classmethod
    def of(cls, decision: Decision, digest: str, **more: Any) -> "Approval":
        """What the people approved who decided so."""
        *others, last = decision.deciders
        return cls(
            by=last.person,
            name=last.name,
            digest=digest,
            others=tuple(each.person for each in others),
            other_names=tuple(each.name for each in others),
            **more,
        )

    @property
    def ids(self) -> tuple[str, ...]:
        """Of all who approved it, the last one last."""
        return (*self.others, self.by)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all who approved it, the last one last."""
        return (*self.other_names, self.name)


class Attachment(Frozen):
    """A file of the run: its request names it, or it was shared while the run went on.

    `read` when it was read to its end, `tried` when a skill for files has had it, whatever came of
    that. `place` is the conversation in which it was shared, "" for the run's own.
    """

    name: str
    read: bool = False
    tried: bool = False
    place: str = ""


class AgentState(Frozen):
    """What a run knows. `problems` are the last check's findings, shown at the next question.

    `recent` is what was said before the request, `decided` what was decided then, and `chosen` what
    people have decided in the run since. `response` is what the last skill said, `written` names
    the writes that have been done, `edited` who changed at a review what stands at a path.
    `chart` is still to be shown, below what comes next. `endings` are how skills ended, by
    `phase/skill`, as far as that says how the run ends: not done, or with something to tell.
    `labels` are what people read for a value that a tool listed, by path.
    `contents` are those of files that a step's rules ask about, by path; they are never stored.
    """

    profile: dict[str, Scalar] = Field(default_factory=dict)
    decisions: dict[str, Scalar] = Field(default_factory=dict)
    data: dict[str, LeafValue] = Field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    recent: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    response: str = ""
    approvals: dict[str, Approval] = Field(default_factory=dict)
    problems: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    edited: dict[str, str] = Field(default_factory=dict)
    chart: ChartView | None = None
    endings: dict[str, Ending] = Field(default_factory=dict)
    labels: dict[str, dict[str, str]] = Field(default_factory=dict)
    contents: dict[str, str | UnreadFile] = Field(default_factory=dict, exclude=True)

    @property
    def files_elsewhere(self) -> tuple[tuple[str, str], ...]:
        """Its files of other conversations, each with its conversation."""
        return tuple((file.name, file.place) for file in self.attachments if file.place)

    @property
    def unseen_files(self) -> tuple[Attachment, ...]:
        """The attachments that no skill for files has had."""
        return tuple(file for file in self.attachments if not (file.read or file.tried))

    def tree(self) -> dict[str, Any]:
        """The state as conditions read it."""
        return {
            "profile": nest(self.profile),
            "decisions": self.decisions,
            "data": nest(self.data),
        }

    def rule_tree(self) -> dict[str, Any]:
        """The same with what files contain, for rules and nobody else."""
        return {**self.tree(), CONTENTS: self.contents}


class Patch(Frozen):
    """A change of the state, with who caused it. What is set to None is cleared.

    `read` names attachments that have been read to their end, `tried` those that a skill for files
    has had, `joined` files that are the run's from now on; `end` is the end of an SOP that was
    reached, and `violations` what its rules found, counted by rule; `edited` says who changed what
    stands at a path. `retry_after_s` is how long whatever failed is not worth asking again.
    `ending` is how the skill ended, None where that says nothing of how the run does. `labels` are
    what people read for its values that a tool listed, by path. `made` are a job's writes.
    """

    by: str
    profile: dict[str, Scalar] = Field(default_factory=dict)
    decisions: dict[str, Scalar] = Field(default_factory=dict)
    data: dict[str, LeafValue | None] = Field(default_factory=dict)
    approvals: dict[str, Approval] = Field(default_factory=dict)
    problems: tuple[str, ...] | None = None
    written: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    response: str | None = None
    end: str = ""
    edited: dict[str, str] = Field(default_factory=dict)
    chart: ChartView | None = None
    violations: dict[str, int] = Field(default_factory=dict)
    retry_after_s: float = 0.0
    ending: Ending | None = None
    labels: dict[str, dict[str, str]] = Field(default_factory=dict)
    made: tuple[JobWrite, ...] = ()

    @classmethod
    def from_paths(cls, by: str, paths: Mapping[str, Scalar], **more: Any) -> "Patch":
        """A patch from dotted paths as playbooks write them (`profile.x`, `decisions.x`)."""
        groups: dict[str, dict[str, Scalar]] = {"profile": {}, "decisions": {}}
        for path, value in paths.items():
            group, _, name = path.partition(".")
            groups[group][name] = value
        return cls(by=by, profile=groups["profile"], decisions=groups["decisions"], **more)

    def apply(self, state: AgentState) -> AgentState:
        """The state after this change; what is set anew is nobody's edit any more."""
        edited = {path: who for path, who in state.edited.items() if path not in self.paths}
        return AgentState(
            profile=_merge_values(state.profile, self.profile),
            decisions=_merge_values(state.decisions, self.decisions),
            data={n: v for n, v in {**state.data, **self.data}.items() if v is not None},
            attachments=self._attachments(state),
            recent=state.recent,
            decided=state.decided,
            chosen=state.chosen,
            response=state.response if self.response is None else self.response,
            approvals=self._approvals(state),
            problems=state.problems if self.problems is None else self.problems,
            written=state.written + self.written,
            edited=edited | self.edited,
            chart=self.chart or state.chart,
            endings=state.endings,
            labels={**state.labels, **self.labels},
        )

    def _approvals(self, state: AgentState) -> dict[str, Approval]:
        """Every approval, the latest last."""
        others = {n: each for n, each in state.approvals.items() if n not in self.approvals}
        return others | self.approvals

    def _attachments(self, state: AgentState) -> tuple[Attachment, ...]:
        known = {attachment.name for attachment in state.attachments}
        new = (Attachment(name=name) for name in dict.fromkeys(self.joined) if name not in known)
        return tuple(map(self._seen, (*state.attachments, *new)))

    def _seen(self, file: Attachment) -> Attachment:
        tried = file.tried or file.name in self.tried
        # Another skill may have read it before one for files has had its turn.
        read = file.read or (tried and file.name in self.read)
        return file.model_copy(update={"read": read, "tried": tried})

    @property
    def paths(self) -> dict[str, Any]:
        """What it changes, by path."""
        groups = (("profile.", self.profile), ("decisions.", self.decisions), ("", self.data))
        return {group + name: value for group, new in groups for name, value in new.items()}


def _merge_values(old: dict[str, Scalar], new: dict[str, Scalar]) -> dict[str, Scalar]:
    return {name: value for name, value in {**old, **new}.items() if value is not None}


class Question(Frozen):
    """What a model wants to know: the path that the answer goes to; with options, a choice."""

    field: str
    question: str = ""
    options: tuple[str, ...] = ()


class PlannerFrame(Frozen):
    """The planner's position: a phase. `announced` are phases whose phase_done card was shown.

    `seen` are digests of the states in which it chose a skill since somebody last answered (when
    `heard` answers had been given). With `force` it runs that skill alone. `choices` are the skills
    among which the requester is to choose; `waited` counts the waits for a model that is away.
    `chosen` is the skill that it chose last with the state's digest, as `skill@digest`; `ended` are
    those from which nothing came, since somebody last answered (when `ended_heard` answers had been
    given). `passed` are phases that the case had completed before the run began.
    """

    kind: Literal["planner"] = "planner"
    schema_version: Literal[1] = 1
    phase: str
    announced: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    heard: int = 0
    force: str = ""
    choices: tuple[str, ...] = ()
    waited: int = 0
    chosen: str = ""
    ended: tuple[str, ...] = ()
    ended_heard: int = 0
    passed: tuple[str, ...] = ()


class PromptFrame(Frozen):
    """A prompt skill's position: `asked` is the card it waits for, `fields` what it asks for."""

    kind: Literal["prompt"] = "prompt"
    schema_version: Literal[1] = 1
    skill: str
    asked: str = ""
    fields: tuple[str, ...] = ()


class FileReading(Frozen):
    """How far a file was read: `read_to` of `chars` characters, and whether that was all.

    `unreadable` where there is nothing to read, or nothing that can be.
    """

    read_to: int = 0
    chars: int = 0
    whole: bool = False
    unreadable: bool = False

    @property
    def is_over(self) -> bool:
        """Whether reading on would bring nothing."""
        return self.whole or self.unreadable


class ModelFrame(Dialogue):
    """A model's position in a prompt skill: its dialogue, and the card it waits for.

    `fields` are the paths that the card asks for, `questions` the model's own (a `select` has one),
    `feedback` is what the person wants changed. `finished` once its output is in the state.
    `by_hand` where a person fills it in. `reading` is how far it has read files, by name, and
    `reminded` how often it was told to read on.
    """

    kind: Literal["model"] = "model"
    schema_version: Literal[1] = 1
    skill: str
    asked: str = ""
    fields: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    select: bool = False
    feedback: str = ""
    response: str = ""
    finished: bool = False
    by_hand: bool = False
    reading: dict[str, FileReading] = Field(default_factory=dict)
    reminded: int = 0


class DocumentSection(Frozen):
    """A section of a document: its heading, what it is about, and its text once it is written."""

    heading: str
    about: str = ""
    text: str = ""


class DocumentFrame(Dialogue):
    """A document's position: its outline, the dialogue about the next section, its card.

    `title` is what the document is called, and `sections` are those of the outline, the first ones
    with their text; both are empty before there is an outline. `before` are those of the version
    that is corrected, once it `begun`. `unwritten` when it is made of its
    template's values alone. `fields` are the paths that the card asks for.
    """

    kind: Literal["document"] = "document"
    schema_version: Literal[1] = 1
    skill: str
    title: str = ""
    sections: tuple[DocumentSection, ...] = ()
    before: tuple[DocumentSection, ...] = ()
    begun: bool = False
    unwritten: bool = False
    asked: str = ""
    fields: tuple[str, ...] = ()


class SopFrame(Frozen):
    """An SOP's position: a node, the card it waits for, and what the checks found.

    `visits` counts how often each node was entered (the start once, while it is not in it), `soft`
    is the dialogue with the model while it judges a node's instruction, `approved_by` who approved
    last: rules that only check what was approved end the SOP in their name. `shown_schemas` are the
    digests of what systems took that may change it, when the card was shown.

    Over records: the members that are `left` of `of`, None before it began, how many records were
    `checked` and how much was `found`, of which `findings` lists the first. `violations` counts by
    rule what rules found.
    """

    kind: Literal["sop"] = "sop"
    schema_version: Literal[1] = 1
    skill: str
    node: str
    asked: str = ""
    shown_digest: str = ""
    shown_schemas: dict[str, str] = Field(default_factory=dict)
    problems: tuple[str, ...] = ()
    left: tuple[str, ...] | None = None
    of: int = 0
    checked: int = 0
    found: int = 0
    findings: Rows = ()
    summary: Rows = ()
    violations: dict[str, int] = Field(default_factory=dict)
    visits: dict[str, int] = Field(default_factory=dict)
    soft: SoftDialogue | None = None
    approved_by: str = ""


class BatchFrame(Frozen):
    """An SOP over many records: those that are `left` of `of`, and a row for each that has ended.

    `left` is None before it began. `violations` counts by rule what rules found in all of them.
    """

    kind: Literal["batch"] = "batch"
    schema_version: Literal[1] = 1
    skill: str
    left: tuple[str, ...] | None = None
    of: int = 0
    rows: Rows = ()
    violations: dict[str, int] = Field(default_factory=dict)


class ToolPlanFrame(Frozen):
    """A tool plan's position: the next call; `started` once its intent is recorded.

    `lost` says why nobody knows whether it has happened, while the card `asked` asks people.
    `told` is what the calls so far gave, where their tools have words for it.
    `changed` is the tool that takes something else than what was approved. `away` says why the
    call could not be made, while the card `asked` asks when to try again, or while it waits for
    the next of the tries by itself, of which `tried` have been begun.
    """

    kind: Literal["tool_plan"] = "tool_plan"
    schema_version: Literal[1] = 1
    skill: str
    position: int = 0
    started: bool = False
    asked: str = ""
    lost: str = ""
    told: tuple[str, ...] = ()
    changed: str = ""
    away: str = ""
    tried: int = 0


class CaseFrame(Frozen):
    """The requester decides on what somebody else changed meanwhile, one path after the other.

    `asked` is the card it waits for; `held` is what the frame below is to have of its own child.
    `remarks` are to be told of those that nobody decided.
    """

    kind: Literal["case"] = "case"
    schema_version: Literal[1] = 1
    conflicts: tuple[CaseConflict, ...]
    asked: str = ""
    held: Patch | None = None
    remarks: tuple[str, ...] = ()


Frame = Annotated[
    PlannerFrame
    | PromptFrame
    | ModelFrame
    | SopFrame
    | BatchFrame
    | ToolPlanFrame
    | LlmPlanFrame
    | JobsFrame
    | LeaderFrame
    | JobFrame
    | CaseFrame
    | DocumentFrame,
    Field(discriminator="kind"),
]


def position_of(frame: Frame) -> str:
    """Where a frame is, as `kind:name`."""
    match frame:
        case PlannerFrame(phase=phase):
            return f"planner:{phase}"
        case SopFrame(skill=skill, node=node):
            return f"sop:{skill}/{node}"
        case JobFrame(skill=skill, brief=brief) | LeaderFrame(skill=skill, brief=brief):
            return f"{frame.kind}:{skill}/{brief.job.id}"
        case LlmPlanFrame(skill=skill, steps=steps) if steps:
            return f"llm_plan:{skill}/{steps[0].number}"
        case DocumentFrame(skill=skill, sections=sections):
            written = sum(bool(section.text) for section in sections)
            return f"document:{skill}/{written}"
        case CaseFrame(conflicts=conflicts):
            return f"case:{conflicts[0].path if conflicts else ''}"
        case _:
            return f"{frame.kind}:{frame.skill}"


class Run(Frozen):
    """One execution of a playbook. `waiting` are the cards that it is suspended on.

    `text` is the piece of `message` that asked for it. `result` is what a finished frame left for
    the one below; `wakes` are parts of its reply that wait for its end; `slot` lets its first card
    stand inside the reply's own message. `request` is the playbook's request that was asked for.
    `heard` counts answers of people. `outgoing` are changes that the system of record has not taken
    yet, the oldest first; `changes` counts all, `sent` has a digest of what each field was last.
    `decided` are decisions that the next change tells. `finished` once nothing is left to do, but
    for those. A child run has a `parent`, and a `key` among its siblings; `children` are the ids of
    those that have not ended, by key. `prompted`
    counts the steps that children and timers caused; of the others, those up to `counted_from` were
    before somebody last had a say. `used` is what it had of the model since it began, or since an
    operator last let it go on. `found_in` is the project in which findings of its checks stand, ""
    without any. `end` is how it ended: see `ends.end_of`. `thread` is the place inside the
    conversation where it was asked for, "" for none. `named` is what the message named when it was
    read, None where that was not kept. `case` is its side of the case whose state it shares, None
    for a state of its own. `project` is the one that it belongs to for good, whatever
    becomes of its conversation; "" for none, and where an earlier version did not keep it.
    `ends_to` is where its end is sent, "" where its playbook wants none sent.
    """

    schema_version: Literal[1] = 1
    id: str
    playbook: str
    digest: str
    request: str = ""
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
    state: AgentState = Field(default_factory=AgentState)
    result: Patch | None = None
    waiting: tuple[str, ...] = ()
    steps: int = 0
    heard: int = 0
    outgoing: tuple[Change, ...] = ()
    changes: int = 0
    decided: tuple[ChangeDecision, ...] = ()
    sent: dict[str, str] = Field(default_factory=dict)
    finished: bool = False
    parent: str = ""
    key: str = ""
    children: dict[str, str] = Field(default_factory=dict)
    prompted: int = 0
    counted_from: int = 0
    used: ModelUsage = ModelUsage()
    found_in: str = ""
    end: RunEnd | None = None
    thread: str = ""
    named: tuple[NamedEntity, ...] | None = None
    case: CaseLink | None = None
    project: str = ""
    ends_to: str = ""
    started_at: datetime

    @property
    def place(self) -> str:
        """Where what it says is shown."""
        return self.thread or self.conversation

    @property
    def own_steps(self) -> int:
        """The steps that neither a child nor a timer caused."""
        return self.steps - self.prompted

    @field_serializer("frames")
    def _whole(self, frames: tuple[Frame, ...]) -> list[dict[str, Any]]:
        # A frame is known by its kind, which is a default.
        return [
            {
                "kind": frame.kind,
                "schema_version": frame.schema_version,
                **frame.model_dump(mode="json", exclude_defaults=True),
            }
            for frame in frames
        ]

"""A goal, its jobs and how far each is (spec 002 §2), and the positions of runs in such a graph."""

import json
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, field_serializer, field_validator

from cards.frozen import Frozen
from engine.dialogue import Dialogue
from engine.playbooks.job_graph import Expert
from engine.ports.model import ModelUsage

JobStatus = Literal["created", "running", "finished", "failed", "stopped"]
Verdict = Literal["SUCCESS", "EXECUTION_ERROR", "INPUT_DATA_ERROR", "JOB_TOO_COMPLICATED_ERROR"]
"""What an expert says of a job (spec 002 §4)."""
DECOMPOSED = "DECOMPOSED"
UNUSABLE = "UNUSABLE"
"""Beside the verdicts: the Leader's jobs are the result; trying again would be no use."""
Seen = Literal["", "waiting", "blocked"]
JobState = Literal[JobStatus, "planning", "again", "waiting", "blocked"]
"""How far a job is, for people: its status, or more exactly what it waits for."""
ROOT = "goal"
"""The id of the job that is the whole goal, until the Leader has decomposed it."""
RESULT_CHARS = 8000
LESSON_CHARS = 1000
MAX_LESSONS = 5


class PlannedJob(Frozen):
    """A job as the Leader plans it (JOB_DECOMPOSITION_OUTPUT_SCHEMA, spec 002 §2)."""

    id: str = Field(max_length=40, pattern=r"^[\w-]+$")
    goal: str = Field(pattern=r"\S", max_length=1000)
    context: str = Field(max_length=4000)
    completion_criteria: str = Field(pattern=r"\S", max_length=1000)
    dependencies: tuple[str, ...] = ()
    assigned_expert: str
    thinking: str = Field(pattern=r"\S", max_length=2000)


class ProposedCall(Frozen):
    """A write that an expert wants: a tool and its arguments, which a model may send as text."""

    tool: str
    arguments: dict[str, Any]

    @field_validator("arguments", mode="before")
    @classmethod
    def _from_text(cls, given: Any) -> Any:
        return json.loads(given) if isinstance(given, str) else given


class JobWrite(Frozen):
    """A write that has been made for a job: its tool, the call's digest, and how it is told."""

    tool: str
    call: str
    told: str = ""


class Job(Frozen):
    """A job, how far it is, and what came of it.

    `attempt` counts how often it was begun, `errors` and `sent_back` its EXECUTION_ERRORs and
    INPUT_DATA_ERRORs. `leading`: the Leader has it next, to decompose it. It is not begun again
    before `not_before`. `inside` is the job that it was part of. `seen`: its child run waits for a
    person, or is blocked. `old_result` is what it found before it was asked again, `made` what was
    written for it, in whichever attempt.
    """

    id: str
    goal: str
    context: str = ""
    completion_criteria: str = ""
    dependencies: tuple[str, ...] = ()
    assigned_expert: str = ""
    thinking: str = ""
    status: JobStatus = "created"
    life_cycle: int = 0
    leading: bool = False
    attempt: int = 0
    errors: int = 0
    sent_back: int = 0
    lessons: tuple[str, ...] = ()
    not_before: datetime | None = None
    result: str = ""
    error: str = ""
    inside: str = ""
    seen: Seen = ""
    old_result: str = ""
    made: tuple[JobWrite, ...] = ()

    @property
    def key(self) -> str:
        """The name of its child run; another attempt has another name."""
        return f"{self.id}#{self.attempt}"


class JobGraph(Frozen):
    """Jobs whose dependencies form no circle. `decomposed` are those that others took the place of.

    `error` is why it failed or was stopped; `feedback` what people want of it beside the goal.
    `experts` are those that the Leader has made for it.
    """

    status: JobStatus = "created"
    jobs: tuple[Job, ...]
    decomposed: tuple[Job, ...] = ()
    error: str = ""
    feedback: tuple[str, ...] = ()
    experts: tuple[Expert, ...] = ()

    def job(self, name: str) -> Job | None:
        """The job of that id."""
        return next((job for job in self.jobs if job.id == name), None)

    def inputs(self, job: Job) -> tuple[Job, ...]:
        """The jobs whose results it needs, in order."""
        if not job.dependencies:
            return ()
        return tuple(each for each in self.jobs if each.id in job.dependencies)


def new_graph(goal: str, *, life_cycle: int, expert: str = "") -> JobGraph:
    """A graph of one job: the whole goal, for the Leader to decompose, or for a preset expert."""
    root = Job(
        id=ROOT, goal=goal, life_cycle=life_cycle, assigned_expert=expert, leading=not expert
    )
    return JobGraph(jobs=(root,))


class JobsFrame(Frozen):
    """A job graph and how far it is; None before it began. `asked` is the card it waits for.

    `used` is what its jobs had of the model since it began, or since somebody let it go on.
    """

    kind: Literal["jobs"] = "jobs"
    schema_version: Literal[1] = 1
    skill: str
    graph: JobGraph | None = None
    asked: str = ""
    used: ModelUsage = ModelUsage()

    @field_serializer("graph")
    def _short(self, graph: JobGraph | None) -> dict[str, Any] | None:
        # Most of what a job can say is as by default, and a graph is written at every step.
        return graph.model_dump(mode="json", exclude_defaults=True) if graph else None


class Brief(Frozen):
    """What a job is begun with: the job, the whole goal, what its predecessors found, feedback.

    `others` are the goals of the other jobs, `room` how many jobs may take its place, `experts`
    those that the Leader has made before. `called` are the tools that other jobs wrote with.
    """

    job: Job
    goal: str
    inputs: tuple[tuple[str, str], ...] = ()
    feedback: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    room: int = 0
    experts: tuple[Expert, ...] = ()
    called: tuple[str, ...] = Field(default=(), exclude_if=lambda called: not called)


class LeaderFrame(Dialogue):
    """The Leader decomposes a job in a dialogue."""

    kind: Literal["leader"] = "leader"
    schema_version: Literal[1] = 1
    skill: str
    brief: Brief


class JobFrame(Dialogue):
    """An expert carries out a job: in a dialogue, or with its skill.

    `question` is the one of its questions that a person is to answer now. `writes` are the calls
    that it wants to be made now, `proposals` counts how often it wanted some, `made` are those that
    were made.
    """

    kind: Literal["job"] = "job"
    schema_version: Literal[1] = 1
    skill: str
    brief: Brief
    question: str = ""
    writes: tuple[ProposedCall, ...] = ()
    proposals: int = 0
    made: tuple[JobWrite, ...] = ()
    pushed: bool = Field(default=False, exclude=True)
    """Earlier versions stored it; nobody asks for it, and it is not stored again."""

"""Positions of a job graph: of the graph itself, and of the child runs that carry it out."""

from typing import Any, Literal

from pydantic import field_serializer

from cards.frozen import Frozen
from engine.frames.job_graph import Job, JobGraph
from engine.ports.model import Message, ModelUsage


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

    `others` are the goals of the other jobs, `room` how many jobs may take its place.
    """

    job: Job
    goal: str
    inputs: tuple[tuple[str, str], ...] = ()
    feedback: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    room: int = 0


class LeaderFrame(Frozen):
    """The Leader decomposes a job: what was said so far, and how many answers were sent back."""

    kind: Literal["leader"] = "leader"
    schema_version: Literal[1] = 1
    skill: str
    brief: Brief
    messages: tuple[Message, ...] = ()
    faulty: int = 0


class JobFrame(Frozen):
    """An expert carries out a job: the dialogue, or `pushed` once its skill was begun.

    `calls` counts tool calls, `faulty` answers that were sent back, `asked_times` its questions, of
    which `question` is the one that a person is to answer now.
    """

    kind: Literal["job"] = "job"
    schema_version: Literal[1] = 1
    skill: str
    brief: Brief
    messages: tuple[Message, ...] = ()
    faulty: int = 0
    calls: int = 0
    question: str = ""
    asked_times: int = 0
    pushed: bool = False

"""Positions of a job graph: of the graph itself, and of the child runs that carry it out."""

from typing import Any, Literal

from pydantic import Field, field_serializer

from cards.frozen import Frozen
from engine.dialogue import Dialogue
from engine.frames.job_graph import Job, JobGraph
from engine.ports.model import ModelUsage


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


class LeaderFrame(Dialogue):
    """The Leader decomposes a job in a dialogue."""

    kind: Literal["leader"] = "leader"
    schema_version: Literal[1] = 1
    skill: str
    brief: Brief


class JobFrame(Dialogue):
    """An expert carries out a job: in a dialogue, or with its skill.

    `question` is the one of its questions that a person is to answer now.
    """

    kind: Literal["job"] = "job"
    schema_version: Literal[1] = 1
    skill: str
    brief: Brief
    question: str = ""
    pushed: bool = Field(default=False, exclude=True)
    """Earlier versions stored it; nobody asks for it, and it is not stored again."""

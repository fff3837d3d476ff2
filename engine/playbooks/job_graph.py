"""What the `jobs:` part of a skill may say: its goal, its experts, its limits (spec 002)."""

from collections.abc import Iterable

from pydantic import Field

from cards.frozen import Frozen
from engine.playbooks.review import ReviewPolicy
from engine.ports.model import ModelBudget
from engine.rules.call_rules import CallRule
from engine.text.language import LocalizedText

LEADER = "leader"
"""Nobody else may have this name: the Leader decomposes, and is no expert."""


class Expert(Frozen):
    """Somebody who carries out jobs: a model that answers as the profile says, or a skill.

    The model has `tools`. It calls those that read; what it wants to write with the others is
    approved by whom the graph's `review` names. `retry_count` is how often a job is tried again
    after an EXECUTION_ERROR.
    """

    name: str = Field(max_length=40, pattern=r"^[\w-]+$")
    profile: str = Field(pattern=r"\S")
    skill: str = ""
    tools: tuple[str, ...] = ()
    retry_count: int = Field(default=2, ge=0, le=10)


class MadeExperts(Frozen):
    """Lets the Leader make experts of its own: at most `most` in a graph, out of these `tools`."""

    tools: tuple[str, ...] = Field(min_length=1)
    most: int = Field(default=3, ge=1, le=10)
    retry_count: int = Field(default=2, ge=0, le=10)


class JobsPart(Frozen):
    """A job graph (spec 002). `goal` may name data leaves as `$name`; else the request is it.

    A preset `expert` has the whole goal, undecomposed; `$leaf` is the one whom the request names
    there, if it names one. With `made_experts` the Leader adds to the team. Whoever `review` names
    approves each write of an expert before it runs; all writes of the graph keep the `rules`. A job
    that is too complicated is decomposed as often as `life_cycle` says, which the first
    decomposition counts for. `budget` is what the jobs together may use of the model before the
    requester is asked whether the graph goes on; without one the settings say so. `results` is a
    list leaf that takes a row for each job (job, expert, result), `summary` a text leaf that takes
    the results which no other job used. `on_error` is what a graph that fails leaves in the state,
    with its reason; without it the requester is asked whether it goes on.
    """

    goal: LocalizedText | None = None
    experts: tuple[Expert, ...] = ()
    expert: str = ""
    life_cycle: int = Field(default=3, ge=1, le=5)
    concurrency: int = Field(default=4, ge=1, le=20)
    max_jobs: int = Field(default=20, ge=1, le=1000)
    retry_after_s: float = Field(default=2.0, ge=0, le=300)
    budget: ModelBudget | None = None
    review: ReviewPolicy | None = Field(default=None, exclude_if=lambda review: review is None)
    rules: tuple[CallRule, ...] = Field(default=(), exclude_if=lambda rules: not rules)
    made_experts: MadeExperts | None = Field(default=None, exclude_if=lambda made: made is None)
    results: str = ""
    summary: str = ""
    on_error: dict[str, str | bool | int | None] = {}

    @property
    def all_tools(self) -> tuple[str, ...]:
        """Every tool that an expert may have."""
        named = [name for expert in self.experts for name in expert.tools]
        named += self.made_experts.tools if self.made_experts else ()
        return tuple(dict.fromkeys(named))


def find_expert(team: Iterable[Expert], name: str) -> Expert | None:
    """The expert of that name."""
    return next((expert for expert in team if expert.name == name), None)

"""The strategy chain: the first that is sure decides, and says why (spec 000 §3, 003)."""

from dataclasses import dataclass

from engine.planner.llm_planner import llm_planner
from engine.planner.situation import Plan, Situation, Strategy
from engine.planner.strategies import (
    deterministic,
    file_preprocess,
    force_skill,
    no_available_skills,
    phase_complete,
    priority_rules,
    query_mode,
)

STRATEGIES: tuple[tuple[str, Strategy], ...] = (
    ("force_skill", force_skill),
    ("file_preprocess", file_preprocess),
    ("priority_rules", priority_rules),
    ("query_mode", query_mode),
    ("phase_complete", phase_complete),
    ("deterministic", deterministic),
    ("llm_planner", llm_planner),
    ("no_available_skills", no_available_skills),
)
"""In order, by the names that runs keep in their logs and that replays compare."""


@dataclass(frozen=True, slots=True)
class PlannerDecision:
    """The plan, and the strategy that made it.

    `refused` are plans of earlier strategies, for skills that query mode forbids.
    """

    strategy: str
    plan: Plan
    refused: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """The decision's reason, for the audit."""
        refusals = "".join(f"; refused {refusal}" for refusal in self.refused)
        return f"{self.strategy}: {self.plan.why}{refusals}"


async def decide(situation: Situation) -> PlannerDecision:
    """The first sure strategy's plan; the last is always sure."""
    refused: list[str] = []
    for name, strategy in STRATEGIES:
        plan = await strategy(situation)
        if plan is None:
            continue
        calls = plan.action == "call_skill"
        if situation.query and calls and not situation.is_available(plan.target):
            cause = situation.why_unavailable(plan.target)
            refused.append(f"{name}'s {plan.target} ({cause})")
            continue
        return PlannerDecision(name, plan, tuple(refused))
    raise AssertionError("no_available_skills always decides")

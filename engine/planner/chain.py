"""The strategy chain: the first that is sure decides, and says why (spec 000 §3, 003)."""

from dataclasses import dataclass

from engine.planner.deterministic import deterministic
from engine.planner.file_preprocess import file_preprocess
from engine.planner.force_skill import force_skill
from engine.planner.llm_planner import llm_planner
from engine.planner.no_available_skills import no_available_skills
from engine.planner.phase_complete import phase_complete
from engine.planner.priority_rules import priority_rules
from engine.planner.query_mode import query_mode
from engine.planner.situation import Plan, Situation, Strategy

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
class Decided:
    """Which strategy decided what; `refused` are picks of earlier ones that query mode forbids."""

    strategy: str
    plan: Plan
    refused: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """The decision's reason, for the audit."""
        told = "".join(f"; refused {each}" for each in self.refused)
        return f"{self.strategy}: {self.plan.why}{told}"


async def decide(now: Situation) -> Decided:
    """The first sure strategy's plan; the last is always sure."""
    allowed = {skill.id for skill in now.available}
    refused: list[str] = []
    for name, strategy in STRATEGIES:
        plan = await strategy(now)
        if plan is None:
            continue
        if now.query and plan.action == "call_skill" and plan.target not in allowed:
            bars = now.bars(plan.target)
            refused.append(f"{name}'s {plan.target} ({bars})")
            continue
        return Decided(name, plan, tuple(refused))
    raise AssertionError("no_available_skills always decides")

"""The strategy chain: the first that is sure decides, and says why (spec 000 §3)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engine.conditions import explain, holds
from engine.frames.state import AgentState
from engine.planner.phases import PhaseManager
from engine.playbooks.model import Phase, Playbook, Skill


@dataclass(frozen=True, slots=True)
class Plan:
    """A decision: run `target` (a skill), go to `target` (a phase), finish, or be stuck."""

    action: Literal["call_skill", "replan", "finish", "stuck"]
    target: str
    why: str


@dataclass(frozen=True, slots=True)
class Situation:
    """What a strategy looks at: the playbook, the current phase, the state, what may run."""

    playbook: Playbook
    phase: Phase
    state: AgentState
    available: tuple[Skill, ...]


Strategy = Callable[[Situation], Plan | None]


def available_skills(playbook: Playbook, phase: Phase, state: AgentState) -> tuple[Skill, ...]:
    """The skills that the phase (or else the playbook) allows and that can run now (000 §2)."""
    allowed = phase.allowed_skills or playbook.definition.allowed_skills
    skills = (playbook.skills[name] for name in allowed)
    return tuple(
        skill
        for skill in skills
        if not skill.internal and all(holds(c, state.tree()) for c in skill.requires)
    )


def priority_rules(now: Situation) -> Plan | None:
    """A configured rule that holds names the skill; the playbook's rules go first (000 §3.2)."""
    runnable = {skill.id for skill in now.available}
    for rule in (*now.playbook.definition.priority_rules, *now.phase.priority_rules):
        if not holds(rule.when, now.state.tree()):
            continue
        why = f"priority rule: {rule.when.field} {rule.when.check}"
        if rule.skill not in runnable:
            return Plan(
                "stuck", rule.skill, f"{why}, but {rule.skill} cannot run: {_bars(now, rule.skill)}"
            )
        return Plan("call_skill", rule.skill, why)
    return None


def _bars(now: Situation, name: str) -> str:
    skill = now.playbook.skills[name]
    unmet = [explain(c, now.state.tree()) for c in skill.requires if not holds(c, now.state.tree())]
    return "; ".join(unmet) or "it is not among allowed_skills"


def phase_complete(now: Situation) -> Plan | None:
    """Go to the first phase that is open, which may lie behind; finish when none is (000 §3.4)."""
    first = PhaseManager(now.playbook).first_open(now.state)
    if first is None:
        return Plan("finish", "", "every phase is complete")
    if first.id == now.phase.id:
        return None
    return Plan("replan", first.id, f"{first.id} is the first phase that is not complete")


def deterministic(now: Situation) -> Plan | None:
    """The one skill that covers most of what the phase misses (000 §3.5)."""
    missing = set(PhaseManager(now.playbook).missing(now.phase, now.state))
    if len(now.available) == 1:
        only = now.available[0]
        return Plan(
            "call_skill", only.id, f"the only skill that can run; missing {sorted(missing)}"
        )
    covers = sorted(((len(missing & set(s.provides)), s.id) for s in now.available), reverse=True)
    if not covers or covers[0][0] == 0 or (len(covers) > 1 and covers[0][0] == covers[1][0]):
        return None
    return Plan("call_skill", covers[0][1], f"covers {covers[0][0]} of missing {sorted(missing)}")


def no_available_skills(now: Situation) -> Plan | None:
    """Nothing was sure: the run stops and says so (000 §3.7)."""
    names = ", ".join(skill.id for skill in now.available) or "none"
    return Plan("stuck", "", f"no strategy was sure; skills that can run: {names}")


STRATEGIES: tuple[Strategy, ...] = (
    priority_rules,
    phase_complete,
    deterministic,
    no_available_skills,
)


def decide(playbook: Playbook, phase: Phase, state: AgentState) -> tuple[str, Plan]:
    """The first sure strategy's name and plan; the last is always sure."""
    now = Situation(playbook, phase, state, available_skills(playbook, phase, state))
    for strategy in STRATEGIES:
        plan = strategy(now)
        if plan is not None:
            return strategy.__name__, plan
    raise AssertionError("no_available_skills always decides")

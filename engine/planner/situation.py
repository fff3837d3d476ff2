"""What a strategy of the planner sees, and what it may decide (spec 000 §1-3)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from cards.model import Lang
from engine.frames.state import AgentState
from engine.planner.phases import PhaseManager
from engine.playbooks.conditions import explain, holds
from engine.playbooks.model import Phase, Playbook
from engine.playbooks.skill import FILES, RETRIEVAL, Skill
from engine.ports.model import Model


@dataclass(frozen=True, slots=True)
class Plan:
    """What the planner does next, and why.

    `call_skill` runs the skill `target`, `replan` goes to the phase `target`, `finish` ends the
    planner. `choose` lets the requester choose among the skills that can run, `wait` decides again
    after `after_s` seconds, `respond` tells people what is missing. `stuck` is an error in the
    playbook, which `why` names. `limited` tells whose limit of a day the wait is for, if any.
    """

    action: Literal["call_skill", "replan", "finish", "choose", "wait", "respond", "stuck"]
    target: str
    why: str
    after_s: float = 0.0
    limited: str = ""


@dataclass(frozen=True, slots=True)
class SkillAvailability:
    """Whether a skill may be chosen now, and why."""

    skill: Skill
    available: bool
    why: str


@dataclass(frozen=True, slots=True)
class Situation:
    """The playbook's request, the current phase, the state, and what may run.

    `query` while a question about the run is answered, which is the `question`; `force` names a
    skill that the caller wants.
    `waited` counts how often the model was away at this decision, and `material` are the lines of
    a prompt that say who asked for what, after what, and what is known.
    """

    playbook: Playbook
    request: str
    phase: Phase
    state: AgentState
    skills: tuple[SkillAvailability, ...]
    query: bool = False
    question: str = ""
    force: str = ""
    model: Model | None = None
    lang: Lang = "en"
    waited: int = 0
    material: Sequence[str] = ()

    @property
    def available(self) -> tuple[Skill, ...]:
        """The skills that may be chosen."""
        return tuple(checked.skill for checked in self.skills if checked.available)

    @property
    def missing(self) -> tuple[str, ...]:
        """The paths that the phase misses."""
        return PhaseManager(self.playbook, self.request).missing(self.phase, self.state)

    def is_available(self, name: str) -> bool:
        """Whether the skill of that name may be chosen."""
        return any(skill.id == name for skill in self.available)

    def why_unavailable(self, name: str) -> str:
        """Why the skill of that name may not be chosen."""
        return next((s.why for s in self.skills if s.skill.id == name), "there is no such skill")


Strategy = Callable[[Situation], Awaitable[Plan | None]]


def check_availability(
    playbook: Playbook, phase: Phase, state: AgentState, *, query: bool = False, force: str = ""
) -> tuple[SkillAvailability, ...]:
    """Each skill of the playbook: whether it may be chosen in this phase, and why (000 §2)."""
    tree = state.rule_tree()
    return tuple(
        _if_met(skill, tree, *_check(skill, playbook, phase, state, query=query, force=force))
        for skill in playbook.skills.values()
    )


def _if_met(skill: Skill, tree: Mapping[str, Any], allowed: bool, why: str) -> SkillAvailability:
    unmet = [explain(c, tree) for c in skill.requires if not holds(c, tree)] if allowed else []
    return SkillAvailability(skill, allowed and not unmet, "; ".join(unmet) or why)


def _check(
    skill: Skill, playbook: Playbook, phase: Phase, state: AgentState, *, query: bool, force: str
) -> tuple[bool, str]:
    names, where = playbook.definition.allowed_skills, "the playbook"
    if phase.allowed_skills and not query:
        names, where = phase.allowed_skills, f"phase {phase.id}"
    # Over the API a skill is asked for by name, whatever phase the state is in.
    named = force == skill.id
    # Files that come while the run goes on are read in whatever phase that is.
    reads_files = skill.category == FILES and bool(state.unseen_files)
    if skill.id not in names and not (
        (named or reads_files) and not query and skill.id in _allowed_anywhere(playbook)
    ):
        return False, f"{where} does not allow it"
    if skill.internal:
        return False, "it is internal"
    if skill.api_call_only and not named:
        return False, "it runs only when the API asks for it"
    if query and skill.category != RETRIEVAL:
        return False, "only retrieval skills answer questions"
    if not query and not named and skill.category == RETRIEVAL:
        return False, "it answers questions"
    return True, f"{where} allows it"


def _allowed_anywhere(playbook: Playbook) -> set[str]:
    definition = playbook.definition
    phases = (name for phase in definition.phases for name in phase.allowed_skills)
    return {*definition.allowed_skills, *phases}

"""PhaseManager: gates, checkpoints, missing goals (spec 000 §4)."""

import json
from functools import lru_cache

from engine.frames.state import AgentState
from engine.playbooks.conditions import Condition, holds
from engine.playbooks.model import Phase, Playbook


class PhaseManager:
    """Answers which phases of a request are complete and what they still miss."""

    def __init__(self, playbook: Playbook, request: str = "") -> None:
        self.phases = playbook.definition.phases_of(request)

    def first_open(self, state: AgentState) -> Phase | None:
        """The first phase that is not complete; None when all are."""
        tree = state.tree()
        for phase in self.phases:
            for goal in goals(phase):
                if not holds(goal, tree):
                    return phase
        return None

    def missing(self, phase: Phase, state: AgentState) -> tuple[str, ...]:
        """The paths of a phase that do not hold yet: its checkpoints, then its gate."""
        tree = state.tree()
        return tuple(c.field for c in goals(phase) if not holds(c, tree))


def goals(phase: Phase) -> tuple[Condition, ...]:
    """What must hold for a phase to be complete."""
    return _goals(phase.checkpoints, phase.gate_field, phase.gate_check, phase.gate_value)


# Asked for every phase at every decision; typed, since true is not 1.
@lru_cache(maxsize=4096, typed=True)
def _goals(
    checkpoints: tuple[str, ...], field: str, check: str, value: str | int | bool | None
) -> tuple[Condition, ...]:
    wanted = [Condition(field=path, check="not_empty") for path in checkpoints]
    if field:
        check = check or f"equals:{json.dumps(value, ensure_ascii=False)}"
        wanted.append(Condition(field=field, check=check))
    return tuple(wanted)

"""Query mode: what a run can say of itself; nothing of it changes (spec 000 §3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from cards.markdown import literal
from cards.model import Card
from engine.frames.state import PlannerFrame, Run
from engine.planner.phases import PhaseManager
from engine.playbooks.model import Playbook


@dataclass(frozen=True, slots=True)
class QueryPosition:
    """Where a run is, what it misses, and what it waits for: (card title, who); all Markdown."""

    phase: str
    goal: str
    missing: tuple[str, ...]
    waits_for: tuple[tuple[str, str], ...]


def standing(run: Run, playbook: Playbook, cards: Sequence[Card]) -> QueryPosition:
    """How the run stands, in its own language; `cards` are those that it has open."""
    first = next(frame for frame in run.frames if isinstance(frame, PlannerFrame))
    phase = playbook.phase(first.phase)
    leaves = [
        playbook.definition.leaf(path)
        for path in PhaseManager(playbook, run.request).missing(phase, run.state)
    ]
    return QueryPosition(
        phase=literal(phase.name(run.lang)),
        goal=literal(phase.goal(run.lang)),
        missing=tuple(literal(leaf.label(run.lang)) for leaf in leaves if leaf),
        waits_for=tuple((literal(c.title), literal(c.waiting_for)) for c in cards),
    )

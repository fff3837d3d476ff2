"""Query mode: what a run can say about itself; nothing of it changes (spec 000 §3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from cards.markdown import literal
from cards.model import Card
from engine.frames.outcome import FrameEntered, Next, StepContext
from engine.frames.state import ModelFrame, PlannerFrame, Run
from engine.planner.chain import PlannerDecision, decide
from engine.planner.phases import PhaseManager
from engine.planner.situation import Situation, check_availability
from engine.playbooks.model import Phase, Playbook
from engine.services import Services
from engine.skills import model_skill

MAX_STEPS = 20


@dataclass(frozen=True, slots=True)
class QueryPosition:
    """Where a run is, what it misses, and what it waits for: (card title, who); all Markdown."""

    phase: str
    goal: str
    missing: tuple[str, ...]
    waits_for: tuple[tuple[str, str], ...]


def query_position(run: Run, playbook: Playbook, cards: Sequence[Card]) -> QueryPosition:
    """The run's position, in its own language; `cards` are those that it has open."""
    phase = _phase(run, playbook)
    missing = PhaseManager(playbook, run.request).missing(phase, run.state)
    leaves = [playbook.definition.leaf(path) for path in missing]
    return QueryPosition(
        phase=literal(phase.name(run.lang)),
        goal=literal(phase.goal(run.lang)),
        missing=tuple(literal(leaf.label(run.lang)) for leaf in leaves if leaf),
        waits_for=tuple((literal(c.title), literal(c.waiting_for)) for c in cards),
    )


async def decide_query(run: Run, playbook: Playbook, question: str = "") -> PlannerDecision:
    """What the run's planner decides in query mode."""
    phase = _phase(run, playbook)
    skills = check_availability(playbook, phase, run.state, query=True)
    return await decide(
        Situation(
            playbook,
            run.request,
            phase,
            run.state,
            skills,
            query=True,
            question=question,
            lang=run.lang,
        )
    )


async def answer_query(run: Run, playbook: Playbook, question: str, services: Services) -> str:
    """What a retrieval skill finds out (Markdown); "" when none can run or it has no answer."""
    decision = await decide_query(run, playbook, question)
    if decision.plan.action != "call_skill" or services.model is None:
        return ""
    frame = ModelFrame(skill=decision.plan.target)
    # A copy that is stored nowhere: whatever the skill leaves in it is gone with it.
    copy = run.model_copy(update={"message": question, "text": question, "frames": (frame,)})
    for _ in range(MAX_STEPS):
        advanced = await model_skill.advance(
            frame, FrameEntered(), StepContext(copy, playbook, services)
        )
        if not isinstance(advanced, Next) or not isinstance(advanced.frame, ModelFrame):
            return ""
        frame = advanced.frame
        if frame.finished or frame.questions:
            return frame.response
    return ""


def _phase(run: Run, playbook: Playbook) -> Phase:
    planner = next(frame for frame in run.frames if isinstance(frame, PlannerFrame))
    return playbook.phase(planner.phase)

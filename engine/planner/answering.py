"""A question about a run, answered by a retrieval skill; nothing of the run changes (000 §3.3)."""

from engine.frames.outcome import FrameEntered, Next, StepContext
from engine.frames.state import ModelFrame, PlannerFrame, Run
from engine.planner.chain import Decided, decide
from engine.planner.situation import Situation, availability
from engine.playbooks.model import Playbook
from engine.services import Services
from engine.skills import model

MAX_STEPS = 20


async def chosen_for_question(run: Run, playbook: Playbook) -> Decided:
    """What the run's planner decides in query mode."""
    at = next(frame for frame in run.frames if isinstance(frame, PlannerFrame))
    phase = playbook.phase(at.phase)
    skills = availability(playbook, phase, run.state, query=True)
    return await decide(
        Situation(playbook, run.request, phase, run.state, skills, query=True, lang=run.lang)
    )


async def answered(run: Run, playbook: Playbook, question: str, services: Services) -> str:
    """What a retrieval skill finds out (Markdown); "" when none can run or it has no answer."""
    decided = await chosen_for_question(run, playbook)
    if decided.plan.action != "call_skill" or services.model is None:
        return ""
    frame = ModelFrame(skill=decided.plan.target)
    # A copy that is stored nowhere: whatever the skill leaves in it is gone with it.
    asked = run.model_copy(update={"message": question, "text": question, "frames": (frame,)})
    for _ in range(MAX_STEPS):
        advanced = await model.advance(
            frame, FrameEntered(), StepContext(asked, playbook, services)
        )
        if not isinstance(advanced, Next) or not isinstance(advanced.frame, ModelFrame):
            return ""
        frame = advanced.frame
        if frame.finished or frame.questions:
            return frame.response
    return ""

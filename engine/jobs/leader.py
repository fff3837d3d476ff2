"""The Leader's frame: asks the model for the jobs, and sends back what cannot be used (002 §3)."""

from engine.dialogue import DialogueResult, ModelTask
from engine.frames.job_graph import DECOMPOSED, UNUSABLE
from engine.frames.jobs import LeaderFrame
from engine.frames.outcome import Done, FrameInput, StepContext, StepOutcome
from engine.frames.state import Patch
from engine.jobs.decompose import plan_schema, read_plan, written
from engine.jobs.parts import advance_job, jobs_part
from engine.jobs.prompts import leader_opening

OUTPUT_TOKENS = 8000
CUT_OFF = "the answer was cut off at its greatest length; plan fewer or shorter jobs"


async def advance(frame: LeaderFrame, given: FrameInput, context: StepContext) -> StepOutcome:
    """One answer of the model; a faulty one goes back with its exact faults, three are enough."""
    part, brief = jobs_part(frame.skill, context), frame.brief
    experts = [expert.name for expert in part.experts]
    task = ModelTask(
        opening=lambda: leader_opening(brief, part, context),
        read=lambda text: read_plan(text, experts, brief.room),
        schema=plan_schema(experts),
        max_tokens=OUTPUT_TOKENS,
        cut_off=CUT_OFF,
    )
    outcome = await advance_job(frame, task, context, verdict=UNUSABLE, text="jobs.faulty_plan")
    if not isinstance(outcome, DialogueResult):
        return outcome
    names = ", ".join(job.id for job in outcome.value)
    patch = Patch(by=frame.skill, end=DECOMPOSED, response=written(outcome.value))
    return Done(patch, f"{brief.job.id} becomes {names}")

"""The Leader's frame: asks the model for the jobs, and sends back what cannot be used (002 §3)."""

from cards.texts import say
from engine.dialogue import (
    MAX_FAULTY,
    DialogueFailure,
    DialogueProgress,
    DialogueResult,
    ModelTask,
    advance_dialogue,
)
from engine.errors import ModelError
from engine.frames.job_graph import DECOMPOSED, UNUSABLE
from engine.frames.jobs import LeaderFrame
from engine.frames.outcome import Advanced, Done, Input, Next, StepContext
from engine.frames.state import Patch
from engine.jobs.decompose import plan_schema, read_plan, written
from engine.jobs.parts import failed, jobs_part, model_failed
from engine.jobs.texts import leader_opening

OUTPUT_TOKENS = 8000
CUT_OFF = "the answer was cut off at its greatest length; plan fewer or shorter jobs"


async def advance(frame: LeaderFrame, given: Input, context: StepContext) -> Advanced:
    """One answer of the model; a faulty one goes back with its exact faults, three are enough."""
    part, brief = jobs_part(frame.skill, context), frame.brief
    experts = [expert.name for expert in part.experts]
    if not frame.messages:
        messages = leader_opening(brief, part, context)
        frame = frame.model_copy(update={"messages": messages})
    task = ModelTask(
        read=lambda text: read_plan(text, experts, brief.room),
        schema=plan_schema(experts),
        max_tokens=OUTPUT_TOKENS,
        cut_off=CUT_OFF,
    )
    try:
        outcome = await advance_dialogue(frame, task, context.services.model)
    except ModelError as error:
        return model_failed(frame.skill, error, context)
    match outcome:
        case DialogueProgress():
            return Next(outcome.dialogue, outcome.why)
        case DialogueResult(value=jobs):
            names = ", ".join(job.id for job in jobs)
            patch = Patch(by=frame.skill, end=DECOMPOSED, response=written(jobs))
            return Done(patch, f"{brief.job.id} becomes {names}")
        case DialogueFailure():
            told = "; ".join(outcome.faults)
            text = say("jobs.faulty_plan", context.run.lang, n=MAX_FAULTY, faults=told)
            return failed(frame.skill, UNUSABLE, text)

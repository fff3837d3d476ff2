"""The Leader's frame: asks the model for the jobs, and sends back what cannot be used (002 §3)."""

from cards.texts import say
from engine.errors import ModelError
from engine.frames.job_graph import DECOMPOSED, UNUSABLE
from engine.frames.jobs import LeaderFrame
from engine.frames.outcome import Advanced, Done, Input, Next, StepContext
from engine.frames.state import Patch
from engine.jobs.decompose import plan_schema, read_plan, written
from engine.jobs.parts import failed, jobs_part, model_failed
from engine.jobs.texts import leader_opening
from engine.ports.model import Message
from engine.skills.texts import lesson

MAX_FAULTY = 3
OUTPUT_TOKENS = 8000


async def advance(frame: LeaderFrame, given: Input, context: StepContext) -> Advanced:
    """One answer of the model; a faulty one goes back with its exact faults, three are enough."""
    part, model, lang = jobs_part(frame.skill, context), context.services.model, context.run.lang
    if model is None:
        return failed(frame.skill, UNUSABLE, say("jobs.no_model", lang))
    messages = frame.messages or leader_opening(frame.brief, part, context)
    experts = [expert.name for expert in part.experts]
    schema = plan_schema(experts)
    try:
        answer = await model.complete(messages, schema=schema, max_tokens=OUTPUT_TOKENS)
    except ModelError as error:
        return model_failed(frame.skill, error, context)
    plan = read_plan(answer.text, experts, frame.brief.room)
    faults = plan.faults
    if not faults:
        names = ", ".join(job.id for job in plan.jobs)
        patch = Patch(by=frame.skill, end=DECOMPOSED, response=written(plan.jobs))
        return Done(patch, f"{frame.brief.job.id} becomes {names}")
    if answer.truncated:
        faults = ("the answer was cut off at its greatest length; plan fewer or shorter jobs",)
    told = "; ".join(faults)
    if frame.faulty + 1 >= MAX_FAULTY:
        text = say("jobs.faulty_plan", lang, n=MAX_FAULTY, faults=told)
        return failed(frame.skill, UNUSABLE, text)
    again = (*messages, Message(role="assistant", content=answer.text), lesson(faults))
    update = {"messages": again, "faulty": frame.faulty + 1}
    return Next(frame.model_copy(update=update), f"sent back: {told}")

"""An expert's frame: a job carried out by a model with tools that read, or by a skill (002 §4)."""

import json

from cards.markdown import literal
from cards.model import SUBMIT, Card, Choice, Field, Review
from cards.texts import say
from engine.errors import ModelError
from engine.frames.job_graph import RESULT_CHARS, UNUSABLE, cut
from engine.frames.jobs import JobFrame
from engine.frames.leaves import value_of
from engine.frames.outcome import (
    Advanced,
    Answer,
    ChildDone,
    Done,
    Input,
    Next,
    Note,
    Push,
    StepContext,
    Suspend,
    TimedOut,
)
from engine.frames.state import Patch
from engine.jobs.answer import SCHEMA, ExpertAnswer, read_answer
from engine.jobs.parts import failed, jobs_part, model_failed
from engine.jobs.texts import expert_opening
from engine.planner.frame import first_frame
from engine.playbooks.job_graph import Expert
from engine.playbooks.skill import Skill
from engine.ports.model import Completion, Message
from engine.react.acting import Hands
from engine.skills.answers import unanswered, withdrawn
from engine.skills.texts import heard, lesson
from engine.tools.registry import tool

MAX_FAULTY = 3
MAX_CALLS = 12
MAX_ASKED = 3
OUTPUT_TOKENS = 4000


async def advance(frame: JobFrame, given: Input, context: StepContext) -> Advanced:
    """One answer of the model, one round of tool calls, one question; or the expert's skill."""
    expert = jobs_part(frame.skill, context).named(frame.brief.job.assigned_expert)
    assert expert is not None, "a job is assigned to one of the experts"
    match given:
        case Answer(decision=decision) if decision.choice == "withdraw":
            return withdrawn(decision, context)
        case Answer(decision=decision):
            messages = (*frame.messages, heard(decision))
            return Next(_with(frame, messages=messages, question=""), f"{decision.name} answered")
        case TimedOut():
            return unanswered(context)
        case ChildDone():
            return _skill_done(frame, context.playbook.skills[expert.skill], context)
    if expert.skill:
        skill = context.playbook.skills[expert.skill]
        why = f"{expert.name} carries out {frame.brief.job.id} with {skill.id}"
        return Push(_with(frame, pushed=True), first_frame(skill), why)
    if frame.question:
        return _asks(frame, expert, context)
    if frame.messages and frame.messages[-1].tool_calls:
        return await _acts(frame, expert, context)
    return await _thinks(frame, expert, context)


async def _thinks(frame: JobFrame, expert: Expert, context: StepContext) -> Advanced:
    model, lang = context.services.model, context.run.lang
    if model is None:
        return failed(frame.skill, UNUSABLE, say("jobs.no_model", lang))
    messages = frame.messages or expert_opening(frame.brief, expert, context)
    offers = _hands(expert, context).offers() if frame.calls < MAX_CALLS else ()
    try:
        answer = await model.complete(
            messages, tools=offers, schema=SCHEMA, max_tokens=OUTPUT_TOKENS
        )
    except ModelError as error:
        return model_failed(frame.skill, error, context)
    said = Message(role="assistant", content=answer.text)
    if answer.tool_calls and frame.calls < MAX_CALLS:
        wants = said.model_copy(update={"tool_calls": answer.tool_calls})
        names = ", ".join(call.name for call in answer.tool_calls)
        return Next(_with(frame, messages=(*messages, wants)), f"the model wants {names}")
    found, faults = _judged(frame, answer)
    if found is not None:
        return _taken(frame, (*messages, said), found)
    told = "; ".join(faults)
    if frame.faulty + 1 >= MAX_FAULTY:
        text = say("jobs.faulty_answer", lang, n=MAX_FAULTY, faults=told)
        return failed(frame.skill, "EXECUTION_ERROR", text)
    again = (*messages, said, lesson(faults))
    return Next(_with(frame, messages=again, faulty=frame.faulty + 1), f"sent back: {told}")


def _judged(frame: JobFrame, answer: Completion) -> tuple[ExpertAnswer | None, tuple[str, ...]]:
    if answer.tool_calls:
        return None, ("no more tools can be called; answer with what is known",)
    read = read_answer(answer.text)
    if answer.truncated and read.answer is None:
        return None, ("the answer was cut off at its greatest length; make it shorter",)
    if read.answer and read.answer.question.strip() and frame.asked_times >= MAX_ASKED:
        return None, ("question: no more can be asked; decide with what is known",)
    return read.answer, read.faults


def _taken(frame: JobFrame, messages: tuple[Message, ...], answer: ExpertAnswer) -> Advanced:
    if question := answer.question.strip():
        after = _with(frame, messages=messages, question=question, faulty=0)
        return Next(after, "has a question")
    if answer.status == "SUCCESS":
        result = cut(answer.result.strip(), RESULT_CHARS)
        patch = Patch(by=frame.skill, end="SUCCESS", response=result)
        return Done(patch, f"SUCCESS: {frame.brief.job.id}")
    assert answer.status is not None, "an answer has a verdict or a question"
    return failed(frame.skill, answer.status, answer.lesson.strip())


async def _acts(frame: JobFrame, expert: Expert, context: StepContext) -> Next:
    """Run the calls that the model asked for; all of them only read."""
    wanted = frame.messages[-1].tool_calls
    hands, results = _hands(expert, context), []
    for number, call in enumerate(wanted):
        # Every call must have a result, or the provider refuses the dialogue.
        allowed = number < MAX_CALLS - frame.calls
        told = (await hands.act(call)).content if allowed else "Not called: too many calls."
        results.append(Message(role="tool", tool_call_id=call.id, content=told))
    after = _with(frame, messages=(*frame.messages, *results), calls=frame.calls + len(wanted))
    return Next(after, f"called {', '.join(call.name for call in wanted)}")


def _hands(expert: Expert, context: StepContext) -> Hands:
    tools = [tool(name) for name in expert.tools]
    return Hands(tools, context.tools(), context.services.call)


def _asks(frame: JobFrame, expert: Expert, context: StepContext) -> Suspend:
    """A clarify card: the expert's question is data, shown as what the expert asks."""
    run = context.run
    answer = Field(name="answer", label=say("jobs.answer", run.lang), multiline=True)
    submit = say("choice.submit", run.lang)
    card = Card(
        kind="clarify",
        token=context.services.new_id(run.conversation),
        run=run.id,
        conversation=run.conversation,
        lang=run.lang,
        title=say("jobs.asks", run.lang, name=run.name, expert=expert.name),
        text="\n\n".join((literal(frame.question), _about(frame, context))),
        choices=(
            Choice(id=SUBMIT, label=submit, style="primary", form=(answer,)),
            Choice(id="withdraw", label=say("choice.withdraw", run.lang)),
        ),
        review=Review(persons=(run.requester.id,)),
        **run.requester.as_requester(),
        waiting_for=run.requester.name,
        task_key=f"clarify:{run.id}",
    )
    note = Note("needs_you", say("part.needs_you", run.lang, name=run.name))
    after = _with(frame, asked_times=frame.asked_times + 1)
    return Suspend(after, (card,), note, f"{expert.name} asks a question")


def _about(frame: JobFrame, context: StepContext) -> str:
    return say("jobs.about", context.run.lang, goal=literal(frame.brief.job.goal))


def _skill_done(frame: JobFrame, skill: Skill, context: StepContext) -> Done:
    """What the skill said and filled in is the job's result; the graph takes the leaves over."""
    state = context.run.state
    filled = {path: value_of(path, state) for path in skill.provided}
    found = {path: value for path, value in filled.items() if value is not None}
    told = json.dumps(found, ensure_ascii=False, default=str) if found else ""
    result = "\n\n".join(filter(None, (state.response, told))) or skill.name(context.run.lang)
    paths = {path: value for path, value in found.items() if "." in path}
    data = {path: value for path, value in found.items() if "." not in path}
    patch = Patch.setting(skill.id, paths, data=data, problems=state.problems)
    update = {"end": "SUCCESS", "response": cut(result, RESULT_CHARS)}
    return Done(patch.model_copy(update=update), f"SUCCESS: {skill.id} has run")


def _with(frame: JobFrame, **changes: object) -> JobFrame:
    return frame.model_copy(update=changes)

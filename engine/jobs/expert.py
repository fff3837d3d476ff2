"""An expert: a model with read-only tools, or a skill, carries out a job (spec 002 §4)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import model_validator

from cards.clipping import shorten
from cards.forms import is_storable
from cards.frozen import Frozen
from cards.markdown import literal
from cards.model import SUBMIT, Card, Choice, Field
from cards.texts import say
from engine.dialogue import CUT_OFF, DialogueResult, ModelTask
from engine.frames.job_graph import (
    RESULT_CHARS,
    UNUSABLE,
    JobFrame,
    ProposedCall,
    Verdict,
)
from engine.frames.leaves import value_of
from engine.frames.outcome import (
    CardAnswered,
    CardTimedOut,
    ChildFrameDone,
    Done,
    FrameInput,
    Next,
    Note,
    Push,
    StepContext,
    StepOutcome,
    Suspend,
)
from engine.frames.state import ModelFrame, Patch
from engine.jobs.prompts import STATE_CHARS, describe_tries, expert_opening
from engine.jobs.shared import advance_job, end_job, jobs_part
from engine.jobs.writes import proposal_faults, push_writes, take_writes, writing_tools
from engine.planner.frame import first_frame
from engine.playbooks.job_graph import Expert, find_expert
from engine.playbooks.skill import Skill
from engine.reviews.policy import requester_card_fields
from engine.rules.call_rules import CallRule
from engine.skills.card_answers import end_unanswered, end_withdrawn
from engine.skills.prompts import answer_message
from engine.text.answer import AnswerFaults, object_schema, read_answer
from engine.tools.model import Tool

MAX_ASKED = 3
QUESTION_CHARS = 1000


class ExpertAnswer(Frozen):
    """A valid answer; with a `question` or `writes`, there is no verdict yet."""

    status: Verdict | None = None
    result: str = ""
    lesson: str = ""
    question: str = ""
    writes: tuple[ProposedCall, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, answer: Any) -> Any:
        known = answer.items() if isinstance(answer, dict) else ()
        return {name: value for name, value in known if value is not None}


SCHEMA: Mapping[str, Any] = object_schema(
    {
        "status": {"anyOf": [{"type": "string", "enum": get_args(Verdict)}, {"type": "null"}]},
        "result": {"type": "string"},
        "lesson": {"type": "string"},
        "question": {"type": "string"},
    }
)


_CALL = object_schema({"tool": {"type": "string"}, "arguments": {"type": "string"}})
WRITING_SCHEMA: Mapping[str, Any] = object_schema(
    {**SCHEMA["properties"], "writes": {"type": "array", "items": _CALL}}
)
"""That of an expert who may write."""


async def advance(frame: JobFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """One answer of the model, one round of tool calls, one question; or the expert's skill."""
    team = (*jobs_part(frame.skill, context).experts, *frame.brief.experts)
    expert = find_expert(team, frame.brief.job.assigned_expert)
    assert expert is not None, "a job is assigned to one of the experts"
    match event:
        case CardAnswered(decision=decision) if decision.choice == "withdraw":
            return end_withdrawn(decision, context)
        case CardAnswered(decision=decision):
            messages = (*frame.messages, answer_message(decision))
            return Next(_with(frame, messages=messages, question=""), f"{decision.name} answered")
        case CardTimedOut():
            return end_unanswered(context)
        case ChildFrameDone(patch=patch) if not expert.skill:
            return take_writes(frame, patch)
        case ChildFrameDone(patch=patch):
            skill = context.playbook.skills[expert.skill]
            return _finish_skill(frame, skill, patch, context)
    if expert.skill:
        return _push_skill(frame, expert, context)
    if frame.writes:
        return push_writes(frame, context)
    if frame.question:
        return _ask(frame, expert, context)
    return await _advance_dialogue(frame, expert, context)


def _push_skill(frame: JobFrame, expert: Expert, context: StepContext) -> Push:
    """Begin the expert's skill, which is told what came of the job before."""
    skill = context.playbook.skills[expert.skill]
    begun = first_frame(skill)
    if isinstance(begun, ModelFrame):
        begun = begun.model_copy(update={"feedback": describe_tries(frame.brief.job)})
    return Push(frame, begun, f"{expert.name} carries out {frame.brief.job.id} with {skill.id}")


async def _advance_dialogue(frame: JobFrame, expert: Expert, context: StepContext) -> StepOutcome:
    """One answer of the model, or the calls that it waits for."""
    part = jobs_part(frame.skill, context)
    writing = writing_tools(expert, part, context)
    task = ModelTask(
        purpose="jobs",
        opening=lambda: expert_opening(frame, expert, writing, context),
        read=lambda text: _read_next(text, frame, writing, part.rules),
        schema=WRITING_SCHEMA if writing else SCHEMA,
        cut_off=CUT_OFF,
        tools=context.model_tools(expert.tools, context.run.state.tree(), STATE_CHARS),
    )
    outcome = await advance_job(
        frame, task, context, verdict="EXECUTION_ERROR", text="jobs.faulty_answer"
    )
    if not isinstance(outcome, DialogueResult):
        return outcome
    return _take_answer(outcome.dialogue, outcome.value)


def read_expert_answer(text: str) -> ExpertAnswer | AnswerFaults:
    """The expert's text as a valid answer, or its faults."""
    answer = read_answer(text, ExpertAnswer)
    if isinstance(answer, AnswerFaults):
        return answer
    return AnswerFaults(_faults(answer)) or answer


def _faults(answer: ExpertAnswer) -> list[str]:
    if not is_storable("".join((answer.result, answer.lesson, answer.question))):
        return ["should be without NUL and half characters"]
    if answer.question.strip():
        if answer.writes:
            return ["writes: leave them out of an answer that asks a question; propose them later"]
        fault = f"question: should be at most {QUESTION_CHARS} characters"
        return [fault] if len(answer.question) > QUESTION_CHARS else []
    if answer.writes:
        fault = "status: is for when the writes have been made; leave it null"
        return [fault] if answer.status is not None else []
    if answer.status is None:
        return ["status: is required where there is no question"]
    if answer.status == "SUCCESS":
        return [] if answer.result.strip() else ["result: should not be empty with SUCCESS"]
    return [] if answer.lesson.strip() else [f"lesson: should not be empty with {answer.status}"]


def _read_next(
    text: str, frame: JobFrame, writing: dict[str, Tool[Any]], rules: Sequence[CallRule]
) -> ExpertAnswer | AnswerFaults:
    answer = read_expert_answer(text)
    if isinstance(answer, ExpertAnswer) and answer.writes and not answer.question.strip():
        return AnswerFaults(proposal_faults(answer.writes, writing, frame, rules)) or answer
    asks = isinstance(answer, ExpertAnswer) and answer.question.strip()
    if asks and frame.asked_times >= MAX_ASKED:
        return AnswerFaults(("question: no more can be asked; decide with what is known",))
    return answer


def _take_answer(frame: JobFrame, answer: ExpertAnswer) -> StepOutcome:
    if question := answer.question.strip():
        return Next(_with(frame, question=question), "has a question")
    if answer.writes:
        return Next(_with(frame, writes=answer.writes), "wants to write")
    if answer.status == "SUCCESS":
        result = shorten(answer.result.strip(), RESULT_CHARS)
        patch = Patch(by=frame.skill, end="SUCCESS", response=result)
        return Done(patch, f"SUCCESS: {frame.brief.job.id}")
    assert answer.status is not None, "an answer has a verdict or a question"
    return end_job(frame.skill, answer.status, answer.lesson.strip())


def _ask(frame: JobFrame, expert: Expert, context: StepContext) -> Suspend:
    """A clarify card: the expert's question is data, shown as what the expert asks."""
    run = context.run
    answer = Field(name="answer", label=say("jobs.answer", run.lang), multiline=True)
    submit = say("choice.submit", run.lang)
    card = Card(
        kind="clarify",
        title=say("jobs.asks", run.lang, name=run.name, expert=expert.name),
        text="\n\n".join((literal(frame.question), _about_text(frame, context))),
        choices=(
            Choice(id=SUBMIT, label=submit, style="primary", form=(answer,)),
            Choice(id="withdraw", label=say("choice.withdraw", run.lang)),
        ),
        **requester_card_fields(context),
        task_key=f"clarify:{run.id}",
    )
    note = Note("needs_you", say("part.needs_you", run.lang, name=run.name))
    after = _with(frame, asked_times=frame.asked_times + 1)
    return Suspend(after, (card,), note, f"{expert.name} asks a question")


def _about_text(frame: JobFrame, context: StepContext) -> str:
    return say("jobs.about", context.run.lang, goal=literal(frame.brief.job.goal))


def _finish_skill(frame: JobFrame, skill: Skill, last: Patch, context: StepContext) -> Done:
    """End the job with what its skill said and filled in; the graph takes over the leaves.

    A skill that did not end as done has no success: what failed is tried again, and what people
    or rules refused is not.
    """
    state = context.run.state
    if last.ending and last.ending.end != "done":
        reason = last.ending.said or "; ".join(state.problems) or skill.name(context.run.lang)
        verdict = "EXECUTION_ERROR" if last.ending.end == "failed" else UNUSABLE
        return end_job(frame.skill, verdict, reason)
    filled = {path: value_of(path, state) for path in skill.provided_paths}
    leaves = {path: value for path, value in filled.items() if value is not None}
    listed = json.dumps(leaves, ensure_ascii=False, default=str) if leaves else ""
    result = "\n\n".join(filter(None, (state.response, listed))) or skill.name(context.run.lang)
    paths = {path: value for path, value in leaves.items() if "." in path}
    data = {path: value for path, value in leaves.items() if "." not in path}
    patch = Patch.from_paths(skill.id, paths, data=data, problems=state.problems)
    update = {"end": "SUCCESS", "response": shorten(result, RESULT_CHARS)}
    return Done(patch.model_copy(update=update), f"SUCCESS: {skill.id} has run")


def _with(frame: JobFrame, **changes: object) -> JobFrame:
    return frame.model_copy(update=changes)

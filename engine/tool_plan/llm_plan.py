"""The frame of a plan that a model makes: it asks, waits for approvals, and calls (spec 004)."""

import json
from dataclasses import replace
from typing import Any, assert_never

from cards.markdown import literal
from cards.model import Decision
from cards.texts import say
from engine.errors import ToolChanged, ToolError
from engine.frames.llm_plan import CompletedStep, DroppedStep, LlmPlanFrame, LlmPlanStep
from engine.frames.outcome import (
    AlarmFired,
    CardAnswered,
    CardTimedOut,
    Done,
    FrameInput,
    Next,
    Note,
    StepContext,
    StepOutcome,
)
from engine.frames.state import Patch
from engine.playbooks.end_kinds import Ending, SopEnd
from engine.playbooks.skill import ToolPlanner
from engine.skills.card_answers import end_unanswered, end_withdrawn
from engine.tool_plan import clarify, confirm
from engine.tool_plan.away_calls import (
    end_of_tries,
    is_away,
    offer_retry,
    try_again,
    wait_or_ask,
)
from engine.tool_plan.calls import Call, LostCall, make_call
from engine.tool_plan.confirm import NumberedCall
from engine.tool_plan.lost_calls import AGAIN, FAIL, ask_about_lost, describe_answer
from engine.tool_plan.planning.draft import draft_plan
from engine.tool_plan.references import Unresolved, resolve
from engine.tool_plan.responses import (
    fail_plan,
    made_by,
    reply_text,
    response_text,
    results_of,
)

KEPT_CHARS = 20_000
RESULT_TEXT_CHARS = 2000


async def advance(frame: LlmPlanFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """Make the plan, ask with a card, or take a step; each is persisted before the next."""
    planner = _planner(frame, context)
    match event:
        case CardAnswered(decision=decision):
            return _take_decision(frame, planner, decision, context)
        case CardTimedOut() if planner.on_error or frame.job:
            reason = say("run.expired", context.run.lang)
            why = "nobody answered in time"
            return fail_plan(frame, planner, reason, why, context, end="expired")
        case CardTimedOut():
            return end_unanswered(context)
        case AlarmFired():
            return try_again(frame, _call_of(frame, frame.steps[0], context), context)
    if not frame.made:
        return await draft_plan(frame, planner, context)
    if clarify.needs_answer(frame):
        return clarify.ask(frame, context)
    if not frame.steps[0].tool:
        return _reply(frame, context)
    return await _take_step(frame, planner, context)


def _planner(frame: LlmPlanFrame, context: StepContext) -> ToolPlanner:
    """What the playbook says of the plan, which of a job is its graph's review alone."""
    skill = context.playbook.skills[frame.skill]
    if skill.jobs:
        return ToolPlanner(profile="", tools=skill.jobs.all_tools, review=skill.jobs.review)
    assert skill.planner is not None, "the loader checks that such a skill has a planner"
    return skill.planner


def _take_decision(
    frame: LlmPlanFrame, planner: ToolPlanner, decision: Decision, context: StepContext
) -> StepOutcome:
    match frame.asks:
        case "clarify":
            if decision.choice == "withdraw":
                return end_withdrawn(decision, context)
            return clarify.take_answer(frame, decision, context)
        case "lost":
            return _settle_lost(frame, planner, decision, context)
        case "away":
            return _settle_away(frame, planner, decision, context)
        case "confirm" | "":
            return confirm.take_decision(frame, planner, decision, context)
        case _:
            assert_never(frame.asks)


def _settle_lost(
    frame: LlmPlanFrame, planner: ToolPlanner, decision: Decision, context: StepContext
) -> StepOutcome:
    """A person has looked whether the write happened: go on, call again, or fail."""
    run, planned = context.run, _call_of(frame, frame.steps[0], context)
    call = replace(planned, by=decision.person)
    why, name = describe_answer(decision, call), literal(decision.name)
    if decision.choice == FAIL:
        reason = say("lost.failed", run.lang, tool=call.tool.name, name=name)
        return fail_plan(frame, planner, reason, why, context, end=_given_up(frame))
    if decision.choice == AGAIN:
        update = {"started": True, "asked": "", "asks": "", "lost": ""}
        note = Note("working", say("part.resumed", run.lang, name=run.name))
        return Next(frame.model_copy(update=update), why, note=note)
    told = say("plan.happened", run.lang, tool=literal(call.tool.name), name=name)
    number = frame.steps[0].number
    # Nobody knows its result.
    step = CompletedStep(
        number=number, tool=call.tool.name, told=told, wrote=True, call=call.digest
    )
    return _next_step(frame, call, step, why, context)


def _settle_away(
    frame: LlmPlanFrame, planner: ToolPlanner, decision: Decision, context: StepContext
) -> StepOutcome:
    """The requester has decided: the same call once more, or the end of the plan."""
    call = _call_of(frame, frame.steps[0], context)
    if decision.choice == AGAIN:
        return try_again(frame, call, context)
    reason, why = end_of_tries(frame, decision, context.run.lang), f"{decision.name} gave it up"
    return fail_plan(frame, planner, reason, why, context, end=_given_up(frame))


def _given_up(frame: LlmPlanFrame) -> SopEnd:
    """How a plan ends that a person gave up: what failed of a job would be tried again."""
    return "rejected" if frame.job else "failed"


async def _take_step(
    frame: LlmPlanFrame, planner: ToolPlanner, context: StepContext
) -> StepOutcome:
    """The next call: a read at once, a write as it was approved."""
    step = frame.steps[0]
    try:
        call = _call_of(frame, step, context)
    except Unresolved as error:
        reason = say("plan.unresolved", context.run.lang, reference=literal(str(error)))
        return _plan_anew(frame, planner, reason, f"{error} leads nowhere", context)
    if call.tool.readonly:
        return await _call(frame, planner, call, context)
    if any(before.wrote and before.call == call.digest for before in frame.done):
        return _skip_repeated(frame, call)
    approval = confirm.approval_of(frame, NumberedCall(step.number, call), context)
    if approval == "":
        return await _ask_approval(frame, planner, call, context)
    if isinstance(approval, str):
        reason = say("plan.not_approved", context.run.lang)
        return fail_plan(frame, planner, reason, approval, context)
    schema = next(shown.takes for shown in frame.shown if shown.number == step.number)
    call = replace(call, by=approval.by, schema=schema, approvers=approval.ids)
    if frame.lost:
        return await ask_about_lost(frame, call, frame.lost, context)
    if frame.away:
        return offer_retry(frame, call, frame.away, context)
    if not frame.started:
        started = frame.model_copy(update={"started": True})
        return Next(started, f"is about to call {call.tool.name}")
    return await _call(frame, planner, call, context)


def _call_of(frame: LlmPlanFrame, step: LlmPlanStep, context: StepContext) -> Call:
    """The step's call with results in place of references. Raises Unresolved."""
    arguments = {**resolve(step.arguments, results_of(frame)), **step.given}
    key = f"{context.run.id}:{frame.skill}:{frame.made}.{step.number}"
    return Call(context.find_tool(step.tool), arguments, key)


async def _ask_approval(
    frame: LlmPlanFrame, planner: ToolPlanner, call: Call, context: StepContext
) -> StepOutcome:
    """Ask to approve this write and the later ones that are certain, if this one can succeed."""
    try:
        await context.services.rehearse(call.tool, call.arguments, context.tool_context())
    except ToolError as error:
        return _plan_anew(frame, planner, error.text(context.run.lang), str(error), context)
    return await confirm.ask(frame, planner, _certain_writes(frame, context), context)


def _certain_writes(frame: LlmPlanFrame, context: StepContext) -> tuple[NumberedCall, ...]:
    """The writes up to the first that depends on a result which is not there yet."""
    writes: list[NumberedCall] = []
    for step in frame.steps:
        if not step.tool or context.find_tool(step.tool).readonly:
            continue
        try:
            writes.append(NumberedCall(step.number, _call_of(frame, step, context)))
        except Unresolved:
            break
    return tuple(writes)


async def _call(
    frame: LlmPlanFrame, planner: ToolPlanner, call: Call, context: StepContext
) -> StepOutcome:
    try:
        result = await make_call(call, context)
    except ToolChanged:
        return _void_approval(frame, call)
    except ToolError as error:
        reason = error.text(context.run.lang)
        if is_away(call, error):
            return wait_or_ask(frame, call, reason, context)
        return _plan_anew(frame, planner, reason, str(error), context)
    if isinstance(result, LostCall):
        return await ask_about_lost(frame, call, result.why, context)
    step = CompletedStep(
        number=frame.steps[0].number,
        tool=call.tool.name,
        result=result if _fits(result) else None,
        told=_shorten_lines(call.tool.tell(result, context.run.lang)),
        wrote=not call.tool.readonly,
        call=call.digest,
    )
    return _next_step(frame, call, step, f"called {call.tool.name}", context)


def _void_approval(frame: LlmPlanFrame, call: Call) -> Next:
    """Forget the approval, so that it is asked for again: it was of something else."""
    update = {"approval": "", "shown": (), "started": False, "changed": call.tool.name}
    after = frame.model_copy(update={**update, "asked": "", "asks": "", "lost": ""})
    return Next(after, f"what {call.tool.name} takes has changed since it was approved")


def _fits(result: dict[str, Any]) -> bool:
    return len(json.dumps(result, ensure_ascii=False, default=str)) <= KEPT_CHARS


def _shorten_lines(text: str) -> str:
    """Whole lines of the text, at most 2,000 characters."""
    if len(text) <= RESULT_TEXT_CHARS:
        return text
    return text[:RESULT_TEXT_CHARS].rpartition("\n")[0] + "\n\n…"


def _next_step(
    frame: LlmPlanFrame, call: Call, step: CompletedStep, why: str, context: StepContext
) -> Next:
    run, left = context.run, frame.steps[1:]
    update = {"steps": left, "done": (*frame.done, step), "started": False}
    after = frame.model_copy(update={**update, "asked": "", "asks": "", "lost": "", "tried": 0})
    wrote = (call.tool.name,) if step.wrote else ()
    note = None
    if left and left[0].tool:
        number, of = len(after.done) + 1, len(after.done) + len(left)
        name = literal(left[0].tool)
        text = say("plan.progress", run.lang, name=run.name, n=number, of=of, tool=name)
        note = Note("working", text)
    return Next(after, why, Patch(by=call.by or frame.skill, written=wrote), note)


def _skip_repeated(frame: LlmPlanFrame, call: Call) -> Next:
    """Leave out a write that an earlier plan of this run has already made."""
    step = frame.steps[0]
    dropped = DroppedStep(number=step.number, kind="done", name=call.tool.name)
    update = {"steps": frame.steps[1:], "dropped": (*frame.dropped, dropped)}
    return Next(frame.model_copy(update=update), f"left out {dropped}")


def _reply(frame: LlmPlanFrame, context: StepContext) -> StepOutcome:
    """Take a reply; after the plan's last step the skill is done."""
    skill, (step, *left) = context.playbook.skills[frame.skill], frame.steps
    text = reply_text(frame, step.text)
    if left:
        done = (*frame.done, CompletedStep(number=step.number, told=text))
        return Next(frame.model_copy(update={"steps": tuple(left), "done": done}), "a reply")
    response = response_text(frame, text, context.run.lang)
    # What a job's graph sets, it sets at its end.
    sets = {} if frame.job else skill.sets
    patch = Patch.from_paths(
        skill.id, sets, response=response, problems=(), ending=Ending(end="done")
    ).model_copy(update={"made": made_by(frame)})
    return Done(patch, "the plan is carried out")


def _plan_anew(
    frame: LlmPlanFrame, planner: ToolPlanner, reason: str, why: str, context: StepContext
) -> StepOutcome:
    """After a failed step make one more plan, with the error; the second time the skill fails."""
    run, step = context.run, frame.steps[0]
    why = f"step {step.number}, {step.tool}: {why}"
    if frame.job:
        return fail_plan(frame, planner, reason, why, context)
    if frame.failure:
        text = say("plan.failed_twice", run.lang, reason=reason)
        return fail_plan(frame, planner, text, why, context)
    cleared = LlmPlanFrame(skill=frame.skill, done=frame.done, failure=why, reason=reason)
    note = Note("working", say("plan.replanning", run.lang, name=run.name))
    return Next(cleared, f"plans anew: {why}", note=note)

"""The frame of a fixed plan: its calls, one at a time, after their approval."""

from collections.abc import Sequence
from typing import Any

from cards.markdown import literal
from cards.model import Decision
from cards.texts import say
from engine.errors import ToolChanged, ToolError, ToolRefused
from engine.frames.ends import fail_run, refuse_run
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
from engine.frames.state import Approval, Patch, ToolPlanFrame
from engine.playbooks.end_kinds import Ending, RunEnd
from engine.playbooks.skill import Skill, ToolPlan
from engine.reviews.approvals import ask_again, call_digest, calls_of_run
from engine.skills.card_answers import end_unanswered
from engine.tool_plan.away_calls import (
    end_of_tries,
    is_away,
    offer_retry,
    try_again,
    wait_or_ask,
)
from engine.tool_plan.calls import Call, LostCall, make_call
from engine.tool_plan.lost_calls import AGAIN, FAIL, ask_about_lost, describe_answer


async def advance(frame: ToolPlanFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """Record that a call is about to be made, make it under its idempotency key, go on."""
    run, skill = context.run, context.playbook.skills[frame.skill]
    plan = _plan(skill)
    if plan.rehearses:
        return await _rehearse(skill, plan, context)
    calls = calls_of_run(plan, run)
    if not frame.started and frame.position < len(calls):
        again = ask_again(frame, skill, plan, event, context)
        if again is not None:
            return again
    approval, refused = _approval(plan, call_digest(calls), context)
    if refused:
        return fail_run(context.run, say("run.not_approved", run.lang), refused)
    if frame.position >= len(calls):
        return Done(_success_patch(skill, frame.told), "every call is done")
    planned = calls[frame.position]
    key = f"{run.id}:{skill.id}:{frame.position}"
    by = approval.by if approval else ""
    schema = approval.schemas.get(planned["tool"], "") if approval else ""
    tool, who = context.find_tool(planned["tool"]), approval.ids if approval else ()
    call = Call(tool, planned["arguments"], key, by, schema, who)
    if isinstance(event, CardAnswered):
        settle = _settle_away if frame.away else _settle_lost
        return settle(frame, call, event.decision, context)
    if isinstance(event, CardTimedOut):
        return end_unanswered(context)
    if frame.lost:
        return await ask_about_lost(frame, call, frame.lost, context)
    if isinstance(event, AlarmFired):
        return try_again(frame, call, context)
    if frame.away:
        return offer_retry(frame, call, frame.away, context)
    if not frame.started:
        started = frame.model_copy(update={"started": True, "changed": ""})
        return Next(started, f"is about to call {call.tool.name}")
    return await _call(frame, call, context)


async def _call(frame: ToolPlanFrame, call: Call, context: StepContext) -> StepOutcome:
    skill = context.playbook.skills[frame.skill]
    try:
        result = await make_call(call, context)
    except ToolChanged:
        return _void_approval(frame, call, context)
    except ToolError as error:
        reason = error.text(context.run.lang)
        if is_away(call, error):
            return wait_or_ask(frame, call, reason, context)
        return _end_with_error(skill, reason, str(error), context)
    if isinstance(result, LostCall):
        return await ask_about_lost(frame, call, result.why, context)
    update = {"told": (*frame.told, *_words_of(call, result, context))}
    return _next_call(frame.model_copy(update=update), call, f"called {call.tool.name}")


def _words_of(call: Call, result: dict[str, Any], context: StepContext) -> tuple[str, ...]:
    """What people are told of the result, where the playbook's tool has words for it.

    The service's own writes have words of their own.
    """
    own = context.playbook.tools.get(call.tool.name)
    is_ours = own is None and not call.tool.origin and not call.tool.readonly
    if not is_ours and (own is None or own.tell is None):
        return ()
    return (call.tool.tell(result, context.run.lang),)


def _void_approval(frame: ToolPlanFrame, call: Call, context: StepContext) -> Next:
    """Make the approval too old, so that it is asked for again: it was of something else."""
    guard = _plan(context.playbook.skills[frame.skill]).guard
    assert guard is not None, "a write without a guard has no approval and is not called"
    approval = context.run.state.approvals[guard.decision]
    void = approval.model_copy(update={"until": context.services.now})
    name = call.tool.name
    after = frame.model_copy(update={"started": False, "asked": "", "lost": "", "changed": name})
    patch = Patch(by=frame.skill, approvals={guard.decision: void})
    return Next(after, f"what {name} takes has changed since it was approved", patch)


def _next_call(frame: ToolPlanFrame, call: Call, why: str) -> Next:
    update = {"position": frame.position + 1, "started": False, "asked": "", "lost": "", "tried": 0}
    wrote = () if call.tool.readonly else (call.tool.name,)
    return Next(
        frame.model_copy(update=update), why, Patch(by=call.by or frame.skill, written=wrote)
    )


def _settle_lost(
    frame: ToolPlanFrame, call: Call, decision: Decision, context: StepContext
) -> StepOutcome:
    """A person has looked whether the write happened: go on, call again, or fail."""
    run, why = context.run, describe_answer(decision, call)
    if decision.choice == FAIL:
        who, name = literal(decision.name), call.tool.name
        reason = say("lost.failed", run.lang, tool=name, name=who)
        return _end_with_error(context.playbook.skills[frame.skill], reason, why, context)
    if decision.choice == AGAIN:
        again = frame.model_copy(update={"started": True, "asked": "", "lost": ""})
        note = Note("working", say("part.resumed", run.lang, name=run.name))
        return Next(again, why, note=note)
    return _next_call(frame, call, why)


def _settle_away(
    frame: ToolPlanFrame, call: Call, decision: Decision, context: StepContext
) -> StepOutcome:
    """The requester has decided: the same call once more, or the end of it."""
    if decision.choice == AGAIN:
        return try_again(frame, call, context)
    skill, reason = (
        context.playbook.skills[frame.skill],
        end_of_tries(frame, decision, context.run.lang),
    )
    return _end_with_error(skill, reason, f"{decision.name} gave {call.tool.name} up", context)


def _plan(skill: Skill) -> ToolPlan:
    assert skill.plan is not None, "the loader checks that a tool_plan skill has a plan"
    return skill.plan


async def _rehearse(skill: Skill, plan: ToolPlan, context: StepContext) -> StepOutcome:
    """Check that every call would succeed; nothing is written."""
    rehearsed = _plan(context.playbook.skills[plan.rehearses])
    try:
        for planned in calls_of_run(rehearsed, context.run):
            await context.services.rehearse(
                context.find_tool(planned["tool"]), planned["arguments"], context.tool_context()
            )
    except ToolRefused as error:
        reason, why = error.text(context.run.lang), str(error)
        if not plan.on_error:
            return refuse_run(context.run, reason, why)
        return _follow_on_error(skill, "refused", reason, why)
    except ToolError as error:
        return _end_with_error(skill, error.text(context.run.lang), str(error), context)
    return Done(_success_patch(skill), f"{plan.rehearses} would succeed")


def _success_patch(skill: Skill, told: Sequence[str] = ()) -> Patch:
    ending = Ending(end="done", said="\n\n".join(told))
    return Patch.from_paths(skill.id, skill.sets, ending=ending)


def _end_with_error(skill: Skill, reason: str, why: str, context: StepContext) -> StepOutcome:
    """Follow the playbook's `on_error` with the reason; without one the run fails."""
    if not _plan(skill).on_error:
        return fail_run(context.run, reason, why)
    return _follow_on_error(skill, "failed", reason, why)


def _follow_on_error(skill: Skill, end: RunEnd, reason: str, why: str) -> Done:
    ending, leaves = Ending(end=end, said=reason), _plan(skill).on_error
    return Done(Patch.from_paths(skill.id, leaves, problems=(reason,), ending=ending), why)


def _approval(plan: ToolPlan, digest: str, context: StepContext) -> tuple[Approval | None, str]:
    """The approval that covers these calls, or why they must not run."""
    writes = [c.tool for c in plan.calls if not context.find_tool(c.tool).readonly]
    if not writes:
        return None, ""
    approval = context.run.state.approvals.get(plan.guard.decision) if plan.guard else None
    if approval is None:
        return None, f"{', '.join(writes)}: nobody approved it"
    if approval.digest != digest:
        return None, f"{', '.join(writes)}: something else was approved"
    return approval, ""

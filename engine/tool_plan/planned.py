"""A plan that a model made, step by step: asked for, approved, called, told (spec 004)."""

from dataclasses import replace
from typing import assert_never

from cards.markdown import literal
from cards.model import Decision
from cards.texts import say
from engine.errors import ToolError
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import (
    CardAnswered,
    CardTimedOut,
    FrameInput,
    Next,
    Note,
    StepContext,
    StepOutcome,
)
from engine.playbooks.skill import ToolPlanner
from engine.skills.card_answers import end_unanswered, end_withdrawn
from engine.tool_plan import clarify, confirm
from engine.tool_plan.calling import Call
from engine.tool_plan.confirm import NumberedCall
from engine.tool_plan.may_have_run import AGAIN, FAIL, ask_whether, said
from engine.tool_plan.planning import drafting
from engine.tool_plan.references import Unresolved
from engine.tool_plan.running import (
    call_of,
    done,
    happened,
    repeated,
    reply,
    stumbled,
    take,
    writes,
)
from engine.tool_plan.telling import failed


async def advance(frame: LlmPlanFrame, given: FrameInput, context: StepContext) -> StepOutcome:
    """One thing: the plan, a card, or a step; each is persisted before the next."""
    planner = context.playbook.skills[frame.skill].planner
    assert planner is not None, "the loader checks that such a skill has a planner"
    match given:
        case CardAnswered(decision=decision):
            return _answered(frame, planner, decision, context)
        case CardTimedOut() if planner.on_error:
            reason = say("run.expired", context.run.lang)
            why = "nobody answered in time"
            return failed(frame, planner, reason, why, context, end="expired")
        case CardTimedOut():
            return end_unanswered(context)
    if not frame.made:
        return await drafting.make(frame, planner, context)
    if clarify.lacking(frame):
        return clarify.ask(frame, context)
    if not frame.steps[0].tool:
        return reply(frame, context)
    return await _next(frame, planner, context)


def _answered(
    frame: LlmPlanFrame, planner: ToolPlanner, decision: Decision, context: StepContext
) -> StepOutcome:
    match frame.asks:
        case "clarify":
            if decision.choice == "withdraw":
                return end_withdrawn(decision, context)
            return clarify.filled_in(frame, decision, context)
        case "lost":
            return _looked(frame, planner, decision, context)
        case "confirm" | "":
            return confirm.decided(frame, planner, decision, context)
        case _:
            assert_never(frame.asks)


async def _next(frame: LlmPlanFrame, planner: ToolPlanner, context: StepContext) -> StepOutcome:
    """The next call: read at once, or written as it was approved."""
    step = frame.steps[0]
    try:
        call = call_of(frame, step, context)
    except Unresolved as error:
        reason = say("plan.unresolved", context.run.lang, reference=literal(str(error)))
        return stumbled(frame, planner, reason, f"{error} leads nowhere", context)
    if call.tool.readonly:
        return await take(frame, planner, call, context)
    if any(before.wrote and before.call == call.digest for before in frame.done):
        return repeated(frame, call)
    approval = confirm.approval_of(frame, NumberedCall(step.number, call), context)
    if approval == "":
        return await _asks(frame, planner, call, context)
    if isinstance(approval, str):
        return failed(frame, planner, say("plan.not_approved", context.run.lang), approval, context)
    call = replace(call, by=approval.by)
    if frame.lost:
        return ask_whether(frame, call, frame.lost, context)
    if not frame.started:
        started = frame.model_copy(update={"started": True})
        return Next(started, f"is about to call {call.tool.name}")
    return await take(frame, planner, call, context)


async def _asks(
    frame: LlmPlanFrame, planner: ToolPlanner, call: Call, context: StepContext
) -> StepOutcome:
    """A card for this write and those after it that are certain by now, if this one can work."""
    try:
        await context.services.rehearse(call.tool, call.arguments, context.tools())
    except ToolError as error:
        return stumbled(frame, planner, error.told(context.run.lang), str(error), context)
    return confirm.ask(frame, planner, writes(frame, context), context)


def _looked(
    frame: LlmPlanFrame, planner: ToolPlanner, decision: Decision, context: StepContext
) -> StepOutcome:
    """What may have happened: a person has looked."""
    run, planned = context.run, call_of(frame, frame.steps[0], context)
    call = replace(planned, by=decision.person)
    why, name = said(decision, call), literal(decision.name)
    if decision.choice == FAIL:
        reason = say("lost.failed", run.lang, tool=call.tool.name, name=name)
        return failed(frame, planner, reason, why, context)
    if decision.choice == AGAIN:
        update = {"started": True, "asked": "", "asks": "", "lost": ""}
        note = Note("working", say("part.resumed", run.lang, name=run.name))
        return Next(frame.model_copy(update=update), why, note=note)
    return done(frame, call, happened(frame, call, decision, run.lang), why, context)

"""The approval of a plan's writes: of exactly these calls, checked again before each (A29)."""

from contextlib import suppress
from dataclasses import dataclass

from cards.markdown import literal, quote
from cards.model import Card, Decision
from cards.texts import say
from engine.errors import ToolError
from engine.frames.job_graph import JobFrame
from engine.frames.llm_plan import LlmPlanFrame, ShownCall
from engine.frames.outcome import Next, Note, StatusChange, StepContext, StepOutcome, Suspend
from engine.frames.state import Approval, Patch
from engine.playbooks.skill import ToolPlanner
from engine.reviews.approvals import call_digest, is_too_old, pin_of
from engine.reviews.approvers import Approvers, find_approvers
from engine.reviews.policy import (
    deadline_of,
    good_until,
    is_own_cancel,
    rejection_text,
    review_choices,
)
from engine.tool_plan.calls import Call
from engine.tool_plan.responses import dropped_text, fail_plan
from engine.tool_plan.review_cards import call_text, review_card


@dataclass(frozen=True, slots=True)
class NumberedCall:
    """A call, and the number of its step."""

    number: int
    call: Call


def approval_of(frame: LlmPlanFrame, write: NumberedCall, context: StepContext) -> Approval | str:
    """The approval of exactly this call; "" when it has to be asked for, else why it must not run.

    An approval that is too old is asked for again, unless the write has already started.
    """
    shown = next((call for call in frame.shown if call.number == write.number), None)
    if not frame.approval or shown is None:
        return ""
    name, approval = write.call.tool.name, context.run.state.approvals.get(frame.approval)
    if approval is None:
        return f"{name}: nobody approved it"
    if approval.digest != _digest(frame.shown) or shown.call != write.call.digest:
        return f"{name}: something else was approved"
    return "" if is_too_old(approval, context.services.now) and not frame.started else approval


async def ask(
    frame: LlmPlanFrame,
    planner: ToolPlanner,
    writes: tuple[NumberedCall, ...],
    context: StepContext,
) -> StepOutcome:
    """Ask those whom the review names; the run is blocked when there is nobody."""
    run, policy = context.run, planner.review
    assert policy is not None, "the loader checks that a planner with writes names its reviewers"
    approvers = await find_approvers(policy, run.requester.ids, context)
    if isinstance(approvers, StatusChange):
        return approvers
    shown = tuple([await _shown_call(write, context) for write in writes])
    card = _card(frame, approvers, writes, context).model_copy(
        update={"shown_digest": _digest(shown)}
    )
    update = {"asked": card.token, "asks": "confirm", "shown": shown, "approval": ""}
    calls = ", ".join(f"{write.number} {write.call.tool.name}" for write in writes)
    why = f"asks {approvers.why} to approve {calls}"
    return Suspend(frame.model_copy(update=update), (card,), approvers.asking_note(run), why)


async def _shown_call(write: NumberedCall, context: StepContext) -> ShownCall:
    """The call with what its system takes, as far as that answers."""
    schema = ""
    with suppress(ToolError):
        schema = await pin_of(write.call.tool, context)
    return ShownCall(number=write.number, call=write.call.digest, takes=schema)


def _digest(shown: tuple[ShownCall, ...]) -> str:
    return call_digest(tuple(call.model_dump(exclude_defaults=True) for call in shown))


def _card(
    frame: LlmPlanFrame,
    approvers: Approvers,
    writes: tuple[NumberedCall, ...],
    context: StepContext,
) -> Card:
    run, lang = context.run, context.run.lang
    head = f"**{say('plan.request', lang)}**\n\n{quote(run.message)}"
    text = [say("plan.confirm_text", lang), head]
    text += [_job_text(context)] if frame.job else []
    text += [say("tool.changed", lang, name=frame.changed)] if frame.changed else []
    text += [say("plan.anew", lang, reason=literal(frame.reason))] if frame.failure else []
    wrote = say("list.items", lang).join(literal(step.tool) for step in frame.done if step.wrote)
    text += [say("plan.written_before", lang, tools=wrote)] if wrote else []
    text += [call_text(write.call, context, number=write.number) for write in writes]
    problems = (dropped_text(frame.dropped, lang),) if frame.dropped else ()
    return review_card(
        approvers,
        context,
        title=say("plan.confirm", lang, n=len(writes)),
        text="\n\n".join(text),
        problems=problems,
        choices=(*review_choices(approvers, lang),),
        task_key=f"confirm:{run.id}",
        deadline=deadline_of(approvers.policy, context),
    )


def _job_text(context: StepContext) -> str:
    """Whose writes these are: the expert's, for its job."""
    job = next(f.brief.job for f in context.run.frames if isinstance(f, JobFrame))
    expert, goal = literal(job.assigned_expert), literal(job.goal)
    return say("jobs.writes", context.run.lang, expert=expert, goal=goal)


def take_decision(
    frame: LlmPlanFrame, planner: ToolPlanner, decision: Decision, context: StepContext
) -> StepOutcome:
    """Store the approval of what was shown, or end the plan with the rejection's reason."""
    run = context.run
    if decision.choice != "approve":
        reason = str(decision.values.get("reason", ""))
        why = f"{decision.name} rejected: {reason}".removesuffix(": ")
        text = rejection_text(decision, context)
        assert planner.review is not None, "the loader checks that writes have reviewers"
        if is_own_cancel(planner.review, decision, run) and not (frame.job or planner.on_error):
            return fail_plan(frame, planner, "", why, context, end="cancelled")
        return fail_plan(frame, planner, text, why, context, end="rejected")
    key = f"{frame.skill}:{frame.made}.{frame.shown[0].number}"
    assert planner.review is not None, "the loader checks that writes have reviewers"
    until, digest = good_until(planner.review, decision), _digest(frame.shown)
    approval = Approval.of(decision, digest, until=until)
    patch = Patch(by=decision.person, approvals={key: approval})
    after = frame.model_copy(update={"asked": "", "asks": "", "approval": key, "changed": ""})
    note = Note("working", say("part.resumed", run.lang, name=run.name))
    return Next(after, f"{decision.name} approved", patch, note=note)

"""A write of which nobody knows whether it happened: people are asked (A41)."""

from cards.markdown import literal
from cards.model import Card, Choice, Decision
from cards.texts import say
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import Note, StatusChange, StepContext, StepOutcome, Suspend
from engine.frames.state import ToolPlanFrame
from engine.reviews.approvers import Approvers, find_approvers
from engine.tool_plan.calls import Call, policy_of
from engine.tool_plan.review_cards import call_text, review_card, write_name

AGAIN, HAPPENED, FAIL = "again", "happened", "fail"


async def ask_about_lost(
    frame: ToolPlanFrame | LlmPlanFrame, call: Call, why: str, context: StepContext
) -> StepOutcome:
    """Ask those who approve the skill's writes; the run is blocked when there is nobody.

    The frame stores that the call is lost, so that no later try of the step makes it.
    """
    run, skill = context.run, context.playbook.skills[frame.skill]
    policy = policy_of(skill, context.playbook)
    # One person who has looked is enough.
    one = policy.model_copy(update={"quorum": 1, "also": ()}) if policy else None
    approvers = await find_approvers(one, run.requester.ids, context) if one else None
    if isinstance(approvers, StatusChange):
        return approvers
    card = _card(frame.skill, call, why, approvers, context)
    asks = {"asks": "lost"} if isinstance(frame, LlmPlanFrame) else {}
    frame = frame.model_copy(update={"asked": card.token, "lost": why, **asks})
    roles = literal(approvers.names if approvers else run.requester.name)
    note = Note("in_review", say("lost.part", run.lang, name=run.name, roles=roles))
    reason = f"{call.tool.name} may have run ({call.key}), and is not repeated: {why}"
    return Suspend(frame, (card,), note, reason)


def _card(
    skill: str, call: Call, why: str, approvers: Approvers | None, context: StepContext
) -> Card:
    lang = context.run.lang
    text = [say("lost.text", lang, why=literal(why)), call_text(call, context)]
    text += [say("lost.keyed", lang)] if call.tool.keyed else []
    return review_card(
        approvers,
        context,
        title=say("lost.title", lang, tool=write_name(call, skill, context)),
        text="\n\n".join(text),
        choices=(
            Choice(id=HAPPENED, label=say("lost.happened", lang), style="primary"),
            Choice(id=AGAIN, label=say("lost.again", lang)),
            Choice(id=FAIL, label=say("lost.fail", lang), style="danger"),
        ),
        task_key=f"may_have_run:{call.key}",
        shown_digest=call.digest,
    )


def describe_answer(decision: Decision, call: Call) -> str:
    """The answer, for the audit."""
    meanings = {AGAIN: "to run it again", HAPPENED: "that it has happened", FAIL: "to stop"}
    return f"{call.tool.name} may have run: {decision.name} says {meanings[decision.choice]}"

"""Asking people about a write of which nobody knows whether it has happened (A41)."""

from cards.markdown import literal
from cards.model import Card, Choice, Decision
from cards.texts import say
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import Note, StepContext, StepOutcome, Suspend
from engine.frames.state import ToolPlanFrame
from engine.playbooks.review import ReviewPolicy
from engine.tool_plan.calling import Call, policy_of
from engine.tool_plan.review_cards import call_shown, nobody, review_card, roles_of

AGAIN, HAPPENED, FAIL = "again", "happened", "fail"


def ask_whether(
    frame: ToolPlanFrame | LlmPlanFrame, call: Call, why: str, context: StepContext
) -> StepOutcome:
    """Wait for the word of those who approve the skill's writes; blocked when there is nobody.

    The frame remembers that it is lost, however often the step is tried.
    """
    run, skill = context.run, context.playbook.skills[frame.skill]
    policy = policy_of(skill, context.playbook)
    # One who has looked is enough.
    policy = policy.model_copy(update={"quorum": 1}) if policy else None
    if ended := nobody(policy, context):
        return ended
    card = _card(call, why, policy, context)
    asks = {"asks": "lost"} if isinstance(frame, LlmPlanFrame) else {}
    frame = frame.model_copy(update={"asked": card.token, "lost": why, **asks})
    roles = roles_of(policy, context)
    note = Note("in_review", say("lost.part", run.lang, name=run.name, roles=roles))
    told = f"{call.tool.name} may have run ({call.key}), and is not repeated: {why}"
    return Suspend(frame, (card,), note, told)


def _card(call: Call, why: str, policy: ReviewPolicy | None, context: StepContext) -> Card:
    lang = context.run.lang
    text = [say("lost.text", lang, why=literal(why)), call_shown(call, context)]
    text += [say("lost.keyed", lang)] if call.tool.keyed else []
    return review_card(
        policy,
        context,
        title=say("lost.title", lang, tool=call.tool.name),
        text="\n\n".join(text),
        choices=(
            Choice(id=HAPPENED, label=say("lost.happened", lang), style="primary"),
            Choice(id=AGAIN, label=say("lost.again", lang)),
            Choice(id=FAIL, label=say("lost.fail", lang), style="danger"),
        ),
        task_key=f"may_have_run:{call.key}",
        shown_digest=call.digest,
    )


def said(decision: Decision, call: Call) -> str:
    """What the audit keeps of the answer."""
    meant = {AGAIN: "to run it again", HAPPENED: "that it has happened", FAIL: "to stop"}
    return f"{call.tool.name} may have run: {decision.name} says {meant[decision.choice]}"

"""A write whose system was away: tried again by itself for a while, then once somebody says so.

What was approved stays approved; nothing was written, or the call's key writes once.
"""

from datetime import timedelta
from typing import Final

from cards.markdown import literal
from cards.model import Choice, Decision
from cards.texts import say
from engine.errors import ToolError
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import Alarm, Fork, Next, Note, StepContext, StepOutcome, Suspend
from engine.frames.state import ToolPlanFrame
from engine.tool_plan.calls import Call
from engine.tool_plan.lost_calls import AGAIN
from engine.tool_plan.review_cards import call_text, review_card, write_name

GIVE_UP = "give_up"
RETRY_AFTER_S: Final = (2, 8, 25)
"""Pauses before the tries that nobody asks for: what is started again is back by then."""


def is_away(call: Call, error: ToolError) -> bool:
    """Whether the error keeps an approved write from being made now, and nothing was written."""
    return not call.tool.readonly and error.is_away


def wait_or_ask(
    frame: ToolPlanFrame | LlmPlanFrame, call: Call, why: str, context: StepContext
) -> StepOutcome:
    """Wait and try again, told to the requester; after the last of these tries ask them."""
    if frame.tried >= len(RETRY_AFTER_S):
        return offer_retry(frame, call, why, context)
    run, after_s = context.run, RETRY_AFTER_S[frame.tried]
    after = frame.model_copy(update={"away": why, "tried": frame.tried + 1})
    at = context.services.now + timedelta(seconds=after_s)
    note = Note("working", say("away.waits", run.lang, name=run.name, why=why, s=after_s))
    alarm = Alarm(f"away:{call.key}:{after.tried}", at)
    reason = f"{call.tool.name} was not called ({call.key}), tries again in {after_s} s: {why}"
    return Fork(after, (), reason, note=note, alarms=(alarm,))


def offer_retry(
    frame: ToolPlanFrame | LlmPlanFrame, call: Call, why: str, context: StepContext
) -> StepOutcome:
    """Ask the requester when to try again; what was approved stays approved."""
    run, lang = context.run, context.run.lang
    text = [say("away.text", lang, why=why), call_text(call, context)]
    card = review_card(
        None,
        context,
        title=say("away.title", lang, tool=write_name(call, frame.skill, context)),
        text="\n\n".join(text),
        choices=(
            Choice(id=AGAIN, label=say("away.again", lang), style="primary"),
            Choice(id=GIVE_UP, label=say("away.give_up", lang), style="danger"),
        ),
        task_key=f"away:{call.key}",
        shown_digest=call.digest,
    )
    asks = {"asks": "away"} if isinstance(frame, LlmPlanFrame) else {}
    after = frame.model_copy(update={"asked": card.token, "away": why, **asks})
    told = say("away.part", lang, name=run.name, why=why, who=literal(run.requester.name))
    note = Note("needs_you", told)
    return Suspend(after, (card,), note, f"{call.tool.name} was not called ({call.key}): {why}")


def try_again(frame: ToolPlanFrame | LlmPlanFrame, call: Call, context: StepContext) -> Next:
    """The frame right before the call, whose approval is looked at again."""
    update = {"started": False, "asked": "", "away": ""}
    update |= {"asks": ""} if isinstance(frame, LlmPlanFrame) else {}
    note = Note("working", say("part.resumed", context.run.lang, name=context.run.name))
    return Next(frame.model_copy(update=update), f"tries {call.tool.name} again", note=note)


def end_of_tries(frame: ToolPlanFrame | LlmPlanFrame, decision: Decision, lang: str) -> str:
    """The reason for people, once somebody has given the write up."""
    return say("away.given_up", lang, why=frame.away, name=literal(decision.name))

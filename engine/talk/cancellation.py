"""Cancelling a run: it ends now, with all of its child runs (design §3)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from cards.model import ADMIN, Principal
from cards.texts import say
from engine.cases.letters import letter_posts
from engine.frames import audit
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.state import Run, ToolPlanFrame
from engine.ports.storage.store import Effects, PartWrite, Refresh
from engine.runs.children import AT_ANY_STEP
from engine.runs.effects import wake_mails
from engine.runs.sync_changes import end_posts, unsent_posts
from engine.sop import findings
from engine.talk.active_runs import descendants


def cancel_effects(
    run: Run, others: Sequence[Run], *, origin: Mapping[str, str], now: datetime
) -> Effects:
    """What cancels the run as it was read, and its child runs among `others`.

    `origin` says for the log who does it, and from where (`by`, `via`, `where`, `update`).
    """
    whole = (run, *descendants(run, others))
    text = _cancelled_text(run, in_flight=any(_has_write_in_flight(each) for each in whole))
    part = run.part.model_copy(update={"state": "cancelled", "text": text})
    cancelled = run.model_copy(update={"status": "cancelled", "part": part})
    return Effects(
        posts=(
            *unsent_posts(run),
            *end_posts(cancelled, now, origin.get("by", "")),
            *letter_posts(run, cancelled, now),
            *(post for each in whole for post in findings.withdrawal_posts(each, now)),
        ),
        cancels=((run.id, run.steps), *((child.id, AT_ANY_STEP) for child in whole[1:])),
        parts=(PartWrite(run.reply, part.index, part.stored()),),
        touches=(Refresh(run.reply),),
        mails=wake_mails(cancelled),
        log=tuple(
            audit.cancel_entry(each, origin, now, in_flight=_has_write_in_flight(each))
            for each in whole
        ),
    )


def may_cancel(run: Run, person: Principal) -> bool:
    """Whether the person is the requester or an admin."""
    return not person.ids.isdisjoint(run.requester.ids) or ADMIN in person.roles


def _has_write_in_flight(run: Run) -> bool:
    """Whether a write may be under way: its call is recorded, and its result is not."""
    top = run.frames[-1]
    return isinstance(top, ToolPlanFrame | LlmPlanFrame) and top.started


def _cancelled_text(run: Run, *, in_flight: bool) -> str:
    """What the run's part says; it mentions what was written or may have been."""
    if in_flight:
        return say("part.cancelled_in_flight", run.lang, name=run.name)
    if run.state.written:
        return say("part.cancelled_after", run.lang, name=run.name)
    key = "part.cancelled_synced" if run.changes else "part.cancelled"
    return say(key, run.lang, name=run.name)

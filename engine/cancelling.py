"""A run that somebody cancels: it ends now, and all below it (design §3)."""

import json
from collections.abc import Sequence
from datetime import datetime

from cards.texts import say
from engine import syncing
from engine.children import ANYHOW
from engine.frames.state import Run, ToolPlanFrame
from engine.ports.store import Effects, PartWrite, Touch
from engine.run_effects import wakes
from engine.turn.active import below


def cancelling(
    run: Run, others: Sequence[Run], *, by: str, now: datetime, via: str = ""
) -> Effects:
    """What ends the run, as far as it was when it was read; `others` go on in its conversation."""
    part = run.part.model_copy(update={"state": "cancelled", "text": _cancelled(run)})
    entry = {"at": now.isoformat(), "by": by, "event": "cancelled", **({"via": via} if via else {})}
    return Effects(
        posts=syncing.leftover(run),
        cancels=((run.id, run.steps), *((child.id, ANYHOW) for child in below(run, others))),
        parts=(PartWrite(run.reply, part.index, part.stored()),),
        touches=(Touch(run.reply),),
        mails=wakes(run.model_copy(update={"status": "cancelled"})),
        log=((run.id, json.dumps(entry, ensure_ascii=False)),),
    )


def _cancelled(run: Run) -> str:
    """What the run's part says; what was written, or may have been, is not passed over."""
    top = run.frames[-1]
    if run.state.written:
        return say("part.cancelled_after", run.lang, name=run.name)
    key = "part.cancelled_synced" if run.changes else "part.cancelled"
    if isinstance(top, ToolPlanFrame) and top.started:
        key = "part.cancelled_in_flight"
    return say(key, run.lang, name=run.name)

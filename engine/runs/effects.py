"""What a step of a run writes beside the run: part, cards, timers, posts, wake-ups, audit."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from cards.model import Card
from cards.texts import say
from engine.frames import audit
from engine.frames.ends import end_of, told_of
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import (
    Done,
    Fork,
    Next,
    Note,
    Push,
    StepContext,
    StepOutcome,
    patch_of,
    verdict_of,
)
from engine.frames.replies import said_late
from engine.frames.state import ENDED, PlannerFrame, Run, ToolPlanFrame, position
from engine.mail import (
    AlarmRang,
    CardDecided,
    CardExpired,
    GraphOrdered,
    MigrationOrdered,
    PartReady,
    RunMail,
    RunResumed,
    RunStarted,
)
from engine.ports.storage.store import CardWrite, Effects, PartWrite, Post, RunWrite, Timer, Touch
from engine.reviews import clocks
from engine.runs import children, syncing
from engine.sop import findings, violations

# How far a run is need not be shown at once: what comes after it soon is shown in its place.
PROGRESS_S = 1.0


@dataclass(frozen=True, slots=True)
class StepChange:
    """One step: the run before and after, what the frame gave, for which mail, with which cards.

    `calls` are answers of the model and of tools in it, as recorded for a replay; `begun` are the
    child runs that it begins, `dropped` those that it ends. `follows` as in StepContext.
    """

    before: Run
    after: Run
    advanced: StepOutcome
    mail: RunMail
    opened: tuple[Card, ...] = ()
    closed: tuple[CardWrite, ...] = ()
    calls: tuple[dict[str, Any], ...] = ()
    begun: tuple[Run, ...] = ()
    dropped: tuple[tuple[str, int], ...] = ()
    follows: bool = True

    @property
    def shown(self) -> tuple[Card, ...]:
        """The new cards: those that somebody has to decide, and one that only informs."""
        info_card = self.advanced.info_card if isinstance(self.advanced, Next) else None
        return (*self.opened, *((info_card,) if info_card else ()))


def effects(moved: StepChange, now: datetime) -> Effects:
    """Everything that the step writes, but for where its cards are shown."""
    before, note = moved.before, _note(moved)
    after = moved.after
    if note:
        part = before.part.model_copy(update={"state": after.end or note.state, "text": note.text})
        after = after.model_copy(update={"part": part})
    slots: tuple[tuple[str, str], ...] = ()
    if before.slot and moved.shown:
        slots = ((before.reply, moved.shown[0].token),)
        after = after.model_copy(update={"slot": False})
    after = findings.noted(after, moved.advanced)
    after, chart = violations.shown(before, after, below=bool(moved.opened))
    ended = after.status if after.status in ENDED else ""
    under_way = note is not None and note.state == "working"
    # A child speaks through its parent.
    shows = note is not None and not after.parent
    start = RunStarted().stored()
    return Effects(
        runs=(written(after), *map(written, moved.begun)),
        parts=(PartWrite(after.reply, after.part.index, after.part.stored()),) if shows else (),
        cards=(*moved.closed, *map(CardWrite, moved.shown)),
        timers=(*_timers(moved, now), *_alarms(after, moved.advanced)),
        slots=slots,
        posts=(
            *(_late(after, now) if ended else ()),
            *syncing.posts(before, after),
            *findings.posts(after, moved.advanced, now),
            *chart,
        ),
        touches=(Touch(after.reply, PROGRESS_S if under_way else 0.0),) if shows else (),
        mails=(*_mails(moved, after), *((f"run:{run.id}", start) for run in moved.begun)),
        cancels=_gone(moved, after),
        log=_log(moved, after, now),
    )


def _mails(moved: StepChange, after: Run) -> tuple[tuple[str, str], ...]:
    patch = patch_of(moved.advanced)
    told = children.told(moved.before, after, patch, moved.advanced.why)
    if after.parent:
        return told
    return wakes(after) if after.status in ENDED else ()


def written(run: Run) -> RunWrite:
    """The run as the store keeps it."""
    return RunWrite(
        id=run.id,
        conversation=run.conversation,
        reply=run.reply,
        body=run.stored(),
        steps=run.steps,
        ended=run.status if run.status in ENDED else "",
        status=run.status,
        playbook=run.playbook,
        who=f"{run.requester.id} {run.requester.name}",
        parent=run.parent,
        end=end_of(run) or "",
    )


def _log(moved: StepChange, after: Run, now: datetime) -> tuple[audit.Entry, ...]:
    """The step in the run's log, the beginning of each child in its own, and their ends."""
    step = json.dumps(_entry(moved, after, now), ensure_ascii=False)
    ends = (audit.with_parent(child, after.id, now) for child, _ in _gone(moved, after))
    return ((after.id, step), *map(audit.started, moved.begun), *ends)


def _gone(moved: StepChange, after: Run) -> tuple[tuple[str, int], ...]:
    """The children that the step ends."""
    return (*moved.dropped, *children.orphans(after))


def _entry(moved: StepChange, after: Run, now: datetime) -> dict[str, Any]:
    """What the audit keeps of a step: enough to explain it, and to replay it."""
    advanced, mail = moved.advanced, moved.mail
    patch, verdict, top = patch_of(advanced), verdict_of(advanced), moved.before.frames[-1]
    ordered = mail if isinstance(mail, RunResumed | GraphOrdered | MigrationOrdered) else None
    given = mail.model_dump(mode="json", exclude={"kind"})
    written = (*(write.card for write in moved.closed), *moved.shown)
    under_way = isinstance(top, ToolPlanFrame | LlmPlanFrame) and top.started
    told = {
        "again": under_way and not moved.follows,
        "event": _event(advanced, moved.before),
        "mail": given,
        "by": patch.by if patch and patch.paths else ordered.by if ordered else "",
        "via": ordered.via if ordered else "",
        "changes": patch.paths if patch else {},
        "approvals": audit.approvals(patch.approvals) if patch else {},
        "written": list(patch.written) if patch else [],
        "changed_cards": [audit.card_now(card) for card in written],
        "children": {run.key: run.id for run in moved.begun},
        "asks": [card.task_key for card in moved.opened],
        "calls": list(moved.calls),
        "judged": asdict(verdict) if verdict else {},
    }
    return {
        "at": now.isoformat(),
        "step": after.steps,
        "frame": top.kind,
        "input": mail.kind,
        "outcome": advanced.name,
        "status": after.status,
        "why": advanced.why,
        "to": position(after.frames[-1]),
        **({"end": after.end} if after.end else {}),
        "cards": [card.token for card in moved.shown],
        **{name: value for name, value in told.items() if value},
    }


def _event(advanced: StepOutcome, before: Run) -> str:
    """`task_start`, `progress` or `task_end` of a skill, as spec 003 names them."""
    if isinstance(advanced, Push):
        return "task_start"
    if isinstance(advanced, Done) and len(before.frames) > 1:
        return "task_end"
    return "progress" if isinstance(advanced, Next) and advanced.note else ""


def _note(moved: StepChange) -> Note | None:
    after = moved.after
    if after.status == "completed":
        return Note("done", told_of(after))
    if isinstance(moved.advanced, Done):
        waits = after.status == "suspended" and after.outgoing
        return Note("working", say("part.syncing", after.lang, name=after.name)) if waits else None
    return moved.advanced.note


def _late(run: Run, now: datetime) -> tuple[Post, ...]:
    top = run.frames[0]
    announced = isinstance(top, PlannerFrame) and top.phase in top.announced
    if run.parent or (run.end == "done" and announced):
        # Its phase_done card was a message of its own.
        return ()
    return said_late(
        run.part,
        run.lang,
        reply=run.reply,
        conversation=run.place,
        since=run.started_at,
        now=now,
    )


def _timers(moved: StepChange, now: datetime) -> tuple[Timer, ...]:
    """The clocks of new cards; those of an answered or replaced one stop."""
    answered = [moved.mail.card] if isinstance(moved.mail, CardDecided | CardExpired) else []
    ended = dict.fromkeys((*answered, *(write.card.token for write in moved.closed)))
    lane = f"run:{moved.after.id}"
    stopped = [timer for token in ended for timer in clocks.without_timers(token, lane)]
    started = [timer for card in moved.opened for timer in clocks.timers(card, now)]
    return (*stopped, *started)


def _alarms(run: Run, advanced: StepOutcome) -> tuple[Timer, ...]:
    alarms = advanced.alarms if isinstance(advanced, Fork) else ()
    lane = f"run:{run.id}"
    return tuple(
        Timer(lane, f"alarm:{alarm.id}", alarm.at, AlarmRang(id=alarm.id).stored())
        for alarm in alarms
    )


def wakes(run: Run) -> tuple[tuple[str, str], ...]:
    """Mail to the talk lane for every part that waited for this run's work; repeats are ignored."""
    lane, completed = f"talk:{run.conversation}", run.part.state == "done"
    return tuple(
        (lane, PartReady(reply=run.reply, index=i, completed=completed).stored()) for i in run.wakes
    )


def shown_at(run: Run, opened: tuple[Card, ...], context: StepContext) -> tuple[Post, ...]:
    """Where each card is shown: with the reply or below it, and where its approvers are."""
    posts: list[Post] = []
    for index, card in enumerate(opened):
        places = _homes(card, context) if card.review.roles else []
        if run.slot and index == 0:
            # It stands with the reply, however many approvers are reached there.
            places = [place for place in places if place != run.place]
        else:
            places.insert(0, run.place)
        posts.extend(
            Post(row=f"{card.token}@{place}", conversation=place, kind="card", ref=card.token)
            for place in dict.fromkeys(places)
        )
    return tuple(posts)


def _homes(card: Card, context: StepContext) -> list[str]:
    """Where those who may decide, and who stands in for them, are reached."""
    people, today = context.services.people, context.services.today
    return [
        *people.reviewer_homes(card.review),
        *people.person_homes(card.review.approvers or (), today),
    ]

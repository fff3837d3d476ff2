"""What a step of a run writes beside the run: part, cards, timers, posts, wake-ups, audit."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from cards.markdown import literal
from cards.model import Card
from cards.showing.view import MessageView, PartState, PartView
from cards.texts import say
from engine.cases.letters import letter_posts
from engine.frames import audit
from engine.frames.ends import completion_text, end_of, standing_failures
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import (
    Done,
    Fork,
    Next,
    Note,
    Push,
    StepContext,
    StepOutcome,
    Suspend,
    patch_of,
    verdict_of,
)
from engine.frames.replies import Part, late_posts
from engine.frames.state import ENDED, PlannerFrame, Run, ToolPlanFrame, position_of
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
from engine.ports.storage.store import (
    NOTHING,
    CardWrite,
    Effects,
    PartWrite,
    Post,
    Refresh,
    RunWrite,
    Timer,
)
from engine.reviews import clocks
from engine.runs import children
from engine.runs.sync_changes import change_posts, end_posts
from engine.sop import findings, violations

# How far a run is need not be shown at once: what comes soon after is shown in its place.
PROGRESS_S = 1.0
_UNDONE = frozenset({"failed", "withdrawn", "expired"})
"""Ends of which those who approved something before would not hear."""


@dataclass(frozen=True, slots=True)
class StepChange:
    """One step: the run before and after, the frame's outcome, and the mail that it was about.

    `opened` and `closed` are its cards; `calls` are answers of the model and of tools in it, as
    recorded for a replay; `started` are the child runs that it begins, `dropped` those that it
    ends. `follows` as in StepContext.
    """

    before: Run
    after: Run
    outcome: StepOutcome
    mail: RunMail
    opened: tuple[Card, ...] = ()
    closed: tuple[CardWrite, ...] = ()
    calls: tuple[dict[str, Any], ...] = ()
    started: tuple[Run, ...] = ()
    dropped: tuple[tuple[str, int], ...] = ()
    follows: bool = True

    @property
    def shown_cards(self) -> tuple[Card, ...]:
        """The new cards: those that somebody has to decide, and one that only informs."""
        info_card = self.outcome.info_card if isinstance(self.outcome, Next) else None
        return (*self.opened, *((info_card,) if info_card else ()))


def step_effects(step: StepChange, now: datetime) -> Effects:
    """Everything that the step writes, but for where its cards are shown."""
    after, effects = step_changes(step, now)
    return replace(effects, runs=(run_write(after), *effects.runs))


def step_changes(step: StepChange, now: datetime) -> tuple[Run, Effects]:
    """The run after the step, and everything else that it writes."""
    before, after, note = step.before, step.after, _part_note(step)
    if note and after.case:
        note = Note(note.state, "\n\n".join((note.text, *after.case.remarks)))
    if note:
        part = _told_part(before.part, note, after.end or note.state)
        after = after.model_copy(update={"part": part})
    slots: tuple[tuple[str, str], ...] = ()
    if before.slot and step.shown_cards:
        slots = ((before.reply, step.shown_cards[0].token),)
        after = after.model_copy(update={"slot": False})
    after = findings.note_project(after, step.outcome)
    after, chart = violations.post_chart(before, after, below=bool(step.opened))
    step = replace(step, after=after)
    effects = Effects(
        cards=(*step.closed, *map(CardWrite, step.shown_cards)),
        timers=(*_timers(step, now), *_alarms(step)),
        slots=slots,
        posts=(
            *(_late_posts(after, now) if after.status in ENDED else ()),
            *change_posts(before, after),
            *(end_posts(after, now, _ended_by(step.mail)) if _has_ended(step) else ()),
            *letter_posts(before, after, now),
            *findings.check_posts(after, step.outcome, now),
            *chart,
        ),
        mails=_step_mails(step),
        cancels=_cancelled_children(step),
        log=_log(step, now),
    )
    # A child speaks through its parent.
    if note and not after.parent:
        effects = effects.plus(_part_effects(after, note))
    return after, effects.plus(start_effects(step.started))


def _has_ended(step: StepChange) -> bool:
    return step.after.status in ENDED and step.before.status not in ENDED


def _ended_by(mail: RunMail) -> str:
    """The id of the person whose word the step followed, "" where it followed nobody's."""
    match mail:
        case CardDecided():
            return mail.decision.person
        case GraphOrdered():
            return mail.by
        case _:
            return ""


def start_effects(runs: Sequence[Run]) -> Effects:
    """What new runs write: themselves, the mail that starts each, and the beginning of its log."""
    if not runs:
        return NOTHING
    start = RunStarted().stored()
    return Effects(
        runs=tuple(map(run_write, runs)),
        mails=tuple((f"run:{run.id}", start) for run in runs),
        log=tuple(map(audit.start_entry, runs)),
    )


def _part_effects(run: Run, note: Note) -> Effects:
    due_s = PROGRESS_S if note.state == "working" else 0.0
    return Effects(
        parts=(PartWrite(run.reply, run.part.index, run.part.stored()),),
        touches=(Refresh(run.reply, due_s),),
    )


def _step_mails(step: StepChange) -> tuple[tuple[str, str], ...]:
    """What a child's parent hears, or the parts that waited for the run."""
    after = step.after
    if after.parent:
        patch = patch_of(step.outcome)
        return children.parent_mails(step.before, after, patch, step.outcome.why)
    return wake_mails(after) if after.status in ENDED else ()


def run_write(run: Run) -> RunWrite:
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
        # A child is a part of its parent.
        owners=() if run.parent else tuple(sorted(run.requester.ids)),
    )


def _log(step: StepChange, now: datetime) -> tuple[audit.Entry, ...]:
    """The step in the run's log, and in the logs of its children that it ends."""
    run, entry = step.after.id, json.dumps(_step_entry(step, now), ensure_ascii=False)
    ends = (audit.parent_cancel_entry(child, run, now) for child, _ in _cancelled_children(step))
    return ((run, entry), *ends)


def _cancelled_children(step: StepChange) -> tuple[tuple[str, int], ...]:
    """The children that the step ends."""
    return (*step.dropped, *children.cancelled_with_parent(step.after))


def _step_entry(step: StepChange, now: datetime) -> dict[str, Any]:
    """What the audit keeps of a step: enough to explain it, and to replay it."""
    outcome, mail, after = step.outcome, step.mail, step.after
    patch, verdict, top = patch_of(outcome), verdict_of(outcome), step.before.frames[-1]
    order = mail if isinstance(mail, RunResumed | GraphOrdered | MigrationOrdered) else None
    cards = (*(write.card for write in step.closed), *step.shown_cards)
    under_way = isinstance(top, ToolPlanFrame | LlmPlanFrame) and top.started
    facts = {
        "again": under_way and not step.follows,
        "event": _event_name(outcome, step.before),
        "mail": mail.model_dump(mode="json", exclude={"kind"}),
        "by": patch.by if patch and patch.paths else order.by if order else "",
        "via": order.via if order else "",
        "changes": patch.paths if patch else {},
        "approvals": audit.approval_facts(patch.approvals) if patch else {},
        "written": list(patch.written) if patch else [],
        "changed_cards": [audit.card_facts(card) for card in cards],
        "children": {run.key: run.id for run in step.started},
        "asks": [card.task_key for card in step.opened],
        "calls": list(step.calls),
        "judged": {n: v for n, v in asdict(verdict).items() if v != ()} if verdict else {},
        "read": dict(outcome.read) if isinstance(outcome, Next) else {},
        "unused": outcome.unused if isinstance(outcome, Suspend) else "",
    }
    return {
        "at": now.isoformat(),
        "step": after.steps,
        "frame": top.kind,
        "input": mail.kind,
        "outcome": outcome.name,
        "status": after.status,
        "why": outcome.why,
        "to": position_of(after.frames[-1]),
        **({"end": after.end} if after.end else {}),
        "cards": [card.token for card in step.shown_cards],
        **{name: value for name, value in facts.items() if value},
    }


def _event_name(outcome: StepOutcome, before: Run) -> str:
    """`task_start`, `progress` or `task_end` of a skill, as spec 003 names them."""
    if isinstance(outcome, Push):
        return "task_start"
    if isinstance(outcome, Done) and len(before.frames) > 1:
        return "task_end"
    return "progress" if isinstance(outcome, Next) and outcome.note else ""


def _told_part(part: Part, note: Note, state: PartState) -> Part:
    """The part with what is told of it now; what its words are like is in the log, and not here."""
    why = part.intent.why.partition(";")[0]
    intent = part.intent.model_copy(update={"why": why})
    return part.model_copy(update={"intent": intent, "state": state, "text": note.text})


def _part_note(step: StepChange) -> Note | None:
    after = step.after
    if after.status == "completed":
        return Note("done", completion_text(after))
    if isinstance(step.outcome, Done):
        waits = after.status == "suspended" and after.outgoing
        return Note("working", say("part.syncing", after.lang, name=after.name)) if waits else None
    return step.outcome.note


def _late_posts(run: Run, now: datetime) -> tuple[Post, ...]:
    top = run.frames[0]
    announced = isinstance(top, PlannerFrame) and top.phase in top.announced
    if run.parent or (run.end == "done" and announced):
        # Its phase_done card was a message of its own.
        return ()
    return late_posts(
        run.part,
        run.lang,
        reply=run.reply,
        conversation=run.place,
        since=run.started_at,
        now=now,
    )


def _timers(step: StepChange, now: datetime) -> tuple[Timer, ...]:
    """The clocks of new cards; those of an answered or replaced one stop."""
    answered = [step.mail.card] if isinstance(step.mail, CardDecided | CardExpired) else []
    ended = dict.fromkeys((*answered, *(write.card.token for write in step.closed)))
    lane = f"run:{step.after.id}"
    stopped = [timer for token in ended for timer in clocks.stop_timers(token, lane)]
    started = [timer for card in step.opened for timer in clocks.card_timers(card, now)]
    return (*stopped, *started)


def _alarms(step: StepChange) -> tuple[Timer, ...]:
    alarms = step.outcome.alarms if isinstance(step.outcome, Fork) else ()
    lane = f"run:{step.after.id}"
    return tuple(
        Timer(lane, f"alarm:{alarm.id}", alarm.at, AlarmRang(id=alarm.id).stored())
        for alarm in alarms
    )


def wake_mails(run: Run) -> tuple[tuple[str, str], ...]:
    """Mail to the talk lane for every part that waited for this run's work; repeats are ignored."""
    lane, completed = f"talk:{run.conversation}", run.part.state == "done"
    return tuple(
        (lane, PartReady(reply=run.reply, index=i, completed=completed).stored()) for i in run.wakes
    )


def card_posts(run: Run, opened: tuple[Card, ...], context: StepContext) -> tuple[Post, ...]:
    """Where each card is shown: with the reply or below it, and where its approvers are."""
    posts: list[Post] = []
    for index, card in enumerate(opened):
        places = _approver_places(card, context) if card.review.by_policy else []
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


def told_posts(outcome: StepOutcome, run: Run, context: StepContext) -> tuple[Post, ...]:
    """Where others are shown a card that only informs."""
    card = outcome.info_card if isinstance(outcome, Next) else None
    if card is None or not isinstance(outcome, Next):
        return ()
    homes = context.services.people.person_homes(outcome.tells, context.services.today)
    return tuple(
        Post(row=f"{card.token}@{place}", conversation=place, kind="card", ref=card.token)
        for place in dict.fromkeys(homes)
        if place != run.place
    )


def failure_posts(before: Run, after: Run, context: StepContext) -> tuple[Post, ...]:
    """A note to each who approved something of a run that this step ends without doing it.

    Who asked reads it in their reply.
    """
    if after.parent or _is_over(before) or not _is_over(after) or _end(after) not in _UNDONE:
        return ()
    requester, approvals = after.requester, after.state.approvals.values()
    approvers = {each: None for one in approvals for each in one.ids if each not in requester.ids}
    if not approvers:
        return ()
    told = after.part.text if after.status in ENDED else completion_text(after)
    who = literal(requester.name)
    text = say("approved.failed", after.lang, name=after.name, who=who, told=told)
    view = PartView(number=0, state="failed", text=text)
    body = MessageView(lang=after.lang, parts=(view,)).model_dump_json()
    row = f"{after.id}/failed"
    homes = context.services.people.person_homes(tuple(approvers), context.services.today)
    return tuple(
        Post(row=f"{row}@{place}", conversation=place, kind="note", ref=row, body=body)
        for place in dict.fromkeys(homes)
        if place != after.place
    )


def _is_over(run: Run) -> bool:
    return run.finished or run.status in ENDED


def _end(run: Run) -> str | None:
    """How a run that is over ended, or will once its last change is with its system of record."""
    if run.status in ENDED:
        return run.end
    return next((each.end for each in standing_failures(run.state)[-1:]), None)


def _approver_places(card: Card, context: StepContext) -> list[str]:
    """Where those who may decide, and who stands in for them, are reached."""
    people, today = context.services.people, context.services.today
    return [
        *people.reviewer_homes(card.review),
        *people.person_homes(card.review.approvers or (), today),
    ]

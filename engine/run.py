"""The run loop: one mail, one step, one commit (design §3, §5)."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from cards.model import Card, Lang
from cards.texts import say
from cards.view import MessageView, PartView
from engine import prompt, sop, tool_plan
from engine.frames.outcome import (
    Advance,
    Advanced,
    Answer,
    ChildDone,
    Done,
    Ended,
    Entered,
    Input,
    Next,
    Note,
    Push,
    StepContext,
    Suspend,
    TimedOut,
)
from engine.frames.state import ENDED, Run, RunStatus
from engine.mail import (
    CardDecided,
    CardExpired,
    Continued,
    PartReady,
    Resumed,
    RunMail,
    Started,
    Synced,
    SyncFailed,
)
from engine.planner import frame as planner
from engine.ports.store import CardWrite, Effects, PartWrite, Post, RunWrite, Timer, Touch
from engine.replies import said_late

# One line per frame kind: who advances it.
ADVANCE: dict[str, Advance] = {
    "planner": planner.advance,
    "prompt": prompt.advance,
    "sop": sop.advance,
    "tool_plan": tool_plan.advance,
}
MAX_STEPS = 500
_CONTINUE = Continued().model_dump_json()


@dataclass(frozen=True, slots=True)
class Stepped:
    """What a step changes, and the mail that goes before all other, "" when the run rests.

    `park` when the run is blocked: the mail stays for when an operator lets the run go on.
    """

    effects: Effects
    front: str
    park: bool = False


async def step(mail: RunMail, context: StepContext) -> Stepped:
    """Advance the run's top frame once. Mail for a card that is not awaited changes nothing."""
    run = context.run
    if run.status == "blocked":
        return _resumed(run, context) if isinstance(mail, Resumed) else _BLOCKED
    given = _given(run, mail)
    if given is None or run.status in ENDED:
        return Stepped(Effects(), "")
    if run.steps >= MAX_STEPS:
        advanced: Advanced = blocked(run, say("run.too_many_steps", run.lang))
    else:
        advanced = await ADVANCE[run.frames[-1].kind](run.frames[-1], given, context)
    return _stepped(run, mail, advanced, context)


_BLOCKED = Stepped(Effects(), "", park=True)


def _resumed(run: Run, context: StepContext) -> Stepped:
    """As it stood before it was blocked; the mail that it kept is behind this one."""
    status: RunStatus = "suspended" if run.waiting else "running"
    note = Note("working", say("part.resumed", run.lang, name=run.name))
    goes_on = Ended(status, note, "an operator lets it go on")
    after = run.model_copy(update={"status": status})
    return Stepped(_effects(run, after, goes_on, Resumed(), (), context.services.now), "")


def blocked(run: Run, reason: str) -> Ended:
    """The run stops until an operator acts."""
    text = say("part.blocked", run.lang, name=run.name, reason=reason)
    return Ended("blocked", Note("failed", text), reason)


def stopped(run: Run, ended: Ended, now: datetime) -> Effects:
    """The effects of blocking a run outside of a step."""
    after = run.model_copy(update={"status": ended.status})
    return _effects(run, after, ended, Continued(), (), now)


def unreadable(body: str) -> Effects:
    """What is said of a run that another version of us wrote; the run itself is left alone."""
    try:
        kept = json.loads(body)
        lang: Lang = "zh" if kept["lang"] == "zh" else "en"
        name, conversation, row = str(kept["name"]), str(kept["conversation"]), str(kept["id"])
    except (ValueError, KeyError, TypeError):
        return Effects()
    text = say("part.blocked", lang, name=name, reason=say("run.newer_state", lang))
    shown = PartView(number=0, state="failed", text=text)
    note = MessageView(lang=lang, parts=(shown,)).model_dump_json()
    ref = f"{row}/unreadable"
    post = Post(row=ref, conversation=conversation, kind="note", ref=ref, body=note)
    return Effects(posts=(post,))


def _given(run: Run, mail: RunMail) -> Input | None:
    """The frame's input, or None for mail that no longer concerns the run."""
    match mail:
        case Started() | Continued():
            if run.status != "running":
                return None
            return ChildDone(run.result) if run.result else Entered()
        case CardDecided():
            return Answer(mail.card, mail.decision) if mail.card in run.waiting else None
        case CardExpired():
            return TimedOut(mail.card) if mail.card in run.waiting else None
        case Resumed() | Synced() | SyncFailed():
            return None
        case _:
            assert_never(mail)


def _stepped(run: Run, mail: RunMail, advanced: Advanced, context: StepContext) -> Stepped:
    opened: tuple[Card, ...] = ()
    base = run.model_copy(
        update={"status": "running", "waiting": (), "result": None, "steps": run.steps + 1}
    )
    below = run.frames[:-1]
    match advanced:
        case Next(frame=frame, patch=patch):
            state = patch.apply(run.state) if patch else run.state
            after = base.model_copy(update={"frames": (*below, frame), "state": state})
        case Push(frame=frame, child=child):
            after = base.model_copy(update={"frames": (*below, frame, child)})
        case Done(patch=patch):
            after = base.model_copy(update={"state": patch.apply(run.state)})
            if below:
                after = after.model_copy(update={"frames": below, "result": patch})
            else:
                after = after.model_copy(update={"status": "completed"})
        case Suspend(frame=frame, cards=opened):
            waiting = tuple(card.token for card in opened)
            after = base.model_copy(
                update={"status": "suspended", "frames": (*below, frame), "waiting": waiting}
            )
        case Ended(status="blocked"):
            # All else stays as it is, for the same step to be tried again.
            after = run.model_copy(update={"status": "blocked", "steps": base.steps})
        case Ended(status=status):
            after = base.model_copy(update={"status": status})
        case _:
            assert_never(advanced)
    effects = _effects(run, after, advanced, mail, opened, context.services.now)
    effects = replace(effects, posts=effects.posts + _posts(run, opened, context))
    front = _CONTINUE if after.status == "running" else ""
    return Stepped(effects, front, park=after.status == "blocked")


def _effects(
    before: Run,
    after: Run,
    advanced: Advanced,
    mail: RunMail,
    opened: tuple[Card, ...],
    now: datetime,
) -> Effects:
    note = advanced.note if isinstance(advanced, Suspend | Ended) else _done_note(after)
    if note:
        part = before.part.model_copy(update={"state": note.state, "text": note.text})
        after = after.model_copy(update={"part": part})
    slots: tuple[tuple[str, str], ...] = ()
    if before.slot and opened:
        slots = ((before.reply, opened[0].token),)
        after = after.model_copy(update={"slot": False})
    ended = after.status if after.status in ENDED else ""
    entry = {
        "at": now.isoformat(),
        "step": after.steps,
        "frame": before.frames[-1].kind,
        "input": mail.kind,
        "outcome": type(advanced).__name__.lower(),
        "status": after.status,
        "why": advanced.why,
        "cards": [card.token for card in opened],
    }
    return Effects(
        runs=(
            RunWrite(
                id=after.id,
                conversation=after.conversation,
                reply=after.reply,
                body=after.stored(),
                steps=after.steps,
                ended=ended,
            ),
        ),
        parts=(PartWrite(after.reply, after.part.index, after.part.stored()),) if note else (),
        cards=tuple(CardWrite(card) for card in opened),
        timers=_timers(after, opened),
        slots=slots,
        posts=_late(after, now) if ended else (),
        touches=(Touch(after.reply),) if note else (),
        mails=wakes(after) if ended or after.part.state == "done" else (),
        log=((after.id, json.dumps(entry, ensure_ascii=False)),),
    )


def _late(run: Run, now: datetime) -> tuple[Post, ...]:
    if run.status == "completed":
        # Its phase_done card was a message of its own.
        return ()
    return said_late(
        run.part,
        run.lang,
        reply=run.reply,
        conversation=run.conversation,
        since=run.started_at,
        now=now,
    )


def _done_note(after: Run) -> Note | None:
    if after.status != "completed":
        return None
    return Note("done", say("part.done", after.lang, name=after.name))


def _timers(run: Run, opened: tuple[Card, ...]) -> tuple[Timer, ...]:
    lane = f"run:{run.id}"
    return tuple(
        Timer(lane, f"expire:{c.token}", c.deadline, CardExpired(card=c.token).model_dump_json())
        for c in opened
        if c.deadline
    )


def wakes(run: Run) -> tuple[tuple[str, str], ...]:
    """Mail to the talk lane for every part that waited for this run's work; repeats are ignored."""
    lane, completed = f"talk:{run.conversation}", run.part.state == "done"
    return tuple(
        (lane, PartReady(reply=run.reply, index=i, completed=completed).model_dump_json())
        for i in run.wakes
    )


def _posts(run: Run, opened: tuple[Card, ...], context: StepContext) -> tuple[Post, ...]:
    """Where each card is shown: with the reply or below it, and where its approvers are."""
    posts: list[Post] = []
    for index, card in enumerate(opened):
        places = list(context.services.people.homes(card.review)) if card.review.roles else []
        if not (run.slot and index == 0):
            places.insert(0, run.conversation)
        elif run.conversation in places:
            places.remove(run.conversation)
        posts.extend(
            Post(row=f"{card.token}@{place}", conversation=place, kind="card", ref=card.token)
            for place in dict.fromkeys(places)
        )
    return tuple(posts)

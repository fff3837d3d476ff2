"""The run loop: one mail, one step, one commit (design §3, §5)."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from cards.markdown import literal
from cards.model import Card
from cards.showing.view import MessageView, PartView
from cards.texts import lang_of_tag, say
from engine.errors import BudgetExceeded
from engine.frames import ends as run_ends
from engine.frames.jobs import JobFrame, JobsFrame, LeaderFrame
from engine.frames.outcome import (
    Advance,
    AlarmFired,
    CardAnswered,
    CardTimedOut,
    ChildFrameDone,
    Done,
    Fork,
    FrameEntered,
    FrameInput,
    Next,
    Note,
    OrderReceived,
    Push,
    StatusChange,
    StepContext,
    StepOutcome,
    Suspend,
)
from engine.frames.state import ENDED, PlannerFrame, Run, RunStatus
from engine.jobs import expert, leader
from engine.jobs import frame as jobs
from engine.mail import (
    AlarmRang,
    CardDecided,
    CardExpired,
    ChangeSynced,
    ChildRunReported,
    GraphOrdered,
    MigrationOrdered,
    ReviewDue,
    RunContinued,
    RunMail,
    RunResumed,
    RunStarted,
    SyncFailed,
)
from engine.planner import frame as planner
from engine.playbooks.end_kinds import USUAL
from engine.ports.model import ModelUsage
from engine.ports.storage.store import Effects, Post
from engine.reviews.clocks import supersede
from engine.runs import children, syncing
from engine.runs.budget import budget_of, used_in
from engine.runs.effects import StepChange, effects, shown_at
from engine.runs.merge import BadState, merged
from engine.runs.migration import Migration, told
from engine.skills import ask_skill, model_skill
from engine.sop import batch
from engine.sop import engine as sop
from engine.tool_plan import fixed, planned

# One line per frame kind: who advances it.
ADVANCE: dict[str, Advance] = {
    "planner": planner.advance,
    "prompt": ask_skill.advance,
    "model": model_skill.advance,
    "sop": sop.advance,
    "batch": batch.advance,
    "tool_plan": fixed.advance,
    "llm_plan": planned.advance,
    "jobs": jobs.advance,
    "leader": leader.advance,
    "job": expert.advance,
}
# So many steps of its own a run may take while nobody has a say.
MAX_STEPS = 500
# Mail that is somebody's word.
_WORDS = (CardDecided, GraphOrdered)
CONTINUE = RunContinued().stored()


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
    run, now = context.run, context.services.now
    if run.status == "blocked":
        return _resumed(run, mail, now) if isinstance(mail, RunResumed) else _BLOCKED
    if isinstance(mail, ChangeSynced):
        return _synced(run, mail, now)
    if isinstance(mail, SyncFailed):
        return _refused(run, mail, now)
    given = _given(run, mail)
    if given is None or run.status in ENDED:
        return Stepped(Effects(), "")
    return _stepped(run, mail, await _advanced(run, mail, given, context), context)


async def _advanced(
    run: Run, mail: RunMail, given: FrameInput, context: StepContext
) -> StepOutcome:
    """What the top frame gives; a run that has used up its steps or its budget is blocked."""
    since = run.own_steps if isinstance(mail, _WORDS) else run.counted_from
    if run.own_steps - since >= MAX_STEPS:
        return blocked(run, say("run.too_many_steps", run.lang, n=MAX_STEPS))
    try:
        return await ADVANCE[run.frames[-1].kind](run.frames[-1], given, context)
    except BudgetExceeded as error:
        context.services.meter.count("budget_used", "run")
        budget = budget_of(context.playbook, context.services)
        numbers = {"calls": f"{budget.calls:,}", "tokens": f"{budget.tokens:,}"}
        told = blocked(run, say("run.budget_used", run.lang, **numbers))
        return replace(told, why=f"its budget of the model is used up: {error}")


_BLOCKED = Stepped(Effects(), "", park=True)


def _resumed(run: Run, mail: RunResumed, now: datetime) -> Stepped:
    """As it stood before it was blocked; the mail that it kept is behind this one."""
    waits = run.waiting or _only_syncs(run) or _rests_in_graph(run) or _waits_for_model(run)
    status: RunStatus = "suspended" if waits or run.children else "running"
    note = Note("working", say("part.resumed", run.lang, name=run.name))
    goes_on = StatusChange(status, note, "an operator lets it go on")
    # An operator's word counts as anybody's: what stood still may be tried anew.
    counts = {"heard": run.heard + 1, "counted_from": run.own_steps, "used": ModelUsage()}
    after = syncing.again(run).model_copy(update={"status": status, **counts})
    return Stepped(effects(StepChange(run, after, goes_on, mail), now), "")


def _only_syncs(run: Run) -> bool:
    """Whether the run has finished, but for what the system of record has to take."""
    return run.finished and bool(run.outgoing)


def _synced(run: Run, mail: ChangeSynced, now: datetime) -> Stepped:
    """The next change goes out; a run that only waited for the last one is complete."""
    after = syncing.taken(run, mail.number)
    if after is run:
        return Stepped(Effects(), "")
    why = f"change {mail.number} is in the system of record"
    if after.finished and not after.outgoing and after.status == "suspended":
        after = run_ends.completed(after)
    advanced = Next(run.frames[-1], why)
    return Stepped(effects(StepChange(run, after, advanced, mail), now), "")


def _refused(run: Run, mail: SyncFailed, now: datetime) -> Stepped:
    if run.status in ENDED or not syncing.refused(run, mail.number, mail.attempt):
        return Stepped(Effects(), "")
    ended = blocked(run, say("run.sync_refused", run.lang, reason=literal(mail.reason)))
    after = run.model_copy(update={"status": "blocked"})
    return Stepped(effects(StepChange(run, after, ended, mail), now), "", park=True)


def blocked(run: Run, reason: str) -> StatusChange:
    """The run stops until an operator acts."""
    text = say("part.blocked", run.lang, name=run.name, reason=reason)
    return StatusChange("blocked", Note("failed", text), reason)


def stopped(run: Run, ended: StatusChange, now: datetime) -> Effects:
    """The effects of blocking a run outside of a step."""
    after = run.model_copy(update={"status": ended.status})
    return effects(StepChange(run, after, ended, RunContinued()), now)


def migrated(
    mail: MigrationOrdered, change: Migration, cards: Sequence[Card], context: StepContext
) -> Stepped:
    """The run goes on with another version of its playbook; it stays as it is with faults."""
    run, after = context.run, change.run
    if change.faults:
        return Stepped(Effects(), "", park=run.status == "blocked")
    closed = supersede(cards) if change.asks_again else ()
    moved = StepChange(run, after, told(run, change), mail, closed=closed)
    front = CONTINUE if change.asks_again else ""
    return Stepped(effects(moved, context.services.now), front)


def unreadable(body: str) -> Effects:
    """What is said of a run that another version of us wrote; the run itself is left alone."""
    try:
        kept = json.loads(body)
        lang = lang_of_tag(str(kept["lang"]))
        name, row = str(kept["name"]), str(kept["id"])
        place = str(kept.get("thread") or kept["conversation"])
    except (ValueError, KeyError, TypeError):
        return Effects()
    text = say("part.blocked", lang, name=name, reason=say("run.newer_state", lang))
    shown = PartView(number=0, state="failed", text=text)
    note = MessageView(lang=lang, parts=(shown,)).model_dump_json()
    ref = f"{row}/unreadable"
    post = Post(row=ref, conversation=place, kind="note", ref=ref, body=note)
    return Effects(posts=(post,))


def _given(run: Run, mail: RunMail) -> FrameInput | None:
    """The frame's input, or None for mail that no longer concerns the run."""
    rests = run.status == "suspended"
    match mail:
        case RunStarted() | RunContinued():
            if run.status != "running":
                return None
            return ChildFrameDone(run.result) if run.result else FrameEntered()
        case CardDecided():
            return CardAnswered(mail.card, mail.decision) if mail.card in run.waiting else None
        case CardExpired():
            return CardTimedOut(mail.card) if mail.card in run.waiting else None
        case ChildRunReported():
            return children.ended(run, mail)
        case AlarmRang():
            wakes = rests and (_rests_in_graph(run) or _waits_for_model(run))
            return AlarmFired(mail.id) if wakes else None
        case GraphOrdered():
            told = OrderReceived(mail.what, mail.name, mail.text, mail.job)
            return told if rests and _rests_in_graph(run) else None
        case RunResumed() | ChangeSynced() | SyncFailed() | MigrationOrdered() | ReviewDue():
            return None
        case _:
            assert_never(mail)


def _rests_in_graph(run: Run) -> bool:
    """Whether the run is in a job graph that has begun: it then waits between its steps."""
    frame = run.frames[-1]
    return isinstance(frame, JobsFrame) and frame.graph is not None


def _waits_for_model(run: Run) -> bool:
    """Whether the planner has found its model away, and waits to ask it again."""
    frame = run.frames[-1]
    return not run.waiting and isinstance(frame, PlannerFrame) and frame.waited > 0


def _stepped(run: Run, mail: RunMail, advanced: StepOutcome, context: StepContext) -> Stepped:
    now = context.services.now
    answered = mail.card if isinstance(mail, CardDecided | CardExpired) else ""
    try:
        after = _after(run, advanced, context, answered=answered)
    except BadState as error:
        advanced = blocked(run, say("run.bad_state", run.lang, faults=literal(str(error))))
        after = _after(run, advanced, context)
    heard = run.heard + isinstance(mail, CardDecided)
    left = children.left(after, mail)
    prompted = run.prompted + isinstance(mail, ChildRunReported | AlarmRang)
    calls = context.services.recorded()
    counts = {"heard": heard, "prompted": prompted, "used": run.used.plus(used_in(calls))}
    if isinstance(mail, _WORDS):
        counts["counted_from"] = run.own_steps
    after = after.model_copy(update={"children": left, **counts})
    after, dropped = children.dropped(after, _drops(advanced, after))
    opened = advanced.cards if isinstance(advanced, Suspend) else ()
    begun: tuple[Run, ...] = ()
    if isinstance(advanced, Fork):
        after, begun = children.begun(after, advanced, context)
    moved = StepChange(
        run,
        after,
        advanced,
        mail,
        opened,
        calls=calls,
        begun=begun,
        dropped=dropped,
        follows=context.follows,
    )
    changed = effects(moved, now)
    changed = replace(changed, posts=changed.posts + shown_at(run, moved.shown, context))
    front = CONTINUE if after.status == "running" else ""
    return Stepped(changed, front, park=after.status == "blocked")


def _drops(advanced: StepOutcome, run: Run) -> Collection[str]:
    """The children that are not waited for any more; none outlives the frame that began it."""
    if isinstance(advanced, Done):
        return tuple(run.children)
    return advanced.dropped_children if isinstance(advanced, Suspend | Fork) else ()


def _after(run: Run, advanced: StepOutcome, context: StepContext, *, answered: str = "") -> Run:
    """The run after the step; raises BadState when a change does not fit the playbook.

    `answered` is the card that the step was about.
    """
    base = run.model_copy(
        update={"status": "running", "waiting": (), "result": None, "steps": run.steps + 1}
    )
    below = run.frames[:-1]
    match advanced:
        case Next(frame=frame, patch=patch):
            state = merged(run.state, patch, context.playbook) if patch else run.state
            return base.model_copy(update={"frames": (*below, frame), "state": state})
        case Push(frame=frame, child=child):
            return base.model_copy(update={"frames": (*below, frame, child)})
        case Done(patch=patch):
            state = merged(run.state, patch, context.playbook)
            state = run_ends.with_ending(state, patch.ending, run.frames)
            after = base.model_copy(update={"state": state})
            if not isinstance(run.frames[0], JobFrame | LeaderFrame):
                # What a job changes is its graph's to pass on.
                now = context.services.now
                after = syncing.noted(after, context.playbook, patch.by, now)
            if below:
                return after.model_copy(update={"frames": below, "result": patch})
            # It is not complete before the system of record has everything.
            after = after.model_copy(update={"status": "suspended", "finished": True})
            return after if after.outgoing else run_ends.completed(after)
        case Suspend(frame=frame, cards=opened):
            waiting = tuple(card.token for card in opened)
            return base.model_copy(
                update={"status": "suspended", "frames": (*below, frame), "waiting": waiting}
            )
        case Fork(frame=frame, patch=patch, dropped_cards=dropped):
            state = merged(run.state, patch, context.playbook) if patch else run.state
            waiting = tuple(token for token in run.waiting if token not in (answered, *dropped))
            update = {"status": "suspended", "frames": (*below, frame), "waiting": waiting}
            return base.model_copy(update={**update, "state": state})
        case StatusChange(status="blocked"):
            # All else stays as it is, for the same step to be tried again.
            return run.model_copy(update={"status": "blocked", "steps": base.steps})
        case StatusChange(status=status, end=end):
            return base.model_copy(update={"status": status, "end": end or USUAL.get(status)})
    assert_never(advanced)

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
from engine.cases import conflict as case_conflict
from engine.cases import letters
from engine.cases.message import heed_message
from engine.documents import document
from engine.errors import BudgetExceeded
from engine.frames.ends import block_run, complete_run, record_ending
from engine.frames.form_options import fill_options
from engine.frames.job_graph import JobFrame, JobsFrame, LeaderFrame
from engine.frames.llm_plan import LlmPlanFrame
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
from engine.frames.state import (
    ENDED,
    AgentState,
    CaseFrame,
    Patch,
    PlannerFrame,
    Run,
    RunStatus,
    ToolPlanFrame,
)
from engine.jobs import expert, leader
from engine.jobs import frame as jobs
from engine.mail import (
    AlarmRang,
    CardDecided,
    CardExpired,
    CaseAnswered,
    ChangeSynced,
    ChildRunReported,
    FilesJoined,
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
from engine.runs.children import (
    child_input,
    drop_children,
    remaining_children,
    start_children,
)
from engine.runs.effects import (
    StepChange,
    card_posts,
    failure_posts,
    run_write,
    step_changes,
    step_effects,
    told_posts,
)
from engine.runs.file_contents import with_contents
from engine.runs.foreseen import tell_missing_approvers
from engine.runs.migration import Migration, migration_outcome
from engine.runs.run_state import (
    BadState,
    compute_leaves,
    merge_patch,
    with_computed,
    with_decision,
    with_more_files,
)
from engine.runs.step_services import budget_of, usage_of
from engine.runs.sync_changes import (
    add_change,
    is_about_current_change,
    note_decision,
    note_known,
    remove_taken_change,
    send_again,
)
from engine.skills import ask_skill, model_skill
from engine.sop import batch
from engine.sop import engine as sop
from engine.tool_plan import fixed_plan, llm_plan

# One line for each kind of frame: who advances it.
ADVANCE: dict[str, Advance] = {
    "planner": planner.advance,
    "prompt": ask_skill.advance,
    "model": model_skill.advance,
    "sop": sop.advance,
    "batch": batch.advance,
    "tool_plan": fixed_plan.advance,
    "llm_plan": llm_plan.advance,
    "document": document.advance,
    "jobs": jobs.advance,
    "leader": leader.advance,
    "job": expert.advance,
    "case": case_conflict.advance,
}
# How many steps of its own a run may take while nobody has a say.
MAX_STEPS = 500
# Mail by which somebody has a say.
_MAIL_OF_PEOPLE = (CardDecided, GraphOrdered)
CONTINUE = RunContinued().stored()


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step changes, and the mail that is put first into the lane, "" for none.

    `park` when the run is blocked: its mail stays until an operator lets the run go on. With a
    `run`, the one after the step, the effects do not have it yet.
    """

    effects: Effects
    front: str
    park: bool = False
    run: Run | None = None

    def written(self) -> "StepResult":
        """The same, whose effects write the run."""
        if self.run is None:
            return self
        runs = (run_write(self.run), *self.effects.runs)
        return replace(self, effects=replace(self.effects, runs=runs), run=None)


async def advance_run(mail: RunMail, context: StepContext) -> StepResult:
    """Advance the run's top frame once; mail that does not concern the run changes nothing."""
    return (await take_step(mail, context)).written()


async def take_step(mail: RunMail, context: StepContext) -> StepResult:
    """The same, with the run beside the effects of a step of its top frame."""
    run, now = context.run, context.services.now
    if isinstance(mail, FilesJoined):
        return _join_files(run, mail, now)
    if run.status == "blocked":
        return _resume(run, mail, now) if isinstance(mail, RunResumed) else _STAYS_BLOCKED
    if isinstance(mail, ChangeSynced):
        return _confirm_change(run, mail, now)
    if isinstance(mail, SyncFailed):
        return _block_on_refusal(run, mail, now)
    if isinstance(mail, CaseAnswered):
        return await _take_case_answer(run, mail, context)
    if run.case is not None and run.case.waits is not None:
        # Nothing goes on before the case has answered.
        return StepResult(Effects(), "")
    frame_input = _frame_input(run, mail)
    if frame_input is None or run.status in ENDED:
        return StepResult(Effects(), "")
    if isinstance(mail, RunStarted | RunContinued) and letters.wants_answer(run):
        return _ask_case(run, mail, context)
    outcome = await _advance_frame(run, mail, frame_input, context)
    return _apply_outcome(run, mail, outcome, context)


async def _advance_frame(
    run: Run, mail: RunMail, frame_input: FrameInput, context: StepContext
) -> StepOutcome:
    """Advance the top frame; a run that has used up its steps or its budget is blocked."""
    since = run.own_steps if isinstance(mail, _MAIL_OF_PEOPLE) else run.counted_from
    if run.own_steps - since >= MAX_STEPS:
        return block_run(run, say("run.too_many_steps", run.lang, n=MAX_STEPS))
    try:
        context = await with_contents(context)
        outcome = await ADVANCE[run.frames[-1].kind](run.frames[-1], frame_input, context)
        return await tell_missing_approvers(await fill_options(outcome, context), context)
    except BudgetExceeded as error:
        context.services.meter.count("budget_used", "run")
        budget = budget_of(context.playbook, context.services)
        numbers = {"calls": f"{budget.calls:,}", "tokens": f"{budget.tokens:,}"}
        blocked = block_run(run, say("run.budget_used", run.lang, **numbers))
        return replace(blocked, why=f"its budget of the model is used up: {error}")


_STAYS_BLOCKED = StepResult(Effects(), "", park=True)


def _resume(run: Run, mail: RunResumed, now: datetime) -> StepResult:
    """The run as it stood before it was blocked; the mail that it kept is behind this one."""
    status: RunStatus = "suspended" if _has_to_wait(run) else "running"
    note = Note("working", say("part.resumed", run.lang, name=run.name))
    outcome = StatusChange(status, note, "an operator lets it go on")
    # An operator's word counts as anybody's: what stood still may be tried anew.
    counts = {"heard": run.heard + 1, "counted_from": run.own_steps, "used": ModelUsage()}
    after = letters.send_letter_again(send_again(run)).model_copy(
        update={"status": status, **counts}
    )
    return StepResult(step_effects(StepChange(run, after, outcome, mail), now), "")


def _has_to_wait(run: Run) -> bool:
    """Whether the run goes on only when something else happens."""
    is_only_syncing = run.finished and bool(run.outgoing)
    is_asking_case = run.case is not None and run.case.waits is not None
    waits = run.waiting or run.children or is_only_syncing or is_asking_case
    return bool(waits) or _is_resting_in_graph(run) or _is_waiting_to_retry(run)


def _join_files(run: Run, mail: FilesJoined, now: datetime) -> StepResult:
    """The run with files that were shared meanwhile; it goes on as it would have."""
    is_blocked = run.status == "blocked"
    state = with_more_files(run.state, mail.names)
    if run.status in ENDED or state is run.state:
        return StepResult(Effects(), "", park=is_blocked)
    outcome = Next(run.frames[-1], f"has more files: {', '.join(mail.names)}")
    step = StepChange(run, run.model_copy(update={"state": state}), outcome, mail)
    return StepResult(step_effects(step, now), "", park=is_blocked)


def _confirm_change(run: Run, mail: ChangeSynced, now: datetime) -> StepResult:
    """Send the next change; a run that only waited for the last one is complete."""
    after = remove_taken_change(run, mail.number)
    if after is run:
        return StepResult(Effects(), "")
    why = f"change {mail.number} is in the system of record"
    if after.status == "suspended" and _has_nothing_left(after):
        after = complete_run(after)
    outcome = Next(run.frames[-1], why)
    return StepResult(step_effects(StepChange(run, after, outcome, mail), now), "")


def _has_nothing_left(run: Run) -> bool:
    """Whether a run that has finished is known to the system of record and to its case."""
    is_open = run.case is not None and (run.case.waits or run.case.conflicts)
    return run.finished and not run.outgoing and not is_open


def _ask_case(run: Run, mail: RunMail, context: StepContext) -> StepResult:
    """Ask the run's case for what is known before its next step."""
    now = context.services.now
    after = letters.with_letter(run, context.playbook, run.requester.id, now)
    outcome = Next(run.frames[-1], "asks its case for what is known")
    after = after.model_copy(update={"steps": run.steps + 1})
    return StepResult(step_effects(StepChange(run, after, outcome, mail), now), "")


async def _take_case_answer(run: Run, mail: CaseAnswered, context: StepContext) -> StepResult:
    """Go on with what the case knows; what was changed meanwhile is decided first."""
    link = run.case
    if link is None or link.waits is None or link.waits.number != mail.answer.number:
        return StepResult(Effects(), "")
    if run.status in ENDED:
        return StepResult(Effects(), "")
    after = compute_leaves(
        letters.take_answer(run, mail.answer, context.playbook), context.playbook
    )
    news = mail.answer.leaves.keys() - link.waits.changes.keys()
    after = note_known(after, context.playbook, news)
    if not link.joined:
        after, said = await heed_message(after, context)
        after = letters.pass_phases(run, after, context.playbook, said)
    after = after.model_copy(update={"status": "running", "steps": run.steps + 1})
    if after.case and after.case.conflicts:
        after = letters.with_conflict_frame(after)
    elif after.finished:
        after = complete_run(after) if _has_nothing_left(after) else _suspended(after)
    outcome = Next(run.frames[-1], f"the case, version {mail.answer.version}, has taken it")
    step = StepChange(run, after, outcome, mail)
    front = CONTINUE if after.status == "running" else ""
    return StepResult(step_effects(step, context.services.now), front)


def _suspended(run: Run) -> Run:
    return run.model_copy(update={"status": "suspended"})


def _block_on_refusal(run: Run, mail: SyncFailed, now: datetime) -> StepResult:
    """The run is blocked, if it still wants what the system of record refused to be taken."""
    if run.status in ENDED or not is_about_current_change(run, mail.number, mail.attempt):
        return StepResult(Effects(), "")
    reason = say("run.sync_refused", run.lang, reason=literal(mail.reason))
    return StepResult(block_effects(run, reason, now, mail=mail), "", park=True)


def block_effects(run: Run, reason: str, now: datetime, *, mail: RunMail | None = None) -> Effects:
    """The effects of blocking a run outside of a step."""
    after = run.model_copy(update={"status": "blocked"})
    step = StepChange(run, after, block_run(run, reason), mail or RunContinued())
    return step_effects(step, now)


def migrate_run(
    mail: MigrationOrdered, change: Migration, cards: Sequence[Card], context: StepContext
) -> StepResult:
    """The run goes on with another version of its playbook; it stays as it is with faults."""
    run = context.run
    if change.faults:
        return StepResult(Effects(), "", park=run.status == "blocked")
    closed = supersede(cards) if change.asks_again else ()
    step = StepChange(run, change.run, migration_outcome(run, change), mail, closed=closed)
    front = CONTINUE if change.asks_again else ""
    return StepResult(step_effects(step, context.services.now), front)


def unreadable_effects(body: str) -> Effects:
    """A message that another version of us wrote this run; the run itself is left alone."""
    try:
        stored = json.loads(body)
        lang = lang_of_tag(str(stored["lang"]))
        name, run_id = str(stored["name"]), str(stored["id"])
        place = str(stored.get("thread") or stored["conversation"])
    except (ValueError, KeyError, TypeError):
        return Effects()
    text = say("part.blocked", lang, name=name, reason=say("run.newer_state", lang))
    part = PartView(number=0, state="failed", text=text)
    note = MessageView(lang=lang, parts=(part,)).model_dump_json()
    row = f"{run_id}/unreadable"
    return Effects(posts=(Post(row=row, conversation=place, kind="note", ref=row, body=note),))


def _frame_input(run: Run, mail: RunMail) -> FrameInput | None:
    """What the mail means to the top frame; None when it no longer concerns the run."""
    is_suspended = run.status == "suspended"
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
            return child_input(run, mail)
        case AlarmRang():
            wakes = is_suspended and (_is_resting_in_graph(run) or _is_waiting_to_retry(run))
            return AlarmFired(mail.id) if wakes else None
        case GraphOrdered():
            order = OrderReceived(mail.what, mail.name, mail.text, mail.job)
            return order if is_suspended and _is_resting_in_graph(run) else None
        case (
            RunResumed()
            | ChangeSynced()
            | SyncFailed()
            | CaseAnswered()
            | FilesJoined()
            | MigrationOrdered()
            | ReviewDue()
        ):
            return None
        case _:
            assert_never(mail)


def _is_resting_in_graph(run: Run) -> bool:
    """Whether the run is in a job graph that has begun: it then waits between its steps."""
    frame = run.frames[-1]
    return isinstance(frame, JobsFrame) and frame.graph is not None


def _is_waiting_to_retry(run: Run) -> bool:
    """Whether a model, or the system of a write, was away, and it waits to ask again."""
    match run.frames[-1]:
        case PlannerFrame(waited=waited):
            return not run.waiting and waited > 0
        case ToolPlanFrame(away=why) | LlmPlanFrame(away=why):
            return not run.waiting and bool(why)
    return False


def _apply_outcome(
    run: Run, mail: RunMail, outcome: StepOutcome, context: StepContext
) -> StepResult:
    """What the outcome changes, with the counts that limits are judged by."""
    answered = mail.card if isinstance(mail, CardDecided | CardExpired) else ""
    begun = run
    if isinstance(mail, CardDecided):
        begun = note_decision(run, context.playbook, mail.decision)
    outcome = with_computed(begun.state, outcome, context.playbook)
    try:
        after = _run_after(begun, outcome, context, answered=answered)
    except BadState as error:
        outcome = block_run(run, say("run.bad_state", run.lang, faults=literal(str(error))))
        after = _run_after(run, outcome, context)
    calls = context.services.recorded_calls()
    update = {
        "children": remaining_children(after, mail),
        "heard": run.heard + isinstance(mail, CardDecided),
        "prompted": run.prompted + isinstance(mail, ChildRunReported | AlarmRang),
        "used": run.used.plus(usage_of(calls)),
    }
    if isinstance(mail, CardDecided):
        after = letters.note_decision(run, after, mail.decision, context.services.now)
        after = with_decision(run, after, mail.decision, context)
    if isinstance(mail, _MAIL_OF_PEOPLE):
        update["counted_from"] = run.own_steps
    after = after.model_copy(update=update)
    after, dropped = drop_children(after, _dropped_children(outcome, after))
    started: tuple[Run, ...] = ()
    if isinstance(outcome, Fork):
        after, started = start_children(after, outcome, context)
    step = StepChange(
        run,
        after,
        outcome,
        mail,
        opened=outcome.cards if isinstance(outcome, Suspend) else (),
        calls=calls,
        started=started,
        dropped=dropped,
        follows=context.follows,
    )
    after, effects = step_changes(step, context.services.now)
    if step.shown_cards:
        posts = (*card_posts(run, step.shown_cards, context), *told_posts(outcome, run, context))
        effects = effects.plus(Effects(posts=posts))
    effects = effects.plus(Effects(posts=failure_posts(run, after, context)))
    front = CONTINUE if after.status == "running" else ""
    return StepResult(effects, front, park=after.status == "blocked", run=after)


def _dropped_children(outcome: StepOutcome, run: Run) -> Collection[str]:
    """The children that are not waited for any more; none outlives the frame that began it."""
    if isinstance(outcome, Done):
        return tuple(run.children)
    return outcome.dropped_children if isinstance(outcome, Suspend | Fork) else ()


def _run_after(run: Run, outcome: StepOutcome, context: StepContext, *, answered: str = "") -> Run:
    """The run after the step; raises BadState when a change does not fit the playbook.

    `answered` is the card that the step was about.
    """
    base = run.model_copy(
        update={"status": "running", "waiting": (), "result": None, "steps": run.steps + 1}
    )
    below = run.frames[:-1]
    match outcome:
        case Next(frame=frame, patch=patch):
            state = _merged(run, patch, context) if patch else run.state
            return base.model_copy(update={"frames": (*below, frame), "state": state})
        case Push(frame=frame, child=child):
            return base.model_copy(update={"frames": (*below, frame, child)})
        case Done(patch=patch):
            return _run_after_frame(run, base, patch, context)
        case Suspend(frame=frame, cards=opened):
            waiting = tuple(card.token for card in opened)
            return base.model_copy(
                update={"status": "suspended", "frames": (*below, frame), "waiting": waiting}
            )
        case Fork(frame=frame, patch=patch, dropped_cards=dropped):
            state = _merged(run, patch, context) if patch else run.state
            waiting = tuple(token for token in run.waiting if token not in (answered, *dropped))
            update = {"status": "suspended", "frames": (*below, frame), "waiting": waiting}
            return base.model_copy(update={**update, "state": state})
        case StatusChange(status="blocked"):
            # All else stays as it is, for the same step to be tried again.
            return run.model_copy(update={"status": "blocked", "steps": base.steps})
        case StatusChange(status=status, end=end):
            return base.model_copy(update={"status": status, "end": end or USUAL.get(status)})
    assert_never(outcome)


def _merged(run: Run, patch: Patch, context: StepContext) -> AgentState:
    return merge_patch(run.state, patch, context.playbook, run.lang)


def _run_after_frame(run: Run, base: Run, patch: Patch, context: StepContext) -> Run:
    """The run after its top frame is done: at the one below, else with nothing left to do."""
    state = _merged(run, patch, context)
    after = base.model_copy(update={"state": record_ending(state, patch.ending, run.frames)})
    now, project = context.services.now, context.services.project(run.conversation)
    if after.case is None:
        link = letters.find_case(after, context.playbook, project)
        after = after.model_copy(update={"case": link})
    if not isinstance(run.frames[0], JobFrame | LeaderFrame):
        # What a job changes is its graph's to pass on.
        after = add_change(after, context.playbook, patch.by, now, project)
    top = run.frames[-1]
    if isinstance(top, CaseFrame):
        after = letters.without_conflict_frame(after, top)
    elif len(run.frames) > 1:
        after = after.model_copy(update={"frames": run.frames[:-1], "result": patch})
    else:
        after = after.model_copy(update={"finished": True})
    after = letters.with_letter(after, context.playbook, patch.by, now)
    if not after.finished:
        return after
    # It is not complete before the system of record has everything, and its case.
    return complete_run(after) if _has_nothing_left(after) else _suspended(after)

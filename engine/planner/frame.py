"""The planner as a frame: decide, run the skill, announce what is complete (spec 000, 003)."""

import json
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256

from cards.markdown import literal
from cards.model import Card, Choice, Decision, Review
from cards.texts import say
from engine.frames.ends import not_done, told_as
from engine.frames.jobs import JobsFrame
from engine.frames.leaves import at_paths, rows, tables
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import (
    Alarm,
    CardAnswered,
    CardTimedOut,
    ChildFrameDone,
    Done,
    Fork,
    FrameInput,
    Next,
    Note,
    Push,
    StatusChange,
    StepContext,
    StepOutcome,
    Suspend,
)
from engine.frames.state import (
    BatchFrame,
    Frame,
    ModelFrame,
    Patch,
    PlannerFrame,
    PromptFrame,
    SopFrame,
    ToolPlanFrame,
)
from engine.planner.chain import decide
from engine.planner.phases import PhaseManager
from engine.planner.situation import Plan, Situation, availability
from engine.playbooks.end_kinds import Ending, RunEnd
from engine.playbooks.model import Announcement, Phase
from engine.playbooks.skill import Skill
from engine.skills.answers import withdrawn
from engine.skills.cards import MAX_CHOICES, choice_card

# A phase_done card that holds the run, unseen for so long, lets it go on.
SEEN_WITHIN = timedelta(days=7)
# States further back than this are forgotten: what repeats does so sooner.
KEPT_STATES = 40


async def advance(frame: PlannerFrame, given: FrameInput, context: StepContext) -> StepOutcome:
    """One decision of the strategy chain or of a person, or a phase_done card first."""
    run, playbook = context.run, context.playbook
    if frame.force and isinstance(given, ChildFrameDone):
        return Done(Patch(by=frame.force), f"{frame.force} has run")
    choices, frame = frame.choices, frame.model_copy(update={"choices": ()})
    if isinstance(given, CardAnswered) and choices:
        return _chosen(frame, choices, given.decision, context)
    if isinstance(given, CardAnswered | CardTimedOut):
        announced = (*frame.announced, frame.phase)
        return Next(frame.model_copy(update={"announced": announced}), "phase_done was seen")
    phase = playbook.phase(frame.phase)
    complete = not PhaseManager(playbook, run.request).missing(phase, run.state)
    untold = phase.id not in frame.announced and not not_done(run.state, phase.id)
    if complete and phase.done_card and untold and not frame.force:
        return _announce(frame, phase, phase.done_card, context)
    now = _situation(frame, context)
    if isinstance(given, ChildFrameDone) and given.patch.ending:
        frame = _after_end(frame, given.patch.ending, now, run.heard)
    decided = await decide(now)
    plan, why = decided.plan, decided.why
    match plan.action:
        case "call_skill":
            return _call(frame, now, plan, why, context)
        case "replan":
            return Next(frame.model_copy(update={"phase": plan.target}), why)
        case "finish":
            return Done(Patch(by=decided.strategy), why)
        case "choose":
            return _choose(frame, now, why, context)
        case "wait":
            return _wait(frame, plan, why, context)
        case "respond" if not now.available and not_done(run.state, phase.id):
            return _over(phase, "", why, context)
        case "respond":
            return _blocked(context, _missing(now, context) or say("run.no_skill", run.lang), why)
        case "stuck":
            return _blocked(context, say("run.no_skill", run.lang), why)


def _situation(frame: PlannerFrame, context: StepContext) -> Situation:
    run, playbook = context.run, context.playbook
    phase = playbook.phase(frame.phase)
    return Situation(
        playbook=playbook,
        request=run.request,
        phase=phase,
        state=run.state,
        skills=availability(playbook, phase, run.state, force=frame.force),
        force=frame.force,
        model=context.services.model,
        lang=run.lang,
        waited=frame.waited,
    )


def _wait(frame: PlannerFrame, plan: Plan, why: str, context: StepContext) -> Fork:
    """The model is away; it is asked again when it is not left alone any more."""
    run, at = context.run, context.services.now + timedelta(seconds=plan.after_s)
    note = Note("working", say("part.model_away", run.lang, name=run.name, s=round(plan.after_s)))
    after = frame.model_copy(update={"waited": frame.waited + 1})
    return Fork(after, (), why, note=note, alarms=(Alarm(f"planner:{after.waited}", at),))


def _choose(frame: PlannerFrame, now: Situation, why: str, context: StepContext) -> Suspend:
    """The requester says what comes next: those first that fill most of what is missing."""
    run, missing = context.run, set(now.missing)
    fits = sorted(now.available, key=lambda skill: -len(missing & set(skill.provided)))
    card = choice_card(fits[:MAX_CHOICES], _missing(now, context), context)
    names = tuple(skill.id for skill in fits[:MAX_CHOICES])
    note = Note("needs_you", say("part.needs_you", run.lang, name=run.name))
    return Suspend(frame.model_copy(update={"choices": names}), (card,), note, why)


def _chosen(
    frame: PlannerFrame, choices: Sequence[str], decision: Decision, context: StepContext
) -> StepOutcome:
    """What was chosen runs, unless it cannot any more: then it is decided anew."""
    if decision.choice == "withdraw":
        return withdrawn(decision, context)
    target = choices[int(decision.choice) - 1]
    now = _situation(frame, context)
    if target not in {skill.id for skill in now.available}:
        return Next(frame, f"{target} cannot run any more: {now.bars(target)}")
    plan = Plan("call_skill", target, f"{decision.name} chose it")
    return _call(frame, now, plan, f"choice: {plan.why}", context)


def _call(
    frame: PlannerFrame, now: Situation, plan: Plan, why: str, context: StepContext
) -> StepOutcome:
    """Run the skill, unless the run has come back to where it was without anybody's word.

    A skill that has ended there before, and left nothing that another could go on from, ends the
    run: nobody is asked the same again.
    """
    run, skill = context.run, context.playbook.skills[plan.target]
    seen = frame.seen if frame.heard == run.heard else ()
    mark = _mark(now)
    chosen = f"{skill.id}@{mark}"
    if frame.ended_heard == run.heard and chosen in frame.ended:
        return _over(now.phase, skill.name(run.lang), f"{why}; but that has ended here", context)
    if seen.count(mark) >= context.playbook.definition.stall_after:
        reason = say("run.stalled", run.lang, skill=literal(skill.name(run.lang)))
        return _blocked(context, reason, f"{why}; but nothing has changed by {seen.count(mark)}")
    update = {"seen": (*seen, mark)[-KEPT_STATES:], "heard": run.heard, "waited": 0}
    frame = frame.model_copy(update={**update, "chosen": chosen})
    return Push(frame, first_frame(skill), why, _progress(now, skill, context))


def _after_end(frame: PlannerFrame, ending: Ending, now: Situation, heard: int) -> PlannerFrame:
    """The frame, which remembers from where the skill that has just ended leads nowhere.

    That is where it began if it changed nothing, and where one ended that was not done. What only
    failed may work another time, if something else comes in between.
    """
    before, after = frame.chosen, f"{frame.chosen.partition('@')[0]}@{_mark(now)}"
    if not before or (ending.end == "done" and before != after):
        return frame
    ended = frame.ended if frame.ended_heard == heard else ()
    new = (after,) if ending.end == "failed" else (before, after)
    ended = tuple(dict.fromkeys((*ended, *new)))[-KEPT_STATES:]
    return frame.model_copy(update={"ended": ended, "ended_heard": heard})


def _over(phase: Phase, skill: str, why: str, context: StepContext) -> StatusChange:
    """The run ends as what stands in its phase, whose gate nothing can open any more."""
    run, stands = context.run, not_done(context.run.state, phase.id)
    said = "\n\n".join(filter(None, (each.said for each in stands)))
    end: RunEnd = stands[-1].end if stands else "failed"
    if not stands:
        said = say("run.no_progress", run.lang, skill=literal(skill))
    text = "\n\n".join(filter(None, (told_as(run, end, said), run.state.response)))
    return StatusChange("failed", Note("failed", text), why, end=end)


def _mark(now: Situation) -> str:
    """A digest of all that a decision can depend on."""
    read = [each.name for each in now.state.attachments if each.read]
    text = json.dumps([now.phase.id, now.state.tree(), read], sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()[:8]


def _progress(now: Situation, skill: Skill, context: StepContext) -> Note:
    lang = context.run.lang
    phases = PhaseManager(context.playbook, context.run.request).phases
    number = next((n for n, p in enumerate(phases, 1) if p.id == now.phase.id), 1)
    text = say(
        "part.progress",
        lang,
        name=context.run.name,
        n=number,
        of=len(phases),
        phase=literal(now.phase.name(lang)),
        skill=literal(skill.name(lang)),
    )
    return Note("working", text)


def _missing(now: Situation, context: StepContext) -> str:
    lang = context.run.lang
    leaves = [context.playbook.definition.leaf(path) for path in now.missing]
    labels = [literal(leaf.label(lang)) for leaf in leaves if leaf]
    if not labels:
        return ""
    return say("run.missing", lang, missing=say("list.items", lang).join(labels))


def _blocked(context: StepContext, reason: str, why: str) -> StatusChange:
    run = context.run
    text = say("part.blocked", run.lang, name=run.name, reason=reason)
    return StatusChange("blocked", Note("failed", text), why)


def first_frame(skill: Skill) -> Frame:
    """Where a skill begins."""
    match skill.kind:
        case "prompt":
            return (
                ModelFrame(skill=skill.id) if skill.system_prompt else PromptFrame(skill=skill.id)
            )
        case "sop":
            assert skill.sop is not None, "the loader checks that an sop skill has an SOP"
            if skill.sop.batch:
                return BatchFrame(skill=skill.id)
            return SopFrame(skill=skill.id, node=skill.sop.start_node)
        case "tool_plan":
            return LlmPlanFrame(skill=skill.id) if skill.planner else ToolPlanFrame(skill=skill.id)
        case "job_graph":
            return JobsFrame(skill=skill.id)


def _announce(
    frame: PlannerFrame, phase: Phase, words: Announcement, context: StepContext
) -> Suspend | Next:
    """The phase_done card: a question where it holds the run, else it only informs."""
    run = context.run
    card, why = _card(phase, words, context), f"{phase.id} is complete"
    last = PhaseManager(context.playbook, run.request).phases[-1].id == phase.id
    if last or not words.holds:
        after = frame.model_copy(update={"announced": (*frame.announced, phase.id)})
        told = {"status": "told", "choices": (), "deadline": None}
        return Next(after, why, info_card=card.model_copy(update=told))
    note = Note("needs_you", say("part.phase_done", run.lang, name=run.name, title=card.title))
    return Suspend(frame, (card,), note, why)


def _card(phase: Phase, words: Announcement, context: StepContext) -> Card:
    run, fields = context.run, context.playbook.definition.data_fields
    paths = words.shows or tuple(n for n, leaf in fields.items() if leaf.type != "list")
    shows = at_paths(paths, context)
    return Card(
        kind="phase_done",
        token=context.services.new_id(run.conversation),
        run=run.id,
        conversation=run.conversation,
        lang=run.lang,
        title=words.title(run.lang),
        text="\n\n".join((words.text(run.lang), *tables(shows, run.lang))),
        rows=rows(shows, run.lang),
        problems=run.state.problems,
        choices=(Choice(id="ok", label=say("choice.ok", run.lang), style="primary"),),
        review=Review(persons=(run.requester.id,)),
        **run.requester.as_requester(),
        task_key=f"phase_done:{phase.id}",
        deadline=context.services.now + SEEN_WITHIN,
    )

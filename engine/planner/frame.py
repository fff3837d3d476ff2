"""The planner as a frame: decide, run the skill, announce what is complete (spec 000, 003)."""

import json
from datetime import timedelta
from hashlib import sha256

from cards.markdown import literal
from cards.model import Card, Choice, Review
from cards.texts import say
from engine.frames.jobs import JobsFrame
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import (
    Advanced,
    Answer,
    ChildDone,
    Done,
    Ended,
    Input,
    Next,
    Note,
    Push,
    StepContext,
    Suspend,
    TimedOut,
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
from engine.leaves import rows, tables
from engine.planner.chain import decide
from engine.planner.phases import PhaseManager
from engine.planner.situation import Plan, Situation, availability
from engine.playbooks.model import Announcement, Phase
from engine.playbooks.skill import Skill

# A phase_done card only tells: unseen for so long, the run goes on.
SEEN_WITHIN = timedelta(days=7)
# States further back than this are forgotten: what repeats does so sooner.
KEPT_STATES = 40


async def advance(frame: PlannerFrame, given: Input, context: StepContext) -> Advanced:
    """One decision of the strategy chain, or a phase_done card first."""
    run, playbook = context.run, context.playbook
    if frame.force and isinstance(given, ChildDone):
        return Done(Patch(by=frame.force), f"{frame.force} has run")
    if isinstance(given, Answer | TimedOut):
        announced = (*frame.announced, frame.phase)
        return Next(frame.model_copy(update={"announced": announced}), "phase_done was seen")
    phase = playbook.phase(frame.phase)
    complete = not PhaseManager(playbook, run.request).missing(phase, run.state)
    if complete and phase.done_card and phase.id not in frame.announced and not frame.force:
        return _announce(frame, phase, phase.done_card, context)
    now = Situation(
        playbook=playbook,
        request=run.request,
        phase=phase,
        state=run.state,
        skills=availability(playbook, phase, run.state, force=frame.force),
        force=frame.force,
        model=context.services.model,
        lang=run.lang,
    )
    decided = await decide(now)
    plan, why = decided.plan, decided.why
    match plan.action:
        case "call_skill":
            return _call(frame, now, plan, why, context)
        case "replan":
            return Next(frame.model_copy(update={"phase": plan.target}), why)
        case "finish":
            return Done(Patch(by=decided.strategy), why)
        case "respond":
            return _blocked(context, _missing(now, context), why)
        case "stuck":
            return _blocked(context, say("run.no_skill", run.lang), why)


def _call(
    frame: PlannerFrame, now: Situation, plan: Plan, why: str, context: StepContext
) -> Advanced:
    """Run the skill, unless the run has come back to where it was without anybody's word."""
    run, skill = context.run, context.playbook.skills[plan.target]
    seen = frame.seen if frame.heard == run.heard else ()
    mark = _mark(now)
    if seen.count(mark) >= context.playbook.definition.stall_after:
        reason = say("run.stalled", run.lang, skill=literal(skill.name(run.lang)))
        return _blocked(context, reason, f"{why}; but nothing has changed by {seen.count(mark)}")
    frame = frame.model_copy(update={"seen": (*seen, mark)[-KEPT_STATES:], "heard": run.heard})
    return Push(frame, first_frame(skill), why, _progress(now, skill, context))


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
        return say("run.no_skill", lang)
    return say("run.missing", lang, missing=say("list.items", lang).join(labels))


def _blocked(context: StepContext, reason: str, why: str) -> Ended:
    run = context.run
    text = say("part.blocked", run.lang, name=run.name, reason=reason)
    return Ended("blocked", Note("failed", text), why)


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
) -> Suspend:
    run, fields = context.run, context.playbook.definition.data_fields
    shows = words.shows or tuple(n for n, leaf in fields.items() if leaf.type != "list")
    card = Card(
        kind="phase_done",
        token=context.services.new_id(run.conversation),
        run=run.id,
        conversation=run.conversation,
        lang=run.lang,
        title=words.title(run.lang),
        text="\n\n".join((words.text(run.lang), *tables(shows, context))),
        rows=rows(shows, context),
        problems=run.state.problems,
        choices=(Choice(id="ok", label=say("choice.ok", run.lang), style="primary"),),
        review=Review(persons=(run.requester.id,)),
        **run.requester.as_requester(),
        task_key=f"phase_done:{phase.id}",
        deadline=context.services.now + SEEN_WITHIN,
    )
    last = PhaseManager(context.playbook, run.request).phases[-1].id == phase.id
    done = say("part.done", run.lang, name=run.name)
    note = Note("done", "\n\n".join(filter(None, (done, run.state.response))))
    if not last:
        note = Note("needs_you", say("part.phase_done", run.lang, name=run.name, title=card.title))
    return Suspend(frame, (card,), note, f"{phase.id} is complete")

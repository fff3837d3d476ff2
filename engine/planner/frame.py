"""The planner as a frame: decide, run the skill, announce what is complete (spec 000, 003)."""

import json
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256

from cards.markdown import literal
from cards.model import Card, Choice, Decision, Review
from cards.texts import say
from engine.dialogue import limit_text
from engine.frames.ends import block_run, end_text, standing_failures
from engine.frames.job_graph import JobsFrame
from engine.frames.leaves import value_rows, value_tables, values_at
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
    DocumentFrame,
    Frame,
    ModelFrame,
    Patch,
    PlannerFrame,
    PromptFrame,
    SopFrame,
    ToolPlanFrame,
)
from engine.frames.text_names import fill_markdown, fill_plain
from engine.planner.chain import decide
from engine.planner.llm_planner import what_is_known
from engine.planner.phases import PhaseManager
from engine.planner.reopening import AGAIN, KEEP, is_settled, reopen, settled_card
from engine.planner.situation import Plan, Situation, check_availability
from engine.playbooks.end_kinds import Ending, RunEnd
from engine.playbooks.model import Announcement, Phase
from engine.playbooks.skill import Skill
from engine.reviews.approvers import find_told
from engine.reviews.policy import run_card_fields
from engine.skills.card_answers import end_withdrawn
from engine.skills.prompts import run_briefing
from engine.skills.skill_cards import MAX_CHOICES, next_step_card

PHASE_DONE_WITHIN = timedelta(days=7)
"""A phase_done card that nobody has tapped by then holds the run no longer."""
KEPT_STATES = 40
"""As many earlier states are compared: what repeats does so sooner."""


async def advance(frame: PlannerFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """One decision of the strategy chain or of a person, or a phase_done card first."""
    run, playbook = context.run, context.playbook
    if frame.force and isinstance(event, ChildFrameDone):
        return Done(Patch(by=frame.force), f"{frame.force} has run")
    choices, frame = frame.choices, frame.model_copy(update={"choices": ()})
    if isinstance(event, CardAnswered) and event.decision.choice in (KEEP, AGAIN):
        return _settle(frame, event.decision, context)
    if isinstance(event, CardAnswered) and choices:
        return _run_chosen(frame, choices, event.decision, context)
    if isinstance(event, CardAnswered | CardTimedOut):
        announced = (*frame.announced, frame.phase)
        return Next(frame.model_copy(update={"announced": announced}), "phase_done was seen")
    phase = playbook.phase(frame.phase)
    complete = not PhaseManager(playbook, run.request).missing(phase, run.state)
    announces = phase.id not in frame.announced and not standing_failures(run.state, phase.id)
    if complete and phase.done_card and announces and not frame.force:
        return await _announce(frame, phase, phase.done_card, context)
    situation = _situation(frame, context)
    if isinstance(event, ChildFrameDone) and event.patch.ending:
        frame = _remember_end(frame, event.patch.ending, situation, run.heard)
    decision = await decide(situation)
    plan, why = decision.plan, decision.why
    match plan.action:
        case "call_skill":
            return _call(frame, situation, plan, why, context)
        case "replan":
            return Next(frame.model_copy(update={"phase": plan.target}), why)
        case "finish" if is_settled(frame, context):
            note = Note("needs_you", say("part.needs_you", run.lang, name=run.name))
            return Suspend(frame, (settled_card(context),), note, "its case has settled it already")
        case "finish":
            return Done(Patch(by=decision.strategy), why)
        case "choose":
            return _choose(frame, situation, why, context)
        case "wait":
            return _wait(frame, plan, why, context)
        case "respond" if not situation.available and standing_failures(run.state, phase.id):
            return _end_in_phase(phase, "", why, context)
        case "respond":
            reason = _missing_text(situation, context) or say("run.no_skill", run.lang)
            return block_run(run, reason, why)
        case "stuck":
            return block_run(run, say("run.no_skill", run.lang), why)


def _settle(frame: PlannerFrame, decision: Decision, context: StepContext) -> StepOutcome:
    """Leave what the case has settled as it stands, or open it again."""
    if decision.choice == KEEP:
        return Done(Patch(by=decision.person), f"{decision.name} lets it stand")
    after, patch = reopen(frame, decision.person, context)
    return Next(after, f"{decision.name} wants it done again", patch)


def _situation(frame: PlannerFrame, context: StepContext) -> Situation:
    run, playbook = context.run, context.playbook
    phase = playbook.phase(frame.phase)
    return Situation(
        playbook=playbook,
        request=run.request,
        phase=phase,
        state=run.state,
        skills=check_availability(playbook, phase, run.state, force=frame.force),
        force=frame.force,
        model=context.services.model,
        lang=run.lang,
        waited=frame.waited,
        material=_material(context) if context.services.model else (),
    )


def _material(context: StepContext) -> Sequence[str]:
    return run_briefing(context, what_is_known(context.run.state)).lines()


def _wait(frame: PlannerFrame, plan: Plan, why: str, context: StepContext) -> Fork:
    """Wait with an alarm for a model that is away; then decide again."""
    run, at = context.run, context.services.now + timedelta(seconds=plan.after_s)
    text = say("part.model_away", run.lang, name=run.name, s=round(plan.after_s))
    if plan.limited:
        limit = limit_text(plan.limited, run.lang)
        text = say("part.day_limit", run.lang, name=run.name, limit=limit)
    note = Note("working", text)
    after = frame.model_copy(update={"waited": frame.waited + 1})
    return Fork(after, (), why, note=note, alarms=(Alarm(f"planner:{after.waited}", at),))


def _choose(frame: PlannerFrame, situation: Situation, why: str, context: StepContext) -> Suspend:
    """Let the requester choose; the skills that fill most of what is missing come first."""
    run, missing = context.run, set(situation.missing)
    fits = sorted(situation.available, key=lambda skill: -len(missing & set(skill.provided_paths)))
    card = next_step_card(fits[:MAX_CHOICES], _missing_text(situation, context), context)
    names = tuple(skill.id for skill in fits[:MAX_CHOICES])
    note = Note("needs_you", say("part.needs_you", run.lang, name=run.name))
    return Suspend(frame.model_copy(update={"choices": names}), (card,), note, why)


def _run_chosen(
    frame: PlannerFrame, choices: Sequence[str], decision: Decision, context: StepContext
) -> StepOutcome:
    """Run the chosen skill; decide anew if it cannot run any more."""
    if decision.choice == "withdraw":
        return end_withdrawn(decision, context)
    target = choices[int(decision.choice) - 1]
    situation = _situation(frame, context)
    if not situation.is_available(target):
        return Next(frame, f"{target} cannot run any more: {situation.why_unavailable(target)}")
    plan = Plan("call_skill", target, f"{decision.name} chose it")
    return _call(frame, situation, plan, f"choice: {plan.why}", context)


def _call(
    frame: PlannerFrame, situation: Situation, plan: Plan, why: str, context: StepContext
) -> StepOutcome:
    """Run the skill, unless the run is back in a state it was in and nobody has spoken since.

    A skill that ended in this state before, and left nothing that another could go on from, ends
    the run: nobody is asked the same again.
    """
    run, skill = context.run, context.playbook.skills[plan.target]
    seen = frame.seen if frame.heard == run.heard else ()
    state = _digest(situation)
    chosen = f"{skill.id}@{state}"
    if frame.ended_heard == run.heard and chosen in frame.ended:
        why = f"{why}; but that has ended here"
        return _end_in_phase(situation.phase, skill.name(run.lang), why, context)
    if seen.count(state) >= context.playbook.definition.stall_after:
        reason = say("run.stalled", run.lang, skill=literal(skill.name(run.lang)))
        return block_run(run, reason, f"{why}; but nothing has changed by {seen.count(state)}")
    update = {"seen": (*seen, state)[-KEPT_STATES:], "heard": run.heard, "waited": 0}
    frame = frame.model_copy(update={**update, "chosen": chosen})
    return Push(frame, first_frame(skill), why, _progress(situation, skill, context))


def _remember_end(
    frame: PlannerFrame, ending: Ending, situation: Situation, heard: int
) -> PlannerFrame:
    """The frame with the states from which the skill that has just ended leads nowhere.

    That is the state in which it began if it changed nothing, and the one in which it ended if it
    was not done. What only failed may work another time, if something else comes in between.
    """
    before, after = frame.chosen, f"{frame.chosen.partition('@')[0]}@{_digest(situation)}"
    if not before or (ending.end == "done" and before != after):
        return frame
    ended = frame.ended if frame.ended_heard == heard else ()
    new = (after,) if ending.end == "failed" else (before, after)
    ended = tuple(dict.fromkeys((*ended, *new)))[-KEPT_STATES:]
    return frame.model_copy(update={"ended": ended, "ended_heard": heard})


def _end_in_phase(phase: Phase, skill: str, why: str, context: StepContext) -> StatusChange:
    """End the run as its phase ended: nothing can open the phase's gate any more."""
    run, endings = context.run, standing_failures(context.run.state, phase.id)
    reason = "\n\n".join(filter(None, (ending.said for ending in endings)))
    end: RunEnd = endings[-1].end if endings else "failed"
    if not endings:
        reason = say("run.no_progress", run.lang, skill=literal(skill))
    text = "\n\n".join(filter(None, (end_text(run, end, reason), run.state.response)))
    return StatusChange("failed", Note("failed", text), why, end=end)


def _digest(situation: Situation) -> str:
    """A digest of all that a decision can depend on."""
    read = [file.name for file in situation.state.attachments if file.read or file.tried]
    text = json.dumps(
        [situation.phase.id, situation.state.tree(), read], sort_keys=True, ensure_ascii=False
    )
    return sha256(text.encode()).hexdigest()[:8]


def _progress(situation: Situation, skill: Skill, context: StepContext) -> Note:
    lang = context.run.lang
    phases = PhaseManager(context.playbook, context.run.request).phases
    number = next((n for n, p in enumerate(phases, 1) if p.id == situation.phase.id), 1)
    text = say(
        "part.progress",
        lang,
        name=context.run.name,
        n=number,
        of=len(phases),
        phase=literal(situation.phase.name(lang)),
        skill=literal(skill.name(lang)),
    )
    return Note("working", text)


def _missing_text(situation: Situation, context: StepContext) -> str:
    lang = context.run.lang
    leaves = [context.playbook.definition.leaf(path) for path in situation.missing]
    labels = [literal(leaf.label(lang)) for leaf in leaves if leaf]
    if not labels:
        return ""
    return say("run.missing", lang, missing=say("list.items", lang).join(labels))


def first_frame(skill: Skill) -> Frame:
    """The frame in which a skill begins."""
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
        case "document":
            return DocumentFrame(skill=skill.id)


async def _announce(
    frame: PlannerFrame, phase: Phase, words: Announcement, context: StepContext
) -> Suspend | Next:
    """Show the phase_done card: a question where it holds the run, else it only info_card."""
    run = context.run
    card, why = _card(phase, words, context), f"{phase.id} is complete"
    last = PhaseManager(context.playbook, run.request).phases[-1].id == phase.id
    if last or not words.holds:
        after = frame.model_copy(update={"announced": (*frame.announced, phase.id)})
        told, untold = await _others(words, context)
        update = {
            "status": "told",
            "choices": (),
            "deadline": None,
            "problems": (*card.problems, *untold),
        }
        why = f"{why}; told to {', '.join(told)}" if told else why
        return Next(after, why, info_card=card.model_copy(update=update), tells=told)
    note = Note("needs_you", say("part.phase_done", run.lang, name=run.name, title=card.title))
    return Suspend(frame, (card,), note, why)


async def _others(
    words: Announcement, context: StepContext
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who else is told, and a sentence for each entry that names nobody."""
    told: list[str] = []
    untold: list[str] = []
    for part in words.tells:
        found = await find_told(part, context)
        told += found
        source = literal(part.named_by.removeprefix("$") or ", ".join(part.roles))
        untold += [] if found else [say("phase_done.untold", context.run.lang, source=source)]
    own = context.run.requester.ids
    return tuple(dict.fromkeys(each for each in told if each not in own)), tuple(untold)


def _card(phase: Phase, words: Announcement, context: StepContext) -> Card:
    run, fields = context.run, context.playbook.definition.data_fields
    paths = words.shows or tuple(n for n, leaf in fields.items() if leaf.type != "list")
    shows = values_at(paths, context)
    return Card(
        kind="phase_done",
        title=fill_plain(words.title, context),
        text="\n\n".join((fill_markdown(words.text, context), *value_tables(shows, run.lang))),
        rows=value_rows(shows, run.lang),
        problems=run.state.problems,
        choices=(Choice(id="ok", label=say("choice.ok", run.lang), style="primary"),),
        review=Review(persons=(run.requester.id,)),
        **run_card_fields(context),
        task_key=f"phase_done:{phase.id}",
        deadline=context.services.now + PHASE_DONE_WITHIN,
    )

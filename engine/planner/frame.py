"""The planner as a frame: decide, run the skill, announce what is complete (spec 000, 003)."""

from datetime import timedelta

from cards.model import Card, Choice, Review
from cards.texts import say
from engine.frames.outcome import (
    Advanced,
    Answer,
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
from engine.frames.state import Frame, Patch, PlannerFrame, PromptFrame, SopFrame, ToolPlanFrame
from engine.planner.chain import decide
from engine.planner.phases import PhaseManager
from engine.playbooks.model import Announcement, Phase, Skill
from engine.prompt import rows

# A phase_done card only tells: unseen for so long, the run goes on.
SEEN_WITHIN = timedelta(days=7)


async def advance(frame: PlannerFrame, given: Input, context: StepContext) -> Advanced:
    """One decision of the strategy chain, or a phase_done card first."""
    run, playbook = context.run, context.playbook
    if isinstance(given, Answer | TimedOut):
        announced = (*frame.announced, frame.phase)
        return Next(frame.model_copy(update={"announced": announced}), "phase_done was seen")
    phase = playbook.phase(frame.phase)
    complete = not PhaseManager(playbook).missing(phase, run.state)
    if complete and phase.done_card and phase.id not in frame.announced:
        return _announce(frame, phase, phase.done_card, context)
    strategy, plan = decide(playbook, phase, run.state)
    why = f"{strategy}: {plan.why}"
    match plan.action:
        case "call_skill":
            return Push(frame, first_frame(playbook.skills[plan.target]), why)
        case "replan":
            return Next(frame.model_copy(update={"phase": plan.target}), why)
        case "finish":
            return Done(Patch(by=strategy), why)
        case _:
            reason = say("run.no_skill", run.lang)
            text = say("part.blocked", run.lang, name=run.name, reason=reason)
            return Ended("blocked", Note("failed", text), why)


def first_frame(skill: Skill) -> Frame:
    """Where a skill begins."""
    match skill.kind:
        case "prompt":
            return PromptFrame(skill=skill.id)
        case "sop":
            assert skill.sop is not None, "the loader checks that an sop skill has an SOP"
            return SopFrame(skill=skill.id, node=skill.sop.start_node)
        case "tool_plan":
            return ToolPlanFrame(skill=skill.id)


def _announce(
    frame: PlannerFrame, phase: Phase, words: Announcement, context: StepContext
) -> Suspend:
    run = context.run
    card = Card(
        kind="phase_done",
        token=context.services.new_id(run.conversation),
        run=run.id,
        conversation=run.conversation,
        lang=run.lang,
        title=words.title(run.lang),
        text=words.text(run.lang),
        rows=rows(tuple(context.playbook.definition.data_fields), context),
        choices=(Choice(id="ok", label=say("choice.ok", run.lang), style="primary"),),
        review=Review(persons=(run.requester.id,)),
        requester=run.requester.id,
        requester_name=run.requester.name,
        task_key=f"phase_done:{phase.id}",
        deadline=context.services.now + SEEN_WITHIN,
    )
    note = Note("done", say("part.done", run.lang, name=run.name))
    return Suspend(frame, (card,), note, f"{phase.id} is complete")

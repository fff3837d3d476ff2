"""How a plan's end is told: each result, the reply, and what was left out."""

from collections.abc import Sequence

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.frames.ends import end_text
from engine.frames.llm_plan import Dropped, LlmPlanFrame
from engine.frames.outcome import Done, Note, StatusChange, StepContext, StepOutcome
from engine.frames.state import Patch
from engine.playbooks.end_kinds import Ending, SopEnd
from engine.playbooks.skill import ToolPlanner
from engine.tool_plan.references import plain
from engine.tool_plan.references import told as with_results
from engine.tools.telling import shorten

TOLD_DROPS = 3
DETAIL_CHARS = 120


def results(frame: LlmPlanFrame) -> dict[int, object]:
    """What the steps that are done gave, by their numbers."""
    return {step.number: step.result for step in frame.done if step.tool}


def reply_of(frame: LlmPlanFrame, text: str) -> str:
    """A reply's text with results in place.

    It was written before anything was done: when a call was left out, it may claim what never
    happened, and is not said.
    """
    if any(each.name for each in frame.dropped):
        return ""
    return with_results(text, results(frame), lambda value: literal(plain(value)))


def response_of(frame: LlmPlanFrame, last: str, lang: Lang) -> str:
    """Everything that the plan gave, as Markdown: what each step gave, the reply, and the rest."""
    told = [step.told for step in frame.done if step.told]
    told += [last] if last else []
    told += [say("plan.carried_out", lang)] if not told else []
    told += [left_out(frame.dropped, lang)] if frame.dropped else []
    return "\n\n".join(told)


def left_out(dropped: Sequence[Dropped], lang: Lang) -> str:
    """The first of the steps that were left out, and why, briefly."""
    lines = [f"- {_dropped(each, lang)}" for each in dropped[:TOLD_DROPS]]
    if more := len(dropped) - TOLD_DROPS:
        lines += [f"- {say('plan.more_left_out', lang, n=more)}"] if more > 0 else []
    return "\n".join((say("plan.left_out", lang), "", *lines))


def _dropped(each: Dropped, lang: Lang) -> str:
    detail = literal(shorten(each.detail, DETAIL_CHARS))
    why = say(f"plan.why.{each.kind}", lang, detail=detail)
    key = "plan.dropped_tool" if each.name else "plan.dropped"
    return say(key, lang, n=each.number, tool=literal(each.name), why=why)


def failed(
    frame: LlmPlanFrame,
    planner: ToolPlanner,
    reason: str,
    why: str,
    context: StepContext,
    *,
    end: SopEnd = "failed",
) -> StepOutcome:
    """To where the playbook says, with the reason; else the run ends so with it.

    What was done before is told, since it stands.
    """
    run = context.run
    before = "\n\n".join(step.told for step in frame.done if step.told)
    before = f"{say('plan.done_before', run.lang)}\n\n{before}" if before else ""
    if planner.on_error:
        settled = Patch.setting(
            frame.skill,
            planner.on_error,
            problems=(reason,),
            response=before,
            ending=Ending(end=end, said=reason),
        )
        return Done(settled, why)
    text = end_text(run, end, reason)
    note = Note("failed", "\n\n".join(filter(None, (text, before))))
    return StatusChange("failed", note, why, end=end)

"""What people read at the end of a plan: results, the reply, what was left out, why it failed."""

from collections.abc import Sequence

from cards.clipping import shorten
from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.frames.ends import end_text
from engine.frames.job_graph import JobWrite
from engine.frames.llm_plan import ArgumentFault, DroppedStep, LlmPlanFrame
from engine.frames.outcome import Done, Note, StatusChange, StepContext, StepOutcome
from engine.frames.state import Patch
from engine.playbooks.end_kinds import Ending, RunEnd
from engine.playbooks.skill import ToolPlanner
from engine.rules.call_rules import CallRule
from engine.tool_plan.references import as_text, fill_known

LISTED_DROPS = 3
DETAIL_CHARS = 120
JSON_TYPES = ("integer", "number", "string", "boolean", "array", "object", "null")


def results_of(frame: LlmPlanFrame) -> dict[int, object]:
    """The results of the steps that are done, by number."""
    return {step.number: step.result for step in frame.done if step.tool}


def reply_text(frame: LlmPlanFrame, text: str) -> str:
    """A reply's text with results in place of references.

    "" when a call was left out: the reply was written before, and may claim what never happened.
    """
    if any(step.name for step in frame.dropped):
        return ""
    return fill_known(text, results_of(frame), lambda value: literal(as_text(value)))


def response_text(frame: LlmPlanFrame, last: str, lang: Lang) -> str:
    """The plan's whole response as Markdown: what each step gave, the reply, what was left out."""
    parts = [step.told for step in frame.done if step.told]
    parts += [last] if last else []
    parts += [say("plan.carried_out", lang)] if not parts else []
    parts += [say("plan.did_nothing", lang)] if not any(step.tool for step in frame.done) else []
    parts += [dropped_text(frame.dropped, lang)] if frame.dropped else []
    return "\n\n".join(parts)


def dropped_text(dropped: Sequence[DroppedStep], lang: Lang) -> str:
    """The first of the steps that were left out, and why, briefly."""
    lines = [f"- {_dropped_line(step, lang)}" for step in dropped[:LISTED_DROPS]]
    if more := len(dropped) - LISTED_DROPS:
        lines += [f"- {say('plan.more_left_out', lang, n=more)}"] if more > 0 else []
    return "\n".join((say("plan.left_out", lang), "", *lines))


def _dropped_line(step: DroppedStep, lang: Lang) -> str:
    detail = rule_text(step.rule, lang) if step.rule else step.detail
    detail = _fault_text(step.fault, lang) if step.fault else detail
    detail = literal(shorten(detail, DETAIL_CHARS))
    why = say(f"plan.why.{step.kind}", lang, detail=detail)
    key = "plan.dropped_tool" if step.name else "plan.dropped"
    return say(key, lang, n=step.number, tool=literal(step.name), why=why)


def _fault_text(fault: ArgumentFault, lang: Lang) -> str:
    """What is wrong with an argument, in a sentence for people."""
    wanted = fault.wanted
    if fault.kind == "type":
        wanted = tuple(say(f"plan.type.{name}", lang) for name in wanted if name in JSON_TYPES)
    listed = say("list.items", lang).join(wanted)
    about = {"where": fault.where, "value": fault.value, "wanted": listed}
    return say(f"plan.fault.{fault.kind}", lang, **about)


def rule_text(rule: CallRule, lang: Lang) -> str:
    """The rule in a sentence for people."""
    tools = say("list.items", lang).join(rule.order or rule.exclusive or rule.of or rule.only_with)
    if rule.order:
        return say("plan.rule.order", lang, tools=tools)
    if rule.exclusive:
        return say("plan.rule.exclusive", lang, tools=tools)
    if rule.of:
        return say("plan.rule.at_most", lang, n=rule.at_most, tools=tools)
    return say("plan.rule.only_with", lang, tool=rule.tool, tools=tools)


def made_by(frame: LlmPlanFrame) -> tuple[JobWrite, ...]:
    """The writes of a job's plan that were made so far."""
    wrote = (step for step in frame.done if step.wrote and frame.job)
    return tuple(JobWrite(tool=s.tool, call=s.call, told=s.told) for s in wrote)


def fail_plan(
    frame: LlmPlanFrame,
    planner: ToolPlanner,
    reason: str,
    why: str,
    context: StepContext,
    *,
    end: RunEnd = "failed",
) -> StepOutcome:
    """Follow the playbook's `on_error` with the reason; without one the run ends as `end` says.

    Of a job's writes the expert hears. The results of earlier steps are shown, since they stay.
    """
    run = context.run
    before = "\n\n".join(step.told for step in frame.done if step.told)
    before = f"{say('plan.done_before', run.lang)}\n\n{before}" if before else ""
    if planner.on_error or frame.job:
        patch = Patch.from_paths(
            frame.skill,
            planner.on_error,
            problems=(reason,),
            response=before,
            ending=Ending(end=end, said=reason),
            made=made_by(frame),
        )
        return Done(patch, why)
    text = end_text(run, end, reason)
    note = Note("failed", "\n\n".join(filter(None, (text, before))))
    return StatusChange("failed", note, why, end=end)

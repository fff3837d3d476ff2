"""Taking the steps of a plan: what each gives is kept and told, and a failure is planned around."""

import json
from typing import Any

from cards.markdown import literal
from cards.model import Decision, Lang
from cards.texts import say
from engine.errors import ToolError
from engine.frames.llm_plan import Dropped, LlmPlanFrame, Step, StepDone
from engine.frames.outcome import Done, Next, Note, StepContext, StepOutcome
from engine.frames.state import Patch
from engine.playbooks.end_kinds import Ending
from engine.playbooks.skill import ToolPlanner
from engine.tool_plan.calling import Call, Lost, made
from engine.tool_plan.confirm import NumberedCall
from engine.tool_plan.may_have_run import ask_whether
from engine.tool_plan.references import Unresolved, resolved
from engine.tool_plan.telling import failed, reply_of, response_of, results
from engine.tools.registry import tool

KEPT_CHARS = 20_000
TOLD_CHARS = 2000


def call_of(frame: LlmPlanFrame, step: Step, context: StepContext) -> Call:
    """The step's call with results in place; raises Unresolved."""
    arguments = {**resolved(step.arguments, results(frame)), **step.given}
    key = f"{context.run.id}:{frame.skill}:{frame.made}.{step.number}"
    return Call(tool(step.tool), arguments, key)


def writes(frame: LlmPlanFrame, context: StepContext) -> tuple[NumberedCall, ...]:
    """The writes that can be shown as they will run: up to the first that nobody knows yet."""
    found: list[NumberedCall] = []
    for step in frame.steps:
        if not step.tool or tool(step.tool).readonly:
            continue
        try:
            found.append(NumberedCall(step.number, call_of(frame, step, context)))
        except Unresolved:
            break
    return tuple(found)


async def take(
    frame: LlmPlanFrame, planner: ToolPlanner, call: Call, context: StepContext
) -> StepOutcome:
    """Make the next step's call."""
    try:
        result = await made(call, context)
    except ToolError as error:
        return stumbled(frame, planner, error.told(context.run.lang), str(error), context)
    if isinstance(result, Lost):
        return ask_whether(frame, call, result.why, context)
    taken = StepDone(
        number=frame.steps[0].number,
        tool=call.tool.name,
        result=result if _fits(result) else None,
        told=_told(call.tool.tell(result, context.run.lang)),
        wrote=not call.tool.readonly,
        call=call.digest,
    )
    return done(frame, call, taken, f"called {call.tool.name}", context)


def _fits(result: dict[str, Any]) -> bool:
    return len(json.dumps(result, ensure_ascii=False, default=str)) <= KEPT_CHARS


def _told(text: str) -> str:
    """Whole lines of it, at most 2,000 characters."""
    if len(text) <= TOLD_CHARS:
        return text
    return text[:TOLD_CHARS].rpartition("\n")[0] + "\n\n…"


def happened(frame: LlmPlanFrame, call: Call, decision: Decision, lang: Lang) -> StepDone:
    """A write that has happened, as a person says; nobody knows its result."""
    told = say("plan.happened", lang, tool=literal(call.tool.name), name=literal(decision.name))
    number = frame.steps[0].number
    return StepDone(number=number, tool=call.tool.name, told=told, wrote=True, call=call.digest)


def done(frame: LlmPlanFrame, call: Call, taken: StepDone, why: str, context: StepContext) -> Next:
    """On to the next step."""
    run, left = context.run, frame.steps[1:]
    update = {"steps": left, "done": (*frame.done, taken), "started": False}
    after = frame.model_copy(update={**update, "asked": "", "asks": "", "lost": ""})
    wrote = (call.tool.name,) if taken.wrote else ()
    note = None
    if left and left[0].tool:
        number, of = len(after.done) + 1, len(after.done) + len(left)
        key, name = "plan.progress", left[0].tool
        note = Note(
            "working", say(key, run.lang, name=run.name, n=number, of=of, tool=literal(name))
        )
    return Next(after, why, Patch(by=call.by or frame.skill, written=wrote), note)


def repeated(frame: LlmPlanFrame, call: Call) -> Next:
    """The same was written before in this run: a plan that was made anew does not repeat it."""
    step = frame.steps[0]
    dropped = Dropped(number=step.number, kind="done", name=call.tool.name)
    update = {"steps": frame.steps[1:], "dropped": (*frame.dropped, dropped)}
    return Next(frame.model_copy(update=update), f"left out {dropped}")


def reply(frame: LlmPlanFrame, context: StepContext) -> StepOutcome:
    """Say what the plan says; after its last step the skill is done."""
    skill, (step, *left) = context.playbook.skills[frame.skill], frame.steps
    text = reply_of(frame, step.text)
    if left:
        said = StepDone(number=step.number, told=text)
        after = frame.model_copy(update={"steps": tuple(left), "done": (*frame.done, said)})
        return Next(after, "a reply")
    response = response_of(frame, text, context.run.lang)
    settled = Patch.setting(
        skill.id, skill.sets, response=response, problems=(), ending=Ending(end="done")
    )
    return Done(settled, "the plan is carried out")


def stumbled(
    frame: LlmPlanFrame, planner: ToolPlanner, reason: str, why: str, context: StepContext
) -> StepOutcome:
    """A step failed: one more plan is made, with the error; a second time the skill fails."""
    run, step = context.run, frame.steps[0]
    why = f"step {step.number}, {step.tool}: {why}"
    if frame.failure:
        told = say("plan.failed_twice", run.lang, reason=reason)
        return failed(frame, planner, told, why, context)
    cleared = LlmPlanFrame(skill=frame.skill, done=frame.done, failure=why, reason=reason)
    note = Note("working", say("plan.replanning", run.lang, name=run.name))
    return Next(cleared, f"plans anew: {why}", note=note)

"""The tool plan: fixed calls, one at a time, behind the approval of exactly these calls."""

from cards.texts import say
from engine import plan as plans
from engine.approvals import asked_again
from engine.errors import ToolError
from engine.frames.outcome import Advanced, Done, Ended, Input, Next, Note, StepContext
from engine.frames.state import Approval, Patch, ToolPlanFrame
from engine.playbooks.skill import Skill, ToolPlan
from engine.tools.registry import tool


async def advance(frame: ToolPlanFrame, given: Input, context: StepContext) -> Advanced:
    """Record the intent, then run the call under its idempotency key, then the next."""
    run, skill = context.run, context.playbook.skills[frame.skill]
    plan = _plan(skill)
    if plan.rehearses:
        return await _rehearse(skill, plan, context)
    calls = plans.resolve(plan, run.state)
    if not frame.started and frame.position < len(calls):
        again = asked_again(frame, skill, plan, given, context)
        if again is not None:
            return again
    approval, refused = _approval(plan, plans.digest(calls), context)
    if refused:
        return _failed(context, say("run.not_approved", run.lang), refused)
    if frame.position >= len(calls):
        return Done(Patch.setting(skill.id, skill.sets), "every call is done")
    name, arguments = calls[frame.position]["tool"], calls[frame.position]["arguments"]
    if not frame.started:
        return Next(frame.model_copy(update={"started": True}), f"is about to call {name}")
    key = f"{run.id}:{skill.id}:{frame.position}"
    by = approval.by if approval else ""
    try:
        await context.services.call(tool(name), arguments, context.tools(key=key, by=by))
    except ToolError as error:
        return _refused(skill, plan, error, context)
    after = frame.model_copy(update={"position": frame.position + 1, "started": False})
    written = () if tool(name).readonly else (name,)
    return Next(after, f"called {name}", Patch(by=by or skill.id, written=written))


def _plan(skill: Skill) -> ToolPlan:
    assert skill.plan is not None, "the loader checks that a tool_plan skill has a plan"
    return skill.plan


async def _rehearse(skill: Skill, plan: ToolPlan, context: StepContext) -> Advanced:
    """Ask of every call whether it would succeed; nothing is written."""
    rehearsed = _plan(context.playbook.skills[plan.rehearses])
    try:
        for planned in plans.resolve(rehearsed, context.run.state):
            await context.services.rehearse(
                tool(planned["tool"]), planned["arguments"], context.tools()
            )
    except ToolError as error:
        return _refused(skill, plan, error, context)
    return Done(Patch.setting(skill.id, skill.sets), f"{plan.rehearses} would succeed")


def _refused(skill: Skill, plan: ToolPlan, error: ToolError, context: StepContext) -> Advanced:
    """To where the playbook says, with the reason; else the run fails with it."""
    reason = error.told(context.run.lang)
    if not plan.on_error:
        return _failed(context, reason, str(error))
    return Done(Patch.setting(skill.id, plan.on_error, problems=(reason,)), str(error))


def _approval(plan: ToolPlan, digest: str, context: StepContext) -> tuple[Approval | None, str]:
    """The approval that covers these calls, or why they must not run."""
    writes = [c.tool for c in plan.calls if not tool(c.tool).readonly]
    if not writes:
        return None, ""
    found = context.run.state.approvals.get(plan.guard.decision) if plan.guard else None
    if found is None:
        return None, f"{', '.join(writes)}: nobody approved it"
    if found.digest != digest:
        return None, f"{', '.join(writes)}: something else was approved"
    return found, ""


def _failed(context: StepContext, reason: str, why: str) -> Ended:
    run = context.run
    text = say("part.failed", run.lang, name=run.name, reason=reason)
    return Ended("failed", Note("failed", text), why)

"""What an approval covers and for how long; one that is too old is asked for again (1.8)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from cards import edits
from cards.markdown import literal
from cards.texts import say
from engine.errors import ToolError, ToolRefused
from engine.frames.leaves import value_of
from engine.frames.outcome import (
    ChildFrameDone,
    Done,
    FrameInput,
    Note,
    Push,
    StepContext,
    StepOutcome,
)
from engine.frames.state import AgentState, Approval, Patch, Run, SopFrame, ToolPlanFrame
from engine.frames.text_names import given_names
from engine.playbooks.skill import PlannedCall, Skill, ToolPlan
from engine.tools.model import Tool

ListRow = Mapping[str, Any]


def planned_calls(plan: ToolPlan, state: AgentState) -> tuple[tuple[PlannedCall, ListRow], ...]:
    """The plan's calls in their order: one `for_each` row of a list once for each of them."""
    return tuple((call, row) for call in plan.calls for row in _rows(call, state))


def _rows(call: PlannedCall, state: AgentState) -> Sequence[ListRow]:
    if not call.for_each:
        return ({},)
    listed: Any = value_of(call.for_each, state) or ()
    return tuple(listed)


def resolve_calls(
    plan: ToolPlan, state: AgentState, given: Mapping[str, str] | None = None
) -> tuple[dict[str, Any], ...]:
    """Every call as `{tool, arguments}`; `$name` became the data leaf, None when unknown.

    A name that is no leaf may be `given`: what the run is about (`given_names`).
    """
    return tuple(
        {
            "tool": call.tool,
            "arguments": {
                name: _argument_value(value, call, row, state, given or {})
                for name, value in call.arguments.items()
            },
        }
        for call, row in planned_calls(plan, state)
    )


def _argument_value(
    value: Any, call: PlannedCall, row: ListRow, state: AgentState, given: Mapping[str, str]
) -> Any:
    if column := call.row_column(value):
        return row.get(column)
    if isinstance(value, str) and value.startswith("$"):
        found = value_of(value[1:], state)
        return given.get(value[1:]) if found is None else found
    return value


def calls_of_run(plan: ToolPlan, run: Run) -> tuple[dict[str, Any], ...]:
    """The plan's calls as they are made in the run, as `resolve_calls`."""
    return resolve_calls(plan, run.state, given_names(run))


def call_digest(calls: tuple[dict[str, Any], ...]) -> str:
    """The SHA-256 of exactly these calls and arguments (runs-and-reviews §1.8)."""
    return edits.digest(edits.canonical(calls))


def is_too_old(approval: Approval | None, now: datetime) -> bool:
    """Whether a write on this approval would come after its execution deadline."""
    return approval is not None and approval.until is not None and now >= approval.until


async def pin_of(tool: Tool[Any], context: StepContext) -> str:
    """The digest of what a write's system takes now, or of the project that it writes for.

    "" for a tool where neither can change.

    Raises ToolFailed when the system does not answer.
    """
    if tool.readonly or (tool.pin is None and not tool.of_project):
        return ""
    if tool.pin is None:
        return edits.digest(context.tool_context().project)
    return str(await context.services.pin(tool, {}, context.tool_context()))


async def schemas_of(plan: ToolPlan, context: StepContext) -> dict[str, str]:
    """The digests for a plan's tools.

    One whose system does not answer is left out: its write is asked about again.
    """
    found: dict[str, str] = {}
    for name in dict.fromkeys(call.tool for call in plan.calls):
        with suppress(ToolError):
            if digest := await pin_of(context.find_tool(name), context):
                found[name] = digest
    return found


async def refusal_of(plan: ToolPlan, skill: str, context: StepContext) -> str:
    """Why the first write of the skill's plan is refused as things are, "" where nothing says so.

    Later ones may need what the first one writes. A system that does not answer refuses nothing:
    the write itself is asked about again. So does a plan that is under way, which is asked about
    once more: what it has written would be in its own way.
    """
    if any(isinstance(f, ToolPlanFrame) and f.skill == skill for f in context.run.frames):
        return ""
    for planned in calls_of_run(plan, context.run):
        try:
            tool = context.find_tool(planned["tool"])
            if tool.rehearse is not None:
                arguments = planned["arguments"]
                await context.services.rehearse(tool, arguments, context.tool_context())
        except ToolRefused as error:
            return error.text(context.run.lang)
        except ToolError:
            return ""
        if not tool.readonly:
            return ""
    return ""


def ask_again(
    frame: ToolPlanFrame, skill: Skill, plan: ToolPlan, given: FrameInput, context: StepContext
) -> StepOutcome | None:
    """The review of this plan, once more; None when its approval is not too old.

    When it was asked for again and not given, the plan ends without a write.
    """
    decision = plan.guard.decision if plan.guard else ""
    approval = context.run.state.approvals.get(decision)
    if approval is None or not is_too_old(approval, context.services.now):
        return None
    if isinstance(given, ChildFrameDone):
        return _not_approved(skill, decision, given.patch)
    for name, other in context.playbook.skills.items():
        for node_id, node in other.sop.nodes.items() if other.sop else ():
            if node.decision == decision and node.shows == skill.id:
                return _push_review(frame, SopFrame(skill=name, node=node_id), approval, context)
    return None


def _push_review(
    frame: ToolPlanFrame, review: SopFrame, approval: Approval, context: StepContext
) -> Push:
    run = context.run
    told = say("run.approval_too_old", run.lang, name=literal(approval.name))
    if frame.changed:
        told = say("tool.changed", run.lang, name=frame.changed)
    note = Note("in_review", say("part.asked_again", run.lang, name=run.name))
    review = review.model_copy(update={"problems": (told,)})
    why = f"the approval by {approval.by} was good until {approval.until}; it is asked for again"
    if frame.changed:
        why = f"what {frame.changed} takes has changed; {approval.by}'s approval is asked for again"
    return Push(frame, review, why, note)


def _not_approved(skill: Skill, decision: str, patch: Patch) -> Done:
    """The end of a plan that was not approved again: the old decision is cleared.

    Nothing that the skill sets when it is done is set.
    """
    cleared = {} if decision in patch.decisions else {decision: None}
    return Done(Patch(by=patch.by, decisions=dict(cleared)), f"{skill.id} was not approved again")

"""What a system has of one thing fills fields of the run: a node that looks it up."""

from collections.abc import Mapping
from typing import Any

from cards.markdown import format_value, literal
from cards.texts import say
from cards.visible import visible
from engine.errors import ToolError, ToolFailed, ToolRefused, ToolRetry
from engine.frames.ends import fail_run
from engine.frames.leaves import label_of, value_of
from engine.frames.outcome import NodeVerdict, StepContext, StepOutcome
from engine.frames.state import Patch, SopFrame
from engine.frames.tool_values import values_for_tool
from engine.playbooks.leaf import Leaf
from engine.playbooks.records import SystemReading
from engine.playbooks.skill import Sop, SopNode
from engine.sop.ends import SIGNOFF, go_to


async def look_up(
    frame: SopFrame, sop: Sop, node: SopNode, reads: SystemReading, context: StepContext
) -> StepOutcome:
    """Fill the fields with what is found; what is not found clears them, and fails the node.

    The run fails where the system cannot be asked, or has what a field cannot hold.
    """
    lang, problems = context.run.lang, frame.problems
    try:
        row, refusal = await _read(reads, context)
        data = {name: _value(name, row.get(at), context) for name, at in reads.fills.items()}
    except ToolError as error:
        return fail_run(context.run, error.text(lang), str(error))
    found = bool(row)
    if not found and not node.only_branches:
        problems = tuple(dict.fromkeys((*problems, refusal or _nothing(reads, context))))
    frame = frame.model_copy(update={"problems": problems})
    target = node.pass_target if found else node.fail_target
    verdict = NodeVerdict(frame.node, "passed" if found else "failed", SIGNOFF, target)
    why = f"{frame.node}: {reads.tool} {'found it' if found else 'found nothing'}"
    patch = Patch(by=frame.approved_by or frame.skill, data=data)
    return go_to(frame, sop, target, why, patch=patch, verdict=verdict)


async def _read(reads: SystemReading, context: StepContext) -> tuple[Mapping[str, Any], str]:
    """What the tool gives, {} for nothing, and its own words why that is so. Raises ToolError."""
    values = values_for_tool(reads.arguments, context)
    try:
        tool = context.list_tool(reads.tool)
        row = await context.services.call(tool, values, context.tool_context())
    except ToolRefused as error:
        return {}, error.text(context.run.lang)
    except ToolRetry as error:
        given = ", ".join(f"{n}: {literal(format_value(value))}" for n, value in values.items())
        raise ToolFailed("records.refused", tool=literal(reads.tool), given=given) from error
    if not isinstance(row, Mapping):
        raise ToolFailed("look_up.no_row", tool=literal(reads.tool))
    return (row, "") if row.get("found", True) else ({}, "")


def _value(name: str, value: Any, context: StepContext) -> Any:
    """The value as the field holds it. Raises ToolFailed for one that it cannot hold."""
    definition = context.playbook.definition
    leaf = definition.data_fields[name]
    value = None if value is None else _as_leaf(leaf, value)
    faults = [] if value is None else definition.value_faults(name, value)
    if faults:
        shown, label = literal(visible(format_value(value))), literal(leaf.label(context.run.lang))
        raise ToolFailed("look_up.unfit", label=label, value=shown, fault=faults[0][1])
    return value


def _as_leaf(leaf: Leaf, value: Any) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if leaf.type == "money" and is_number:
        return {"value": value, "currency": leaf.currencies[0]}
    if leaf.type == "text" and not isinstance(value, str):
        return format_value(value)
    return value


def _nothing(reads: SystemReading, context: StepContext) -> str:
    """That nothing was found, with what it was looked up by."""
    lang, state = context.run.lang, context.run.state
    paths = [v[1:] for v in reads.arguments.values() if isinstance(v, str) and v.startswith("$")]
    shown = [format_value(value_of(path, state)) for path in paths]
    label = label_of(paths[0], context) if paths else literal(reads.tool)
    value = literal(visible(", ".join(filter(None, shown)))) or "—"
    return say("rule.told", lang, label=label, value=value, message=say("records.none", lang))

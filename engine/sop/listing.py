"""What a tool lists for an SOP: the members of a batch, and the records that rules go over."""

from collections.abc import Mapping, Sequence
from typing import Any

from cards.markdown import format_value, literal
from engine.errors import ToolFailed, ToolRetry
from engine.frames.outcome import StepContext
from engine.frames.tool_values import values_for_tool
from engine.playbooks.records import ToolValue
from engine.tools.arguments import normalise_texts

MAX_LISTED = 10_000
"""No list of a tool may be longer."""


async def list_members(
    tool: str, arguments: Mapping[str, ToolValue], column: str, context: StepContext
) -> tuple[str, ...]:
    """What the entries of a tool's list are called, each once. Raises ToolError."""
    names: dict[str, None] = {}
    for row in await _list(tool, values_for_tool(arguments, context), context):
        name = row.get(column) if isinstance(row, Mapping) else row
        if name in (None, "") or isinstance(name, Mapping | list):
            raise ToolFailed("records.no_name", tool=literal(tool), column=literal(column))
        names[format_value(name)] = None
    return tuple(names)


async def list_records(
    tool: str, arguments: Mapping[str, ToolValue], member: Mapping[str, str], context: StepContext
) -> list[Mapping[str, Any]]:
    """The records that a tool lists, of a member by its name in the arguments. Raises ToolError."""
    rows = await _list(tool, values_for_tool(arguments, context, member), context)
    if not all(isinstance(row, Mapping) for row in rows):
        raise ToolFailed("records.no_list", tool=literal(tool))
    return list(rows)


def normalise_member(
    tool: str, arguments: Mapping[str, ToolValue], name: str, text: str, context: StepContext
) -> str:
    """A member as the tool writes what it is given under that name. Raises ToolFailed."""
    used = next((n for n, value in arguments.items() if value == f"${name}"), None)
    if used is None:
        return text
    values = normalise_texts(
        context.list_tool(tool), values_for_tool(arguments, context, {name: text})
    )
    return str(values[used])


async def _list(name: str, values: Mapping[str, Any], context: StepContext) -> Sequence[Any]:
    tool = context.list_tool(name)
    try:
        result = await context.services.call(tool, values, context.tool_context())
    except ToolRetry as error:
        given = ", ".join(f"{n}: {literal(format_value(value))}" for n, value in values.items())
        raise ToolFailed("records.refused", tool=literal(name), given=given) from error
    rows = _rows(result)
    if rows is None:
        raise ToolFailed("records.no_list", tool=literal(name))
    if len(rows) > MAX_LISTED:
        raise ToolFailed("records.too_many", tool=literal(name), limit=MAX_LISTED)
    return rows


def _rows(result: Any) -> Sequence[Any] | None:
    """The list in a result: itself, its `rows`, or the only list in it."""
    if isinstance(result, list | tuple):
        return result
    if not isinstance(result, Mapping):
        return None
    if isinstance(rows := result.get("rows"), list | tuple):
        return rows
    lists = [value for value in result.values() if isinstance(value, list | tuple)]
    return lists[0] if len(lists) == 1 else None

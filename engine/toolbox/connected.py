"""Tools of a project folder as tools that can be called (design §11)."""

import asyncio
from typing import Any

from pydantic import BaseModel, JsonValue
from pydantic_core import to_jsonable_python

from cards.values import TODAY
from engine.errors import ToolFailed, ToolRetry, ToolUnsure
from engine.playbooks.leaf import Leaf, value_faults
from engine.playbooks.tool import ToolDefinition
from engine.ports.systems.connections import PinnedCall, PreparedCall
from engine.toolbox.arguments import arguments_model
from engine.toolbox.results import shape_result
from engine.toolbox.telling import tell_result
from engine.tools.model import Tool, ToolContext


def connect_tool(
    name: str, definition: ToolDefinition, call: PreparedCall, project: str
) -> Tool[Any]:
    """The tool of a project, which asks its system by that call."""

    async def run(args: BaseModel, ctx: ToolContext) -> dict[str, Any]:
        given = to_jsonable_python(args, exclude_none=True)
        _check_days(definition, given, ctx)
        answer = await call({**given, **_context(ctx)}, key=ctx.key)
        try:
            if definition.result != "many":
                return shape_result(name, definition, answer)
            # Many rows take a while, in which nobody else should wait.
            return await asyncio.to_thread(shape_result, name, definition, answer)
        except ToolFailed as error:
            if definition.writes is None:
                raise
            # It was done, or so it seems: people have to look.
            raise ToolUnsure(error.key, **error.values) from error

    return Tool(
        name=name,
        description=definition.description,
        arguments=arguments_model(name, definition),
        readonly=definition.writes is None,
        run=run,
        tell=lambda result, lang: tell_result(definition, result, lang),
        examples=definition.examples,
        cues=definition.cued,
        labels=tuple(text for column in definition.columns.values() for text in column.label.texts),
        needs=tuple(n for n, leaf in definition.arguments.items() if leaf.required),
        keyed=call.keyed,
        pin=call.schema_digest if definition.writes and isinstance(call, PinnedCall) else None,
        timeout_s=definition.timeout_s,
        roles=definition.roles,
        project=project,
        origin=f"connection {definition.call.connection}",
    )


def _context(ctx: ToolContext) -> dict[str, JsonValue]:
    """What every call may name beside its arguments."""
    return {
        "requester": ctx.person.id if ctx.person else "",
        "approver": ctx.by,
        "project": ctx.project,
        "today": ctx.today.isoformat(),
    }


def _check_days(definition: ToolDefinition, given: dict[str, Any], ctx: ToolContext) -> None:
    """Raises ToolRetry for a day beyond a bound that is `today`."""
    for name, leaf in definition.arguments.items():
        if name in given and _is_bound_by_today(leaf):
            for _, fault in value_faults(leaf, given[name], ctx.today):
                raise ToolRetry(f"Wrong arguments {name}. {name}: {fault}")


def _is_bound_by_today(leaf: Leaf) -> bool:
    return TODAY in (leaf.minimum, leaf.maximum)

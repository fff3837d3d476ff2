"""Tools of a project folder as tools that can be called (design §11)."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, JsonValue
from pydantic_core import to_jsonable_python

from cards.model import Lang
from cards.values import TODAY
from engine.errors import ToolFailed, ToolRefused, ToolRetry, ToolUnsure
from engine.playbooks.leaf import Leaf, value_faults
from engine.playbooks.tool import SINCE, UNTIL, ToolDefinition
from engine.ports.systems.connections import PinnedCall, PreparedCall
from engine.text.entity_kinds import NO_ENTITIES, Entities
from engine.text.language import LocalizedText
from engine.toolbox.arguments import arguments_model
from engine.toolbox.results import narrow_rows, shape_result
from engine.toolbox.telling import fill_text, tell_result
from engine.tools.model import Tool, ToolContext


class RefusedCall(ToolRefused):
    """A write is not done, or a read finds nothing; the tool's own file says why."""

    def __init__(self, text: LocalizedText, values: Mapping[str, JsonValue]) -> None:
        super().__init__("tool.refused", why=fill_text(text("en"), values))
        self._text = text
        self._arguments = values

    def text(self, lang: Lang) -> str:
        """The reason, in their language."""
        return fill_text(self._text(lang), self._arguments, lang)


def connect_tool(
    name: str,
    definition: ToolDefinition,
    call: PreparedCall,
    project: str,
    refusals: Sequence[PreparedCall] = (),
    *,
    entities: Entities = NO_ENTITIES,
    playbook: str = "",
) -> Tool[Any]:
    """The tool of a playbook, which asks its system by that call.

    `project` is the one that the playbook names, "" where it serves every one.
    `refusals` are the calls of the definition's `refused_when`; ids of `entities` come as the
    playbook says that they are written.
    """

    connected = _ConnectedCall(name, definition, call, refusals, definition.told_arguments)
    return Tool(
        name=name,
        description=definition.description,
        arguments=arguments_model(name, definition, entities),
        readonly=definition.writes is None,
        run=connected.run,
        tell=lambda result, lang: tell_result(definition, result, lang),
        examples=definition.examples,
        cues=definition.cued,
        labels=tuple(text for column in definition.columns.values() for text in column.label.texts),
        needs=tuple(n for n, leaf in definition.arguments.items() if leaf.required),
        rehearse=connected.refuse if definition.writes and definition.refused_when else None,
        keyed=call.keyed,
        for_questions=definition.for_questions,
        shape=definition.result,
        columns={n: str(column.type) for n, column in definition.columns.items()},
        pin=call.schema_digest if definition.writes and isinstance(call, PinnedCall) else None,
        timeout_s=definition.timeout_s,
        roles=definition.roles,
        project=project,
        playbook=playbook,
        origin=f"connection {definition.call.connection}",
    )


@dataclass(frozen=True, slots=True)
class _ConnectedCall:
    """What a tool does: it asks its system, and shapes what comes."""

    name: str
    definition: ToolDefinition
    call: PreparedCall
    refusals: Sequence[PreparedCall]
    told_arguments: Collection[str]

    async def run(self, args: BaseModel, ctx: ToolContext) -> dict[str, Any]:
        """The result. Raises ToolError."""
        definition = self.definition
        if definition.writes and not (ctx.key and ctx.by):
            raise ToolFailed("tool.unapproved", name=self.name)
        given = to_jsonable_python(args, exclude_none=True)
        period = {
            name: given.pop(name) for name in (SINCE, UNTIL) if definition.period and name in given
        }
        _check_days(definition, given, ctx)
        try:
            answer = await self.call(_values(given, ctx), key=ctx.key)
        except ToolUnsure:
            raise
        except ToolFailed:
            # Only now, for a repeat is not refused for what it has written itself.
            await self.refuse(args, ctx)
            raise
        told = {argument: given.get(argument) for argument in self.told_arguments}
        result = await self._shape(answer)
        if period:
            result = narrow_rows(definition, result, **period)
        if definition.reads and (answer is None or _is_empty(definition, result)):
            await self.refuse(args, ctx)
        return told | period | result

    async def _shape(self, answer: JsonValue) -> dict[str, Any]:
        definition = self.definition
        try:
            if definition.result != "many":
                return shape_result(self.name, definition, answer)
            # Many rows take a while, in which nobody else should wait.
            return await asyncio.to_thread(shape_result, self.name, definition, answer)
        except ToolFailed as error:
            if definition.writes is None:
                raise
            # It was done, or so it seems: people have to look.
            raise ToolUnsure(error.key, **error.values) from error

    async def refuse(self, args: BaseModel, ctx: ToolContext) -> None:
        """Raises RefusedCall where the tool's own file says that this is not to be."""
        given = to_jsonable_python(args, exclude_none=True)
        for refusal, find in zip(self.definition.refused_when, self.refusals, strict=True):
            found = await find(_values(given, ctx))
            is_there = found not in (None, [])
            if is_there is (refusal.lacks is None):
                first = found[0] if isinstance(found, list) and found else found
                more = first if isinstance(first, dict) else {}
                raise RefusedCall(refusal.text, {**given, **more})


def _is_empty(definition: ToolDefinition, result: Mapping[str, Any]) -> bool:
    match definition.result:
        case "one":
            return not result["found"]
        case "many":
            return not result["rows"]
        case "text":
            return not result["text"]


def _values(given: Mapping[str, Any], ctx: ToolContext) -> dict[str, Any]:
    """What a call may name: arguments of these names count where the tool has them."""
    return {"case": ctx.case, "approvers": _approvers(ctx), **given, **_context(ctx)}


def _approvers(ctx: ToolContext) -> str:
    """All who approved it; an older approval knows the last one alone."""
    return ", ".join(ctx.approvers or filter(None, (ctx.by,)))


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

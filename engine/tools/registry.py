"""Every tool there is: adding one is a file and a line in `TOOLS`."""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from cards.clipping import shorten
from engine.errors import ToolError, ToolFailed, ToolRetry, ToolUnsure
from engine.tools.files.element_extract import ELEMENT_EXTRACT
from engine.tools.files.file_get_info import FILE_GET_INFO
from engine.tools.files.file_list import FILE_LIST
from engine.tools.files.file_parse import FILE_PARSE
from engine.tools.files.file_search import FILE_SEARCH
from engine.tools.knowledge.knowledge_search import KNOWLEDGE_SEARCH
from engine.tools.knowledge.memory_remember import MEMORY_REMEMBER
from engine.tools.knowledge.memory_search import MEMORY_SEARCH
from engine.tools.model import Tool, ToolContext
from engine.tools.project_add import PROJECT_ADD
from engine.tools.state.state_read import STATE_READ

T = TypeVar("T")

TOOLS: tuple[Tool[Any], ...] = (
    KNOWLEDGE_SEARCH,
    MEMORY_SEARCH,
    MEMORY_REMEMBER,
    FILE_LIST,
    FILE_GET_INFO,
    FILE_PARSE,
    FILE_SEARCH,
    ELEMENT_EXTRACT,
    STATE_READ,
    PROJECT_ADD,
)

READONLY: tuple[Tool[Any], ...] = tuple(t for t in TOOLS if t.readonly and t.for_questions)
"""The tools that questions can reach (design §1, promise 3)."""

HINT_CHARS = 200


class CallTool(Protocol):
    """The signature of `call`, `rehearse` and `pin`."""

    def __call__(
        self, tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext
    ) -> Awaitable[Any]:
        """The tool's result. Raises ToolError."""
        ...


async def call(tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext) -> dict[str, Any]:
    """The result of the tool for these arguments, which are read as JSON types.

    Raises ToolRetry, in at most 200 characters, naming the faulty arguments; ToolFailed, also
    when the tool is not for this person or project, or takes longer than its `timeout_s`.
    """
    try:
        _refuse_foreign(tool, ctx)
        result = await _in_time(tool, tool.run(_validate(tool, arguments), ctx))
    except ToolError as error:
        ctx.meter.count("tools", tool.name, type(error).__name__)
        raise
    ctx.meter.count("tools", tool.name, "ok")
    return result


async def rehearse(tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext) -> None:
    """Check that `call` would succeed on the data as it is; raises what it would raise."""
    _refuse_foreign(tool, ctx)
    valid = _validate(tool, arguments)
    if tool.rehearse is not None:
        await _in_time(tool, tool.rehearse(valid, ctx), wrote=False)


async def pin(tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext) -> str:
    """The digest of what the tool's system takes now, "" where it does not change.

    Raises ToolFailed, also when that takes longer than the tool's `timeout_s`.
    """
    return await _in_time(tool, tool.pin(), wrote=False) if tool.pin else ""


def may_read(tool: Tool[Any], ctx: ToolContext) -> bool:
    """Whether the tool is for this person and project; `call` refuses any other."""
    return _holds_role(tool, ctx) and _serves_project(tool, ctx)


def _refuse_foreign(tool: Tool[Any], ctx: ToolContext) -> None:
    if not _holds_role(tool, ctx):
        raise ToolFailed("tool.role", name=tool.name, roles=", ".join(tool.roles))
    if not _serves_project(tool, ctx):
        if tool.project in ("", ctx.project):
            raise ToolFailed("tool.not_of_project", project=ctx.project, name=tool.name)
        raise ToolFailed("tool.other_project", project=ctx.project, other=tool.project)


def _holds_role(tool: Tool[Any], ctx: ToolContext) -> bool:
    return not tool.roles or (ctx.person is not None and ctx.person.holds_one_of(tool.roles))


def _serves_project(tool: Tool[Any], ctx: ToolContext) -> bool:
    """A context without a project is bound to none; what is no playbook's serves every project."""
    is_own = bool(tool.playbook or tool.project)
    return not is_own or ctx.projects.serves(ctx.project, tool.playbook, tool.project)


async def _in_time(tool: Tool[Any], work: Awaitable[T], *, wrote: bool = True) -> T:
    """The work's result. Raises ToolUnsure for a write in time-out: it may have happened."""
    try:
        async with asyncio.timeout(tool.timeout_s):
            return await work
    except TimeoutError as error:
        seconds = f"{tool.timeout_s:g}"
        if wrote and not tool.readonly:
            raise ToolUnsure("tool.timeout_write", name=tool.name, seconds=seconds) from error
        raise ToolFailed("tool.timeout", name=tool.name, seconds=seconds) from error


def _validate(tool: Tool[Any], arguments: Mapping[str, Any]) -> Any:
    try:
        text = to_json(dict(arguments))
    except (TypeError, ValueError) as error:
        raise ToolRetry("Wrong arguments: they are no JSON object.") from error
    try:
        return tool.arguments.model_validate_json(text)
    except ValidationError as error:
        raise ToolRetry(_hint(error)) from error


def _hint(error: ValidationError) -> str:
    """The names first, so that a cut hint still says which arguments are wrong."""
    faults: dict[str, str] = {}
    for fault in error.errors(include_url=False, include_input=False, include_context=False):
        name = shorten(".".join(map(str, fault["loc"])) or "JSON", 40)
        faults.setdefault(name, fault["msg"].removeprefix("Value error, "))
    messages = "; ".join(f"{name}: {message}" for name, message in faults.items())
    return shorten(f"Wrong arguments {', '.join(faults)}. {messages}", HINT_CHARS)

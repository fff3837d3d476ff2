"""Tools of an installed package: what its author writes, through the entry point `signoff.tools`.

An entry is a list or tuple of `PackageTool`, or a function without arguments that returns one:

    class Number(BaseModel):
        number: str = Field(description="as on the tyre's label")

    def find_tyre(asked: Number, call: PackageCall) -> dict:
        return {"name": "Winter 205/55 R16", "price": {"value": 89.9, "currency": "EUR"}}

    TOOLS = [
        PackageTool(
            name="find_tyre",
            description="A tyre by its number.",
            arguments=Number,
            function=find_tyre,
            reads=True,
        )
    ]
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic_core import to_json

from cards.clipping import shorten
from engine.errors import ToolFailed, ToolUnsure
from engine.playbooks.tool import ResultKind, ToolDefinition, ToolName
from engine.toolbox.results import shape_result
from engine.toolbox.telling import tell_result
from engine.tools.model import Tool, ToolContext

MAX_RESULT_BYTES = 1024 * 1024
"""A larger result is refused."""

_NAME: TypeAdapter[str] = TypeAdapter(ToolName)


class NotDone(Exception):
    """Raised by a tool's function: nothing was done, and the words say why, to people.

    Anything else that the function of a write raises leaves open what came of it: people are asked.
    """


class BadPackageTool(ValueError):
    """What a package gives is no tool; the text says why."""


@dataclass(frozen=True, slots=True)
class PackageCall:
    """Who asks for a call, and when: ids of people.yaml, `approver` is "" for a read.

    `approvers` are all who approved it, the one who decided it last.

    `key` is a write's idempotency key: one approved call has the same one each time.
    """

    requester: str
    approver: str
    project: str
    today: date
    key: str
    approvers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageTool:
    """A tool of a package.

    `function` takes the `arguments`, as that pydantic model, and a PackageCall; it may be async,
    else it runs in a thread. A tool that `reads` changes nothing; any other is reached only from an
    approved tool plan. With `keyed` the same `call.key` writes once, so that a lost answer is asked
    for again. The result is a mapping (`one`; None for nothing found), a list of mappings (`many`)
    or a `text`. `columns` are as in tools.yaml: for each column a label for people, plain or by
    language, and the type of its values. `tell` is a template over them; `examples` and `cues` have
    a read answer questions without a model; `roles` are those of which whoever uses it holds one.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    function: Callable[[Any, PackageCall], Any]
    reads: bool = False
    keyed: bool = False
    result: ResultKind = "one"
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tell: str | Mapping[str, str] | None = None
    examples: Sequence[str] = ()
    cues: Sequence[str] = ()
    roles: Sequence[str] = ()
    timeout_s: float = 20.0


RunFunction = Callable[[PackageTool, Any, PackageCall], Awaitable[Any]]
"""Runs a tool's function with these arguments. Raises ToolError, whatever the function raises."""


def read_package_tool(given: object, origin: str, run_function: RunFunction) -> Tool[Any]:
    """The tool that a package gives; `origin` names the package. Raises BadPackageTool."""
    if not isinstance(given, PackageTool):
        raise BadPackageTool(f"{_shown(given)} is no PackageTool")
    definition = _definition_of(given)
    if given.reads and given.keyed:
        raise BadPackageTool(f"{given.name}: keyed belongs to tools that write")

    async def run(arguments: BaseModel, ctx: ToolContext) -> dict[str, Any]:
        person = ctx.person.id if ctx.person else ""
        call = PackageCall(person, ctx.by, ctx.project, ctx.today, ctx.key, ctx.approvers)
        answer = await run_function(given, arguments, call)
        try:
            _check_size(given, answer)
            return shape_result(given.name, definition, answer)
        except ToolFailed as error:
            if given.reads:
                raise
            # The function came to its end: what it should have done it may have done.
            raise ToolUnsure("tool.package_unsure", name=given.name) from error

    return Tool(
        name=given.name,
        description=given.description,
        arguments=given.arguments,
        readonly=given.reads,
        run=run,
        tell=lambda result, lang: tell_result(definition, result, lang),
        examples=definition.examples,
        cues=definition.cued,
        labels=tuple(text for each in definition.columns.values() for text in each.label.texts),
        needs=tuple(given.arguments.model_json_schema().get("required", ())),
        keyed=given.keyed,
        timeout_s=given.timeout_s,
        roles=definition.roles,
        columns={name: str(column.type) for name, column in definition.columns.items()},
        origin=origin,
    )


def _definition_of(given: PackageTool) -> ToolDefinition:
    """The same as a file of a project would say it. Raises BadPackageTool."""
    name = _shown(given.name)
    if not (isinstance(given.arguments, type) and issubclass(given.arguments, BaseModel)):
        raise BadPackageTool(f"{name}: arguments should be a pydantic model")
    if not callable(given.function):
        raise BadPackageTool(f"{name}: function should be a function")
    told = {
        "description": given.description,
        "reads" if given.reads else "writes": {"connection": "package"},
        "result": given.result,
        "columns": dict(given.columns),
        "tell": given.tell,
        "examples": tuple(given.examples),
        "cues": tuple(given.cues),
        "roles": tuple(given.roles),
        "timeout_s": given.timeout_s,
    }
    try:
        _NAME.validate_python(given.name)
        given.arguments.model_json_schema()
        definition = ToolDefinition.model_validate(told)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, fault["loc"])) or "name"
        raise BadPackageTool(f"{name}: {where}: {fault['msg']}") from error
    except (PydanticUserError, TypeError) as error:
        raise BadPackageTool(f"{name}: {shorten(str(error), 200)}") from error
    if not given.reads and (given.examples or given.cues):
        raise BadPackageTool(f"{name}: examples and cues belong to tools that read")
    for at, words in definition.tell_faults():
        raise BadPackageTool(f"{name}: {'.'.join(map(str, at))}: {words}")
    return definition


def _check_size(tool: PackageTool, answer: Any) -> None:
    """Raises ToolFailed for what is no JSON, or too much of it."""
    try:
        size = len(to_json(answer, inf_nan_mode="constants"))
    except (ValueError, TypeError, RecursionError) as error:
        why = "something that is no JSON"
        raise ToolFailed("tool.undeclared", name=tool.name, why=why) from error
    if size > MAX_RESULT_BYTES:
        kb = MAX_RESULT_BYTES // 1024
        raise ToolFailed("connection.large", name=tool.name, kb=kb)


def _shown(given: object) -> str:
    return given if isinstance(given, str) and given else shorten(repr(given), 60)

"""Every tool there is: adding one is a file and a line in `TOOLS`."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from engine.errors import ToolFailed, ToolRetry
from engine.tools.check_visit_window import CHECK_VISIT_WINDOW
from engine.tools.get_project_stats import GET_PROJECT_STATS
from engine.tools.model import Tool, ToolContext
from engine.tools.read_clinical_data import READ_CLINICAL_DATA
from engine.tools.record_visit import RECORD_VISIT
from engine.tools.search_protocol import SEARCH_PROTOCOL
from engine.tools.telling import shorten

TOOLS: tuple[Tool[Any], ...] = (
    READ_CLINICAL_DATA,
    SEARCH_PROTOCOL,
    GET_PROJECT_STATS,
    CHECK_VISIT_WINDOW,
    RECORD_VISIT,
)

READONLY: tuple[Tool[Any], ...] = tuple(tool for tool in TOOLS if tool.readonly)
"""What the question path can reach (design §1, promise 3)."""

HINT_CHARS = 200


def tool(name: str) -> Tool[Any]:
    """The tool of that name. Raises ToolFailed."""
    found = next((known for known in TOOLS if known.name == name), None)
    if found is None:
        names = ", ".join(known.name for known in TOOLS)
        raise ToolFailed("tool.unknown", name=shorten(name, 40), names=names)
    return found


async def call(tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext) -> dict[str, Any]:
    """The result of the tool for these arguments, which are read as JSON types.

    Raises ToolRetry, in at most 200 characters, naming the faulty arguments; ToolFailed.
    """
    return await tool.run(_checked(tool, arguments), ctx)


async def rehearse(tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext) -> None:
    """Nothing when `call` would succeed on the data as it stands; raises what it would raise."""
    checked = _checked(tool, arguments)
    if tool.rehearse is not None:
        await tool.rehearse(checked, ctx)


def _checked(tool: Tool[Any], arguments: Mapping[str, Any]) -> Any:
    try:
        text = json.dumps(to_jsonable_python(dict(arguments)))
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
    told = "; ".join(f"{name}: {message}" for name, message in faults.items())
    return shorten(f"Wrong arguments {', '.join(faults)}. {told}", HINT_CHARS)

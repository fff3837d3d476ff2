"""What people who write a project folder do with its tools: list, call and probe them."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic import JsonValue

from bot.definitions.loader import Definitions, load_definitions
from bot.settings import Settings
from bot.terminal.output import table
from bot.wiring.clock import open_clock
from bot.wiring.connections import Connections, load_connections
from cards.model import Lang, Principal
from engine.errors import ToolError
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import call

OPERATOR = "operator"


def list_tools(settings: Settings, *, as_json: bool) -> int:
    """Print every tool of the project folder and of packages: where from, and its arguments."""
    definitions, _ = _load(settings)
    found = [_describe(playbook, tool) for playbook, tool in _own_tools(definitions)]
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
    elif found:
        columns = ("tool", "playbook", "from", "does", "arguments", "description")
        print(table([columns, *(tuple(each[name] for name in columns) for each in found)]))
    else:
        print(f"{settings.playbooks}: no playbook has a tools.yaml, and no package has tools")
    return 0


async def call_tool(
    settings: Settings, name: str, given: Sequence[str], *, really: bool, lang: Lang
) -> int:
    """Call a tool and print its result as people read it; a write only with `really`.

    1 when it gives no result, 2 when there is no such tool or argument.
    """
    async with _opened(settings, name) as (tool, context):
        if tool is None:
            return 2
        if not tool.readonly and not really:
            print(f"{name} writes; with --really it does so now, without an approval")
            return 2
        try:
            result = await call(tool, _arguments(tool, given), context)
        except (ToolError, ValueError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
        print(tool.tell(result, lang))
        return 0


async def probe_tool(settings: Settings, name: str, given: Sequence[str], *, lang: Lang) -> int:
    """Print what a tool that reads is asked, what comes back, and what a model and people see."""
    async with _opened(settings, name) as (tool, context):
        if tool is None:
            return 2
        if not tool.readonly:
            print(f"{name} writes; only tools that read are probed", file=sys.stderr)
            return 2
        try:
            arguments = _arguments(tool, given)
            print("asked:", json.dumps(arguments, ensure_ascii=False))
            result = await call(tool, arguments, context)
        except (ToolError, ValueError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
        print("a model sees:", json.dumps(result, ensure_ascii=False, indent=2))
        print("people see:")
        print(tool.tell(result, lang))
        return 0


@asynccontextmanager
async def _opened(
    settings: Settings, name: str
) -> AsyncIterator[tuple[Tool[Any] | None, ToolContext]]:
    definitions, connections = _load(settings)
    tool = _find(_own_tools(definitions), name)
    context = ToolContext(
        today=open_clock(settings).today(),
        key=f"cli-{open_clock(settings).now().isoformat()}",
        by=OPERATOR,
        person=Principal(id=OPERATOR, name=OPERATOR, roles=definitions.people.roles),
    )
    try:
        yield tool, context
    finally:
        await asyncio.gather(*(each.close() for each in connections.by_name.values()))


def _load(settings: Settings) -> tuple[Definitions, Connections]:
    connections = load_connections(settings)
    return load_definitions(settings, connections.toolbox), connections


def _own_tools(definitions: Definitions) -> list[tuple[str, Tool[Any]]]:
    """The tools of playbooks, each with its playbook's id, and those of packages."""
    of_playbooks = [
        (playbook.id, tool)
        for playbook in definitions.playbooks.values()
        for tool in definitions.toolbox.of(playbook).values()
    ]
    return of_playbooks + [("", tool) for tool in definitions.toolbox.installed]


def _find(tools: Sequence[tuple[str, Tool[Any]]], name: str) -> Tool[Any] | None:
    """The tool of that name, or of `PLAYBOOK/NAME`; None, with the reason printed, for no one."""
    found = [(at, tool) for at, tool in tools if name in (tool.name, f"{at}/{tool.name}")]
    if len(found) == 1:
        return found[0][1]
    if found:
        each = ", ".join(f"{at}/{name}" for at, _ in found)
        print(f"{name!r} is a tool of several playbooks; write one of {each}", file=sys.stderr)
        return None
    known = ", ".join(dict.fromkeys(tool.name for _, tool in tools)) or "none"
    told = f"there is no tool {name!r} in a tools.yaml or a package; there are: {known}"
    print(told, file=sys.stderr)
    return None


def _describe(playbook: str, tool: Tool[Any]) -> dict[str, str]:
    schema = tool.arguments.model_json_schema()
    required = schema.get("required", [])
    names = (n if n in required else f"[{n}]" for n in schema.get("properties", {}))
    return {
        "tool": tool.name,
        "playbook": playbook,
        "from": tool.origin,
        "does": "reads" if tool.readonly else "writes",
        "arguments": " ".join(names),
        "description": tool.description,
    }


def _arguments(tool: Tool[Any], given: Sequence[str]) -> Mapping[str, JsonValue]:
    """NAME=VALUE each; a value is JSON where the argument is no text. Raises ValueError."""
    properties = tool.arguments.model_json_schema().get("properties", {})
    found: dict[str, JsonValue] = {}
    for each in given:
        name, equals, text = each.partition("=")
        if not equals:
            raise ValueError(f"--arg {each}: should be NAME=VALUE")
        found[name] = _value(properties.get(name, {}), text)
    return found


def _value(schema: Mapping[str, Any], text: str) -> JsonValue:
    kinds = {schema.get("type"), *(each.get("type") for each in schema.get("anyOf", ()))}
    if "string" in kinds or "enum" in schema:
        return text
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return value

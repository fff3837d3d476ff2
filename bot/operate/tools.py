"""What people who write a project folder do with its tools: list, call and probe them."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic import JsonValue

from bot.definitions.entity_lists import rows_of_list
from bot.definitions.loader import Definitions, load_definitions
from bot.settings import Settings
from bot.terminal.output import table
from bot.wiring.clock import open_clock
from bot.wiring.connections import Connections, load_connections
from cards.model import Lang, Principal
from engine.errors import ToolError
from engine.playbooks.entity import EntityDefinition
from engine.text.entity_kinds import Entities, list_of
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import call

OPERATOR = "operator"

NameList = tuple[EntityDefinition, Tool[Any]]
"""A kind of entity, and the tool that lists its names."""

SHOWN_NAMES = 8
"""So many names of a list are shown where what was given is none of them."""


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
    async with _opened(settings, name) as (tool, context, lists):
        if tool is None:
            return 2
        if not tool.readonly and not really:
            print(f"{name} writes; with --really it does so now, without an approval")
            return 2
        try:
            arguments = await _by_ids(tool, _arguments(tool, given), lists, context)
            result = await call(tool, arguments, context)
        except (ToolError, ValueError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
        print(tool.tell(result, lang))
        return 0


async def probe_tool(settings: Settings, name: str, given: Sequence[str], *, lang: Lang) -> int:
    """Print what a tool that reads is asked, what comes back, and what a model and people see."""
    async with _opened(settings, name) as (tool, context, lists):
        if tool is None:
            return 2
        if not tool.readonly:
            print(f"{name} writes; only tools that read are probed", file=sys.stderr)
            return 2
        try:
            arguments = await _by_ids(tool, _arguments(tool, given), lists, context)
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
) -> AsyncIterator[tuple[Tool[Any] | None, ToolContext, Mapping[str, NameList]]]:
    """The tool, what it is called with, and the lists of names by kind of entity."""
    definitions, connections = _load(settings)
    playbook, tool = _find(_own_tools(definitions), name)
    context = ToolContext(
        today=open_clock(settings).today(),
        key=f"cli-{open_clock(settings).now().isoformat()}",
        by=OPERATOR,
        person=Principal(id=OPERATOR, name=OPERATOR, roles=definitions.people.roles),
    )
    try:
        yield tool, context, _name_lists(definitions, playbook)
    finally:
        await asyncio.gather(*(each.close() for each in connections.by_name.values()))


def _name_lists(definitions: Definitions, playbook: str) -> Mapping[str, NameList]:
    """Every list of names, that of the tool's own playbook where several are of a kind."""
    every = sorted(definitions.playbooks.values(), key=lambda each: each.id == playbook)
    return {
        kind: (entity, definitions.toolbox.find(entity.tool, each))
        for each in every
        for kind, entity in each.definition.entities.items()
        if entity.tool
    }


async def _by_ids(
    tool: Tool[Any],
    arguments: Mapping[str, JsonValue],
    lists: Mapping[str, NameList],
    context: ToolContext,
) -> Mapping[str, JsonValue]:
    """The arguments with ids in place of names that lists know, as a chat has them.

    What was taken for what is said on the standard error.
    """
    properties = tool.arguments.model_json_schema().get("properties", {})
    found = dict(arguments)
    for name, said in arguments.items():
        kind = properties.get(name, {}).get("entity", "")
        if kind not in lists or not isinstance(said, str):
            continue
        entity, listing = lists[kind]
        try:
            rows = rows_of_list(entity, await call(listing, {}, context))
        except (ToolError, ValueError) as error:
            print(f"{name}: names of {listing.name} are not known: {error}", file=sys.stderr)
            continue
        one = Entities((list_of(kind, rows, entity.name),)).normalised(said, kind)
        if one is None:
            there = ", ".join(f"{id_} ({'; '.join(also)})" for id_, also in rows[:SHOWN_NAMES])
            told = f"{name}: {said!r} is no {kind} that {listing.name} lists, or several; there are"
            more = f" and {len(rows) - SHOWN_NAMES} more" if len(rows) > SHOWN_NAMES else ""
            print(f"{told} {there or 'none'}{more}", file=sys.stderr)
        elif one != said:
            print(f"{name}: {said} is {one}", file=sys.stderr)
            found[name] = one
    return found


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


def _find(tools: Sequence[tuple[str, Tool[Any]]], name: str) -> tuple[str, Tool[Any] | None]:
    """The tool of that name, or of `PLAYBOOK/NAME`, and its playbook.

    None, with the reason printed, for no one.
    """
    found = [(at, tool) for at, tool in tools if name in (tool.name, f"{at}/{tool.name}")]
    if len(found) == 1:
        return found[0]
    if found:
        each = ", ".join(f"{at}/{name}" for at, _ in found)
        print(f"{name!r} is a tool of several playbooks; write one of {each}", file=sys.stderr)
        return "", None
    known = ", ".join(dict.fromkeys(tool.name for _, tool in tools)) or "none"
    told = f"there is no tool {name!r} in a tools.yaml or a package; there are: {known}"
    print(told, file=sys.stderr)
    return "", None


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

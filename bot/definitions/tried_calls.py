"""The calls of a folder's tools, tried at their systems without being carried out."""

from contextlib import suppress
from dataclasses import dataclass, field

from bot.definitions.loader import load_playbook, try_load_people
from bot.settings import Settings
from engine.errors import DefinitionError, ToolFailed
from engine.playbooks.checks.tools import requests_of
from engine.playbooks.load import MAIN
from engine.playbooks.tool import TOOLS_FILE, ToolDefinition
from engine.ports.systems.connections import BadCall, TriedCall
from engine.toolbox.toolbox import Toolbox
from engine.yaml.source import Problems, Source, read_yaml


@dataclass(slots=True)
class TriedCalls:
    """How many calls were tried, and the faults of those that their systems do not take.

    A fault is `file:line: path: message`. Systems that do not answer are `away`, by name.
    """

    count: int = 0
    faults: list[str] = field(default_factory=list)
    away: set[str] = field(default_factory=set)


async def try_calls(settings: Settings, toolbox: Toolbox) -> TriedCalls:
    """Try the calls of every playbook that has no problems of its own."""
    tried = TriedCalls()
    people = try_load_people(settings, Problems())
    for main in sorted(settings.playbooks.glob(f"*/{MAIN}")):
        path = main.with_name(TOOLS_FILE)
        if not path.exists():
            continue
        with suppress(DefinitionError):
            given = (main, people, toolbox, settings.languages, settings.skills)
            tools, source = (
                load_playbook(*given).tools,
                read_yaml(path.read_text("utf-8"), file=str(path)),
            )
            for name, tool in tools.items():
                await _try_tool(name, tool, source, toolbox, tried)
    return tried


async def _try_tool(
    name: str, tool: ToolDefinition, source: Source, toolbox: Toolbox, tried: TriedCalls
) -> None:
    for at, call, request in requests_of(tool):
        connection = toolbox.connections.get(call.connection)
        if connection is None or connection.name in tried.away:
            continue
        with suppress(BadCall):
            prepared = connection.prepare(request)
            if not isinstance(prepared, TriedCall):
                continue
            try:
                fault = await prepared.find_fault()
            except ToolFailed:
                tried.away.add(connection.name)
                continue
            tried.count += 1
            if fault:
                tried.faults.append(source.problem((name, *at), fault))

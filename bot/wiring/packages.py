"""Tools of installed packages: every entry of the group `signoff.tools`, checked."""

import sys
from collections.abc import Collection, Iterator
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from inspect import iscoroutinefunction
from typing import Any

import structlog

from adapters.daemon_threads import run_in_daemon_thread
from cards.clipping import shorten
from cards.markdown import literal
from engine.errors import ToolError, ToolFailed, ToolUnsure
from engine.toolbox.package import (
    BadPackageTool,
    NotDone,
    PackageCall,
    PackageTool,
    read_package_tool,
)
from engine.tools.model import Tool
from engine.yaml.source import Problems

GROUP = "signoff.tools"
log = structlog.get_logger("tools")

MAX_TOOLS = 200
"""So many tools may all packages have together."""


def load_package_tools(taken: Collection[str]) -> tuple[Tool[Any], ...]:
    """The tools of all packages; `taken` are names of other tools.

    Raises DefinitionError with every problem: nothing of a faulty package is used in silence.
    """
    problems, found = Problems(), dict[str, Tool[Any]]()
    for entry in _entries(tuple(sys.path)):
        for given in _tools_of(entry, problems):
            try:
                tool = read_package_tool(given, _origin(entry), run_function)
            except BadPackageTool as error:
                problems.add(f"{_place(entry)}: {error}")
                continue
            if tool.name in taken or tool.name in found:
                problems.add(f"{_place(entry)}: there is a tool {tool.name!r} already")
            found[tool.name] = tool
    if len(found) > MAX_TOOLS:
        problems.add(f"{GROUP}: packages have {len(found)} tools; at most {MAX_TOOLS} are taken")
    problems.raise_if_any()
    return tuple(found.values())


@lru_cache(maxsize=4)
def _entries(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """What packages on the path declare, which takes a while where there are many packages."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda each: (each.name, each.value)))


async def run_function(tool: PackageTool, arguments: Any, call: PackageCall) -> Any:
    """What the tool's function gives. Raises ToolError, whatever it raises."""
    try:
        if iscoroutinefunction(tool.function):
            return await tool.function(arguments, call)
        return await run_in_daemon_thread(lambda: tool.function(arguments, call))
    except ToolError:
        raise
    except NotDone as error:
        words = literal(shorten(str(error), 300))
        raise ToolFailed("tool.package_refused", name=tool.name, words=words) from error
    except Exception as error:
        # Faults of others' code must not touch ours.
        log.warning("package_tool_failed", tool=tool.name, exc_info=True)
        if tool.reads:
            raise ToolFailed("tool.package_failed", name=tool.name) from error
        raise ToolUnsure("tool.package_unsure", name=tool.name) from error


def _tools_of(entry: EntryPoint, problems: Problems) -> Iterator[object]:
    try:
        listed = entry.load()
        listed = listed() if callable(listed) else listed
    except Exception as error:
        # Code of others, of which anything may be raised.
        told = shorten(f"{type(error).__name__}: {error}", 300)
        problems.add(f"{_place(entry)}: cannot be loaded: {told}")
        return
    if not isinstance(listed, list | tuple):
        problems.add(f"{_place(entry)}: should be a list of tools, or a function that returns one")
        return
    yield from listed


def _origin(entry: EntryPoint) -> str:
    if entry.dist is None:
        return f"package {entry.module}"
    return f"package {entry.dist.name} {entry.dist.version}"


def _place(entry: EntryPoint) -> str:
    return f"{_origin(entry)}, {GROUP} {entry.name}"

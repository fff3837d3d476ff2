"""MCP servers as processes of their own, and our tools over them."""

import asyncio
import os
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from adapters.connections.mcp.tools import McpTools
from engine.ports.systems.remote_tools import Server, Stdio
from tests.fakes.forge import NULL, Forged, forged, stand_in

ROOT = Path(__file__).parents[2]


def sample(*words: str, **variables: str) -> Stdio:
    """The sample server as a child process."""
    return module("tests.fakes.mcp_server", "stdio", *words, **variables)


def old(*words: str) -> Stdio:
    """The sample server of an older revision."""
    return module("tests.fakes.old_mcp_server", *words)


def module(*words: str, **variables: str) -> Stdio:
    """A module that is a server, as a child process."""
    command, *args = stand_in(*words)
    return Stdio(command, tuple(args), {"PYTHONPATH": str(ROOT), **variables})


@asynccontextmanager
async def opened(*servers: Server, reserved: Collection[str] = ()) -> AsyncIterator[McpTools]:
    """The tools of these servers, which are ended afterwards."""
    tools = McpTools(servers, reserved)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(tools.run())
        try:
            yield tools
        finally:
            running.cancel()


def names(tools: McpTools) -> list[str]:
    return [tool.name for tool in tools.tools()]


def is_gone(pid: int) -> bool:
    """Whether the process has ended; what nobody has waited for yet has ended too."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


@asynccontextmanager
async def serving(port: int) -> AsyncIterator[Forged]:
    """The sample server over streamable HTTP, as a process that does not outlive the block."""
    words = ("http", str(port))
    process = await forged(
        "tests.fakes.mcp_server", words, cwd=ROOT, env=os.environ, stdout=NULL, stderr=NULL
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()

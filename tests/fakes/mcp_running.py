"""MCP servers as processes of their own, and our tools over them."""

import asyncio
import sys
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from adapters.connections.mcp.tools import McpTools
from engine.ports.systems.remote_tools import Server, Stdio

ROOT = Path(__file__).parents[2]


def sample(*words: str, **variables: str) -> Stdio:
    """The sample server as a child process."""
    return _module("tests.fakes.mcp_server", "stdio", *words, **variables)


def old(*words: str) -> Stdio:
    """The sample server of an older revision."""
    return _module("tests.fakes.old_mcp_server", *words)


def _module(*words: str, **variables: str) -> Stdio:
    return Stdio(sys.executable, ("-m", *words), {"PYTHONPATH": str(ROOT), **variables})


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
async def serving(port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """The sample server over streamable HTTP, as a process that does not outlive the block."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.mcp_server", "http", str(port)),
        cwd=ROOT,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()

"""An MCP server over HTTP, and one that is slow, huge, or wants more than it was given."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from adapters.connections.mcp.connection import McpConnection
from adapters.connections.mcp.model import McpSettings
from engine.errors import ToolFailed, ToolUnsure
from engine.ports.systems.connections import CallRequest
from tests.fakes.forge import stand_in
from tests.fakes.mcp_running import ROOT, serving
from tests.fakes.platforms.patience import START_S, until
from tests.fakes.ports import free_port


def sample(timeout_s: float) -> McpSettings:
    command, *words = stand_in("tests.fakes.mcp_server", "stdio")
    return McpSettings(
        command=command,
        args=tuple(words),
        env={"PYTHONPATH": str(ROOT)},
        timeout_s=timeout_s,
        max_kb=100,
    )


@pytest.fixture
async def server() -> AsyncIterator[McpConnection]:
    connection = McpConnection("sample", sample(20))
    yield connection
    await connection.close()


def request(tool: str, *arguments: str, writes: bool = False, result: str = "one") -> CallRequest:
    return CallRequest({"tool": tool}, frozenset(arguments), writes, result)


async def test_an_answer_that_is_too_large_is_none_of_a_read(server: McpConnection) -> None:
    for tool, result in (("huge", "text"), ("table", "one")):
        with pytest.raises(ToolFailed, match="more than 100 kB"):
            await server.prepare(request(tool, result=result))({})
    # A write was done, whatever it says.
    assert await server.prepare(request("huge", writes=True))({}) is None


async def test_a_server_that_wants_more_has_no_answer(server: McpConnection) -> None:
    with pytest.raises(ToolFailed, match="asks for more input"):
        await server.prepare(request("nosy"))({})
    with pytest.raises(ToolUnsure):
        await server.prepare(request("nosy", writes=True))({})


async def test_a_server_that_is_slow_has_its_time() -> None:
    slow = McpConnection("sample", sample(3))
    calls = [slow.prepare(request("wait", writes=writes)) for writes in (False, True)]
    try:
        read, written = await asyncio.gather(*(call({}) for call in calls), return_exceptions=True)
    finally:
        await slow.close()
    assert isinstance(read, ToolFailed)
    assert "did not answer within 3 seconds" in str(read)
    assert isinstance(written, ToolUnsure)
    assert "it may have been done" in str(written)


async def test_a_server_over_http_gets_the_key() -> None:
    port = free_port()
    given: dict[str, Any] = {"url": f"http://127.0.0.1:{port}/mcp", "auth": {"bearer": "$TOKEN"}}
    settings = McpSettings.model_validate(given, context={"environment": {"TOKEN": "t-1"}})
    connection = McpConnection("sample", settings)
    try:
        with pytest.raises(ToolFailed, match="cannot be reached"):
            await connection.prepare(request("caller", result="text"))({})
        async with serving(port):
            await until(lambda: _answers(connection), START_S)
            told = await connection.prepare(request("caller", result="text"))({})
            assert told == "Bearer t-1"
    finally:
        await connection.close()


async def _answers(connection: McpConnection) -> bool:
    return await connection.probe() == []

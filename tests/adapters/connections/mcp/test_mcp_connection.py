"""An MCP server as a connection of a project folder: what its tools give, and what is refused."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from adapters.connections.mcp.connection import McpConnection
from adapters.connections.mcp.model import McpSettings
from engine.errors import ToolFailed, ToolReported, ToolRetry, ToolUnsure
from engine.ports.systems.connections import BadCall, CallRequest, PinnedCall
from tests.fakes.forge import stand_in
from tests.fakes.mcp_running import ROOT, is_gone
from tests.fakes.parts_desk import orders
from tests.fakes.tables import table

ORDER = {"number": "P-100", "amount": 2, "who": "mia"}


def settings(folder: Path, **more: Any) -> McpSettings:
    command, *words = stand_in("tests.fakes.parts_server", "stdio", str(folder))
    return McpSettings(
        command=command,
        args=tuple(words),
        env={"PYTHONPATH": str(ROOT)},
        timeout_s=20,
        **more,
    )


@asynccontextmanager
async def opened(folder: Path, **more: Any) -> AsyncIterator[McpConnection]:
    connection = McpConnection("parts", settings(folder, **more))
    try:
        yield connection
    finally:
        await connection.close()


def request(tool: str, *arguments: str, result: str = "one", writes: bool = False, **more: Any):
    return CallRequest({"tool": tool, **more}, frozenset(arguments), writes, result, CONTEXT)


CONTEXT = frozenset({"requester"})


async def test_structured_answers_and_json_in_text_are_results(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        find = parts.prepare(request("find_part", "number"))
        found = {"number": "P-200", "name": "Oil filter"}
        price = {"value": 9.0, "currency": "EUR"}
        assert await find({"number": "P-200"}) == {"part": found, "price": price}
        inner = parts.prepare(request("find_part", "number", items="part"))
        assert await inner({"number": "P-200"}) == found
        listed = await parts.prepare(request("list_parts", result="many"))({})
        assert listed[1] == found
        whole = await parts.prepare(request("list_parts", result="text"))({})
        assert whole.startswith('[{"number": "P-100"')


async def test_a_tool_that_nobody_vouches_for_is_not_read_with(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        with pytest.raises(ToolFailed, match="does not declare say_hours as one that only reads"):
            await parts.prepare(request("say_hours", result="text"))({})
        with pytest.raises(ToolFailed, match="does not declare order_part"):
            await parts.prepare(request("order_part", *ORDER))(ORDER)
        assert orders(tmp_path) == []
    async with opened(tmp_path, readonly=("say_hours",)) as parts:
        told = await parts.prepare(request("say_hours", result="text"))({})
        assert told == "Open from 9 to 17."
        with pytest.raises(ToolFailed, match="answered something that cannot be read"):
            await parts.prepare(request("say_hours"))({})


async def test_arguments_are_templates_and_checked_by_the_servers_schema(tmp_path: Path) -> None:
    arguments = {"number": "{part}", "amount": "{amount}", "who": "{requester|upper}"}
    async with opened(tmp_path) as parts:
        order = parts.prepare(
            request("order_part", "part", "amount", writes=True, arguments=arguments)
        )
        with pytest.raises(ToolRetry, match="Wrong arguments amount: 'many' is not of type"):
            await order({"part": "P-100", "amount": "many", "requester": "mia"})
        with pytest.raises(ToolRetry, match="'amount' is a required property"):
            await order({"part": "P-100", "requester": "mia"})
        assert orders(tmp_path) == []
        told = await order({"part": "P-100", "amount": 2, "requester": "mia"}, key="k")
        assert told == {"result": "ordered"}
        assert not order.keyed
    assert orders(tmp_path) == ["P-100 2 MIA"]


async def test_a_write_whose_answer_is_lost_may_have_been_done(tmp_path: Path) -> None:
    (tmp_path / "dies").touch()
    async with opened(tmp_path) as parts:
        order = parts.prepare(request("order_part", *ORDER, writes=True))
        with pytest.raises(ToolUnsure, match="it may have been done"):
            await order(ORDER)
        (tmp_path / "dies").unlink()
        # The server is started again for the next call.
        await order(ORDER)
    assert orders(tmp_path) == ["P-100 2 mia"] * 2


async def test_a_fault_that_the_server_reports_is_no_result(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        with pytest.raises(ToolReported, match="reports a fault") as caught:
            await parts.prepare(request("find_part", "number"))({"number": "P-999"})
    assert "P-999" not in caught.value.text("en")


async def test_the_digest_is_of_the_schema_as_it_is_now(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        order = parts.prepare(request("order_part", *ORDER, writes=True))
        assert isinstance(order, PinnedCall)
        before = await order.schema_digest()
        assert await order.schema_digest() == before
        (tmp_path / "newer").touch()
        assert await order.schema_digest() != before
        with pytest.raises(ToolFailed, match="has no tool sell_part at the moment"):
            await parts.prepare(request("sell_part", writes=True)).schema_digest()


async def test_a_server_that_does_not_start_costs_no_more_than_a_sentence(tmp_path: Path) -> None:
    missing = McpSettings(command=str(tmp_path / "none"), timeout_s=20)
    parts = McpConnection("parts", missing)
    assert await parts.probe() == ["parts cannot be reached at the moment."]
    with pytest.raises(ToolFailed, match="cannot be reached"):
        await parts.prepare(request("find_part", "number"))({"number": "P-100"})
    await parts.close()
    with pytest.raises(ToolFailed, match="not asked any more"):
        await parts.prepare(request("find_part", "number"))({"number": "P-100"})


def children_with(word: str) -> list[int]:
    """Processes that this one started with the word in their command."""
    known = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
    return [int(pid) for pid in known.split() if word in Path(f"/proc/{pid}/cmdline").read_text()]


async def test_its_process_ends_with_it(tmp_path: Path) -> None:
    async with opened(tmp_path, readonly=("say_hours", "sing")) as parts:
        assert await parts.probe() == ["readonly: the server has no tool 'sing'"]
        (server,) = children_with(str(tmp_path))
    assert is_gone(server)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({}, "tool: Field required"),
        ({"tool": "say_hours", "writes": True}, "writes: Extra inputs"),
        ({"tool": "a", "arguments": {"x": "{y}"}}, "arguments: {y} is no argument"),
        ({"tool": "a", "arguments": {"x": "{"}}, "stands alone"),
        ({"tool": "a", "items": "["}, "items: is no JMESPath"),
        ({"tool": "say_hours"}, "is vouched for as one that changes nothing"),
    ],
)
def test_a_wrong_call_is_told_when_it_is_loaded(
    tmp_path: Path, body: dict[str, Any], fault: str
) -> None:
    parts = McpConnection("parts", settings(tmp_path, readonly=("say_hours",)))
    with pytest.raises(BadCall, match=fault):
        parts.prepare(CallRequest(body, frozenset({"x"}), True, "one"))


@table(
    ("given", "fault"),
    [
        ({}, "either a command or a url"),
        ({"command": "a", "url": "http://127.0.0.1/mcp"}, "either a command or a url"),
        ({"command": "a", "headers": {"A": "b"}}, "headers does not go together"),
        ({"url": "http://127.0.0.1/mcp", "args": ["a"]}, "args does not go together"),
        ({"url": "file:///etc"}, "should be an http"),
        ({"url": "http://127.0.0.1/mcp", "auth": {"bearer": "abc"}}, "no secret stands in a file"),
        ({"command": "a", "env": {"TOKEN": "$NONE_SUCH"}}, "is not set in the environment"),
    ],
)
def test_wrong_settings_are_told(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        McpSettings.model_validate(given, context={"environment": {}})


def test_secrets_are_in_place_and_never_shown() -> None:
    known = {"environment": {"TOKEN": "t-1", "KEY": "k-1"}}
    url = {"url": "http://127.0.0.1/mcp/"}
    bearer = McpSettings.model_validate({**url, "auth": {"bearer": "$TOKEN"}}, context=known)
    assert bearer.sent_headers == {"Authorization": "Bearer t-1"}
    header = {"header": {"name": "X-Key", "value": "$KEY"}}
    keyed = McpSettings.model_validate(
        {**url, "auth": header, "headers": {"A": "b"}}, context=known
    )
    assert keyed.sent_headers == {"A": "b", "X-Key": "k-1"}
    basic = {"basic": {"user": "u", "password": "$KEY"}}
    named = McpSettings.model_validate({**url, "auth": basic}, context=known)
    assert named.sent_headers == {"Authorization": "Basic dTprLTE="}
    child = {"command": "a", "env": {"A": "$TOKEN", "B": "plain"}}
    started = McpSettings.model_validate(child, context=known)
    assert started.variables == {"A": "t-1", "B": "plain"}
    assert started.env["A"] == SecretStr("t-1")
    assert "t-1" not in repr((bearer, started))

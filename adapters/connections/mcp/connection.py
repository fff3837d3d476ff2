"""One session with one server, opened again whenever it ends, and its results as JSON."""

import asyncio
import json
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, assert_never

import anyio
import structlog
from mcp import Client, ClientSession, MCPError, types
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import SubscriptionLost
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from adapters.connections.mcp.offers import OfferedTool, select_tools
from adapters.connections.mcp.transport import transport
from adapters.connections.printable import clean, cut
from engine.errors import ToolFailed, ToolReported, ToolRetry
from engine.ports.systems.remote_tools import Server

MAX_CHARS = 20_000
FAULT_CHARS = 1000
NAME_CHARS = 100
MAX_NAMED = 20
OPEN_S = 30.0
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 60.0
# A session that lasted this long was no failed start.
STEADY_S = 60.0
# What a server offers is asked for again this often, and at most that often.
LIST_S = 60.0
LIST_APART_S = 0.5
MAX_PAGES = 20
ERROR_CHARS = 200
_log = structlog.get_logger(__name__)
_Answer = types.CallToolResult | types.InputRequiredResult
# Without the SDK's check against the server's output schema: what the model reads is only text,
# and the check would run the server's own regular expressions.
_ANSWER: TypeAdapter[_Answer] = TypeAdapter(_Answer)


class McpConnection:
    """What a server offers while it answers; nothing when it does not.

    Its own requests (sampling, elicitation, roots) are refused by the SDK, as nothing handles them.
    """

    def __init__(
        self, server: Server, reserved: Collection[str], changed: Callable[[], None]
    ) -> None:
        self.offers: Mapping[str, OfferedTool] = {}
        self._server = server
        self._reserved = reserved
        self._changed = changed
        self._session: ClientSession | None = None
        self._relist = asyncio.Event()
        self._left_out: Mapping[str, str] = {}

    async def run(self) -> None:
        """Hold a session, and open the next one when it ends, until cancelled."""
        pause_s = FIRST_PAUSE_S
        while True:
            begun = anyio.current_time()
            try:
                await self._run_session()
            except Exception as error:
                # Faults of an outside server must not touch others.
                reason = _describe_error(error)
                _log.warning("mcp_server_away", server=self._server.name, error=reason)
            finally:
                self._session = None
                self._set_offers({})
            steady = anyio.current_time() - begun > STEADY_S
            pause_s = FIRST_PAUSE_S if steady else min(pause_s * 2, LONGEST_PAUSE_S)
            await anyio.sleep(pause_s)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """As `RemoteTools.call`."""
        offer, session = self.offers.get(name), self._session
        if offer is None or session is None:
            raise ToolFailed("tool.remote.away", tool=name)
        hint = offer.check(arguments)
        if hint is not None:
            raise ToolRetry(hint)
        params = types.CallToolRequestParams(name=offer.own_name, arguments=dict(arguments))
        try:
            answer = await session.send_request(
                types.CallToolRequest(params=params),
                _ANSWER,
                request_read_timeout_seconds=self._server.timeout_s,
            )
        except MCPError as error:
            self._relist.set()
            raise self._failure(name, error) from error
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            self._relist.set()
            raise ToolFailed("tool.remote.away", tool=name) from error
        except ValidationError as error:
            where = {"server": self._server.name, "tool": name}
            raise ToolFailed("tool.remote.garbled", **where) from error
        if isinstance(answer, types.InputRequiredResult):
            raise ToolFailed("tool.remote.asks", server=self._server.name, tool=name)
        return tool_result(self._server, name, answer)

    async def _run_session(self) -> None:
        """Run one session to its end. Raises whatever ended it."""
        with anyio.move_on_after(OPEN_S) as opening:
            async with Client(
                transport(self._server, self._relist.set),
                read_timeout_seconds=OPEN_S,
                message_handler=self._on_message,
                client_info=types.Implementation(name="signoff", version="1"),
                cache=None,
            ) as client:
                await self._list(client)
                opening.deadline = math.inf
                async with anyio.create_task_group() as group:
                    group.start_soon(self._listen, client)
                    await self._keep_listing(client)
        raise TimeoutError(f"not open after {OPEN_S:g} seconds")

    async def _keep_listing(self, client: Client) -> None:
        """List the tools again, at once when there is reason to. Raises when there is no answer."""
        while True:
            await anyio.sleep(LIST_APART_S)
            with anyio.move_on_after(LIST_S):
                await self._relist.wait()
            self._relist.clear()
            await self._list(client)

    async def _list(self, client: Client) -> None:
        tools: list[types.Tool] = []
        cursor = None
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        found, left = select_tools(self._server, tools, self._reserved)
        for name in left.keys() - self._left_out.keys():
            why = left[name]
            _log.warning("mcp_tool_left_out", server=self._server.name, tool=name, why=why)
        self._left_out = left
        if self._session is None:
            _log.info("mcp_server_open", server=self._server.name, tools=sorted(found))
        self._session = client.session
        self._set_offers(found)

    def _set_offers(self, found: Mapping[str, OfferedTool]) -> None:
        now = [offer.listed for offer in found.values()]
        differs = now != [offer.listed for offer in self.offers.values()]
        self.offers = found
        if differs:
            self._changed()

    async def _on_message(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._relist.set()

    async def _listen(self, client: Client) -> None:
        """Subscribe to changes of tools, as newer servers require."""
        tools = client.server_capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        while tools is not None and tools.list_changed:
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    async for _ in changes:
                        self._relist.set()
            except SubscriptionLost:
                self._relist.set()
            except (MCPError, TimeoutError):
                return
            await anyio.sleep(LIST_APART_S)

    def _failure(self, name: str, error: MCPError) -> ToolFailed:
        where = {"server": self._server.name, "tool": name}
        words = clean(error.message, FAULT_CHARS)
        if error.code == types.REQUEST_TIMEOUT:
            return ToolFailed("tool.remote.slow", **where, seconds=f"{self._server.timeout_s:g}")
        if error.code == types.CONNECTION_CLOSED:
            # Servers use this code for faults of their own too.
            return ToolReported("tool.remote.away", words, tool=name)
        return ToolReported("tool.remote.fault", words, **where)


def _describe_error(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return clean(f"{type(error).__name__}: {error}", ERROR_CHARS)


def tool_result(server: Server, tool: str, answer: types.CallToolResult) -> dict[str, Any]:
    """Return structured content, else the text; other parts are only named. Raises ToolReported."""
    texts = [part.text for part in answer.content if isinstance(part, types.TextContent)]
    text = cut("\n".join(texts), MAX_CHARS)
    if answer.is_error:
        words = clean(text, FAULT_CHARS)
        raise ToolReported("tool.remote.fault", words, server=server.name, tool=tool)
    result: dict[str, Any] = {"server": server.name}
    if answer.structured_content is None:
        result["text"] = text
    else:
        result |= _structured(answer.structured_content)
    named = [name for part in answer.content if (name := _name_part(part))]
    return {**result, "not_shown": named[:MAX_NAMED]} if named else result


def _structured(content: Any) -> dict[str, Any]:
    try:
        size = len(json.dumps(content, ensure_ascii=False))
    except RecursionError:
        return {"text": "[nested too deep to be shown]"}
    if size <= MAX_CHARS:
        return {"result": content}
    return {"text": cut(json.dumps(content, ensure_ascii=False), MAX_CHARS)}


def _name_part(part: types.ContentBlock) -> str:
    """Return the name of a part that is not shown; "" for text."""
    match part:
        case types.TextContent():
            return ""
        case types.ImageContent() | types.AudioContent():
            return clean(f"{part.type} {part.mime_type}", NAME_CHARS)
        case types.ResourceLink():
            return clean(f"resource {part.uri}", NAME_CHARS)
        case types.EmbeddedResource():
            return clean(f"resource {part.resource.uri}", NAME_CHARS)
        case _:
            assert_never(part)

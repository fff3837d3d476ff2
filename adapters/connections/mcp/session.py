"""One session with one server, opened again whenever it ends."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anyio
import structlog
from mcp import Client, ClientSession, MCPError, types
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import SubscriptionLost
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter

from adapters.connections.mcp.transport import transport
from adapters.connections.printable import clean
from engine.ports.systems.remote_tools import Server

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

Answer = types.CallToolResult | types.InputRequiredResult
# Without the SDK's check against the server's output schema, which would run the server's own
# regular expressions.
_ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)


class NoSession(Exception):
    """The server does not answer at the moment: nothing was sent."""


class McpSession:
    """What a server lists while it answers, and calls of its tools.

    `on_tools` hears of its tools whenever they are listed, and of none when the session ends.
    The server's own requests (sampling, elicitation, roots) are refused by the SDK, as nothing
    handles them.
    """

    def __init__(self, server: Server, on_tools: Callable[[Sequence[types.Tool]], None]) -> None:
        self._server = server
        self._on_tools = on_tools
        self._client: Client | None = None
        self._session: ClientSession | None = None
        self._relist = asyncio.Event()
        self._wanted = asyncio.Event()
        self._tried = asyncio.Event()
        self._was_open = False

    async def run(self) -> None:
        """Hold a session, and open the next one when it ends, until cancelled."""
        pause_s = FIRST_PAUSE_S
        while True:
            begun, self._was_open = anyio.current_time(), False
            try:
                await self._run_session()
            except Exception as error:
                # Faults of an outside server must not touch others.
                reason = _describe_error(error)
                _log.warning("mcp_server_away", server=self._server.name, error=reason)
            finally:
                self._client = self._session = None
                self._on_tools(())
            if not self._was_open:
                self._tried.set()
                self._wanted.clear()
            if self._tried.is_set():
                self._tried = asyncio.Event()
            steady = anyio.current_time() - begun > STEADY_S
            pause_s = FIRST_PAUSE_S if steady else min(pause_s * 2, LONGEST_PAUSE_S)
            with anyio.move_on_after(pause_s):
                await self._wanted.wait()
            self._wanted.clear()

    async def wait_open(self) -> None:
        """Wait for the end of the try to open a session, begun at once. Raises NoSession."""
        if self._session is None:
            self._wanted.set()
            await self._tried.wait()
        if self._session is None:
            raise NoSession

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        """What the server answers to a call of its tool.

        Raises NoSession when nothing was sent; MCPError, anyio's errors of streams and pydantic's
        ValidationError when nobody knows what came of it.
        """
        session = self._session
        if session is None:
            raise NoSession
        params = types.CallToolRequestParams(name=name, arguments=dict(arguments))
        try:
            return await session.send_request(
                types.CallToolRequest(params=params),
                _ANSWER,
                request_read_timeout_seconds=self._server.timeout_s,
            )
        except (MCPError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            self._relist.set()
            if not isinstance(error, MCPError) or error.code == types.CONNECTION_CLOSED:
                self._doubt(session)
            raise

    def _doubt(self, session: ClientSession) -> None:
        """Send nothing more until the session has listed its tools, or another one is open."""
        if self._session is session:
            self._session = None
            self._tried.clear()

    async def list_anew(self) -> None:
        """List the tools as they are now. Raises as `call`."""
        client = self._client
        if client is None:
            raise NoSession
        self._on_tools(await _list_tools(client))

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
        tools = await _list_tools(client)
        if self._session is None:
            names = [clean(tool.name, 64) for tool in tools]
            _log.info("mcp_server_open", server=self._server.name, tools=sorted(names))
        self._client, self._session = client, client.session
        self._was_open = True
        self._on_tools(tools)
        self._tried.set()

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


async def _list_tools(client: Client) -> Sequence[types.Tool]:
    tools: list[types.Tool] = []
    cursor = None
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return tools


def _describe_error(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return clean(f"{type(error).__name__}: {error}", ERROR_CHARS)

"""Calls tools of an MCP server that a project folder names."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import anyio
import jmespath
import structlog
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult
from pydantic import JsonValue

from adapters.connections.mcp.model import McpCall, McpSettings
from adapters.connections.problems import read_call
from engine.errors import ToolFailed, ToolRetry
from engine.ports.systems.connections import BadCall, CallRequest
from engine.ports.systems.remote_tools import Http, Server, Stdio
from engine.text.template import BadTemplate, fill_tree, holes_in, templates_in

if TYPE_CHECKING:
    from adapters.connections.mcp.calls import ServerCalls

log = structlog.get_logger("connections")


class McpConnection:
    """One server, with a session from the first call on; what it sends is data."""

    def __init__(self, name: str, settings: McpSettings) -> None:
        self.name = name
        self.settings = settings
        self._calls: ServerCalls | None = None
        self._hosting: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()

    def shape(self, body: Mapping[str, Any]) -> None:
        """Nothing: a server is not asked when a file is loaded, so the file says the arguments."""

    def prepare(self, request: CallRequest) -> "PreparedMcpCall":
        """The call, checked. Raises BadCall."""
        return PreparedMcpCall(self, read_call(McpCall, request), request)

    async def probe(self) -> Sequence[str]:
        """What is wrong: no answer, or a vouched tool that the server does not have."""
        try:
            known = await (await self.open_calls()).tool_names()
        except ToolFailed as error:
            return [str(error)]
        absent = [name for name in self.settings.readonly if name not in known]
        return [f"readonly: the server has no tool {name!r}" for name in absent]

    async def close(self) -> None:
        """Ends the session and its process; makes no call from now on."""
        self._stop.set()
        if self._hosting is not None:
            await self._hosting

    async def open_calls(self) -> "ServerCalls":
        """The server's tools, over an open session. Raises ToolFailed: nothing was sent."""
        if self._stop.is_set():
            raise ToolFailed("connection.closed", name=self.name)
        if self._calls is None or self._hosting is None:
            # The SDK takes a while to load, and only who calls a server needs it.
            from adapters.connections.mcp.calls import ServerCalls

            self._calls = ServerCalls(self.name, self._server(), frozenset(self.settings.readonly))
            self._hosting = asyncio.get_running_loop().create_task(self._host(self._calls))
        await self._calls.wait_open()
        return self._calls

    async def _host(self, calls: "ServerCalls") -> None:
        # Ended from within: a task's cancellation breaks through the shield behind which the SDK
        # may just be ending a child process, which would then be left behind.
        async with anyio.create_task_group() as group:
            group.start_soon(calls.session.run)
            await self._stop.wait()
            group.cancel_scope.cancel()

    def _server(self) -> Server:
        settings = self.settings
        at: Http | Stdio
        if settings.url is not None:
            at = Http(settings.url, settings.sent_headers)
        else:
            at = Stdio(settings.command or "", settings.args, settings.variables)
        return Server(self.name, at, timeout_s=settings.timeout_s)


class PreparedMcpCall:
    """One tool of a server. No server promises that a repeat writes once: none is keyed."""

    keyed = False

    def __init__(self, connection: McpConnection, call: McpCall, request: CallRequest) -> None:
        self._connection = connection
        self._tool = call.tool
        self._request = request
        given = call.arguments
        if given is None:
            given = {name: f"{{{name}}}" for name in sorted(request.arguments)}
        problems = []
        if request.writes and call.tool in connection.settings.readonly:
            problems.append(f"tool: {call.tool!r} is vouched for as one that changes nothing")
        try:
            self._arguments = templates_in(given)
            self._items: ParsedResult | None = jmespath.compile(call.items) if call.items else None
        except BadTemplate as error:
            raise BadCall(*problems, f"arguments: {error}") from error
        except JMESPathError as error:
            raise BadCall(*problems, f"items: is no JMESPath expression: {error}") from error
        unknown = {hole.root for hole in holes_in(self._arguments)} - request.names
        problems += [f"arguments: {{{name}}} is no argument" for name in sorted(unknown)]
        if problems:
            raise BadCall(*problems)

    async def schema_digest(self) -> str:
        """The digest of the tool's input schema as the server lists it now. Raises ToolFailed."""
        calls = await self._connection.open_calls()
        return await calls.schema_digest(self._tool)

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """What the tool gives. Raises ToolRetry, ToolUnsure for a write, else ToolFailed."""
        calls = await self._connection.open_calls()
        answer = await calls.call(self._tool, self._filled(values), writes=self._request.writes)
        return self._read(answer.texts, answer.structured)

    def _filled(self, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        try:
            filled = fill_tree(self._arguments, values)
        except BadTemplate as error:
            raise ToolRetry(f"Wrong arguments. {error}") from error
        return filled if isinstance(filled, dict) else {}

    def _read(self, texts: Sequence[str], structured: JsonValue) -> JsonValue:
        """The answer as the tool's result wants it; of a write, which was done, always one."""
        whole = "\n".join(texts)
        size = len(whole) + (len(json.dumps(structured)) if structured is not None else 0)
        if size > self._connection.settings.max_kb * 1024:
            if self._request.writes:
                return None
            raise self._failure("connection.large", kb=self._connection.settings.max_kb)
        if self._request.result == "text":
            return whole if whole or structured is None else structured
        if structured is None:
            structured = self._parsed(texts)
        if self._items is None:
            return structured
        try:
            found: JsonValue = self._items.search(structured)
        except JMESPathError as error:
            raise self._garbled(str(error)) from error
        return found

    def _parsed(self, texts: Sequence[str]) -> JsonValue:
        """The JSON of the answer's text: of the whole, else of each block as one row."""
        whole = "\n".join(texts)
        try:
            return _json(whole)
        except (ValueError, RecursionError) as error:
            if self._request.writes:
                return {"text": whole}
            if not whole.strip():
                return None
            if len(texts) < 2:
                raise self._garbled(type(error).__name__) from error
        try:
            return [_json(text) for text in texts]
        except (ValueError, RecursionError) as error:
            raise self._garbled(type(error).__name__) from error

    def _garbled(self, why: str) -> ToolFailed:
        log.warning("connection_garbled", connection=self._connection.name, error=why)
        return self._failure("connection.garbled")

    def _failure(self, key: str, **values: object) -> ToolFailed:
        return ToolFailed(key, name=self._connection.name, **values)


def _json(text: str) -> JsonValue:
    told: JsonValue = json.loads(text, parse_constant=_no_number)
    return told


def _no_number(text: str) -> JsonValue:
    raise ValueError(f"{text} is no JSON")

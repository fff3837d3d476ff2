"""The tools of one server by their own names: which may be read with, and how each is called."""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio
from mcp import MCPError, types
from pydantic import JsonValue, ValidationError

from adapters.connections.json_schema import ArgumentCheck, BadSchema, argument_check
from adapters.connections.mcp.session import Answer, McpSession, NoSession
from adapters.connections.printable import clean
from engine.errors import ToolFailed, ToolReported, ToolRetry, ToolUnsure
from engine.ports.systems.remote_tools import Server

FAULT_CHARS = 1000
_LOST = (anyio.BrokenResourceError, anyio.ClosedResourceError, ValidationError)
# These say that the tool was not run.
_REFUSALS = (
    types.INVALID_PARAMS,
    types.METHOD_NOT_FOUND,
    types.INVALID_REQUEST,
    types.PARSE_ERROR,
)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool gave: its texts, and its structured content if it has some."""

    texts: Sequence[str]
    structured: JsonValue


class ServerCalls:
    """Tools of a server as it lists them now; `readonly` are those that the file vouches for."""

    def __init__(self, name: str, server: Server, readonly: frozenset[str]) -> None:
        self.session = McpSession(server, self._take)
        self._name = name
        self._server = server
        self._readonly = readonly
        self._tools: Mapping[str, types.Tool] = {}
        self._checks: dict[str, ArgumentCheck] = {}

    async def wait_open(self) -> None:
        """Wait until there is a session. Raises ToolFailed."""
        seconds = self._server.timeout_s
        try:
            async with asyncio.timeout(seconds):
                await self.session.wait_open()
        except NoSession as error:
            raise self._failure("connection.away") from error
        except TimeoutError as error:
            raise self._failure("connection.slow", seconds=f"{seconds:g}") from error

    async def tool_names(self) -> frozenset[str]:
        """The names of the server's tools."""
        return frozenset(self._tools)

    async def schema_digest(self, name: str) -> str:
        """The SHA-256 of a tool's input schema, listed anew. Raises ToolFailed."""
        try:
            async with asyncio.timeout(self._server.timeout_s):
                await self.session.list_anew()
        except (NoSession, MCPError, TimeoutError, *_LOST) as error:
            raise self._failure("connection.away") from error
        schema = self._find(name).input_schema
        text = json.dumps(schema, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    async def call(
        self, name: str, arguments: Mapping[str, JsonValue], *, writes: bool
    ) -> ToolAnswer:
        """What the tool gives. Raises ToolRetry, ToolFailed; ToolUnsure for a write that was sent
        and of which nobody knows what came of it."""
        tool = self._find(name)
        declared = tool.annotations is not None and tool.annotations.read_only_hint is True
        if not (writes or declared or name in self._readonly):
            raise self._failure("connection.not_vouched", tool=clean(name, 64))
        if fault := self._check(name, tool)(arguments):
            raise ToolRetry(fault)
        try:
            answer = await self.session.call(name, arguments)
        except NoSession as error:
            raise self._failure("connection.away") from error
        except MCPError as error:
            raise self._protocol_failure(name, error, writes=writes) from error
        except _LOST as error:
            raise self._lost("connection.away", writes=writes) from error
        return self._read(name, answer, writes=writes)

    def _take(self, tools: Sequence[types.Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._checks.clear()

    def _find(self, name: str) -> types.Tool:
        if name not in self._tools:
            raise self._failure("connection.no_tool", tool=clean(name, 64))
        return self._tools[name]

    def _check(self, name: str, tool: types.Tool) -> ArgumentCheck:
        if name not in self._checks:
            try:
                self._checks[name] = argument_check(tool.input_schema)
            except BadSchema as error:
                raise self._failure("connection.garbled") from error
        return self._checks[name]

    def _read(self, name: str, answer: Answer, *, writes: bool) -> ToolAnswer:
        if isinstance(answer, types.InputRequiredResult):
            if writes:
                raise self._lost("connection.away", writes=True)
            raise ToolFailed("tool.remote.asks", server=self._name, tool=clean(name, 64))
        texts = [part.text for part in answer.content if isinstance(part, types.TextContent)]
        if answer.is_error:
            raise self._reported(name, "\n".join(texts))
        return ToolAnswer(texts, answer.structured_content)

    def _protocol_failure(self, name: str, error: MCPError, *, writes: bool) -> ToolFailed:
        if error.code in _REFUSALS:
            return self._reported(name, error.message)
        if error.code == types.REQUEST_TIMEOUT:
            seconds = f"{self._server.timeout_s:g}"
            return self._lost("connection.slow", writes=writes, seconds=seconds)
        if error.code == types.CONNECTION_CLOSED or writes:
            return self._lost("connection.away", writes=writes)
        return self._reported(name, error.message)

    def _reported(self, name: str, words: str) -> ToolFailed:
        where = {"server": self._name, "tool": clean(name, 64)}
        return ToolReported("tool.remote.fault", clean(words, FAULT_CHARS), **where)

    def _lost(self, key: str, *, writes: bool, **values: object) -> ToolFailed:
        if writes:
            return ToolUnsure("connection.unsure", name=self._name)
        return self._failure(key, **values)

    def _failure(self, key: str, **values: object) -> ToolFailed:
        return ToolFailed(key, name=self._name, **values)

"""What one server offers to questions, and its results as JSON."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, assert_never

import anyio
import structlog
from mcp import MCPError, types
from pydantic import ValidationError

from adapters.connections.mcp.offers import OfferedTool, select_tools
from adapters.connections.mcp.session import McpSession, NoSession
from adapters.connections.printable import clean, cut
from engine.errors import ToolFailed, ToolReported, ToolRetry
from engine.ports.systems.remote_tools import Server

MAX_CHARS = 20_000
FAULT_CHARS = 1000
NAME_CHARS = 100
MAX_NAMED = 20
_log = structlog.get_logger(__name__)


class OfferingServer:
    """The read-only tools that a server offers while it answers; none when it does not."""

    def __init__(
        self, server: Server, reserved: Collection[str], changed: Callable[[], None]
    ) -> None:
        self.offers: Mapping[str, OfferedTool] = {}
        self.session = McpSession(server, self._select)
        self._server = server
        self._reserved = reserved
        self._changed = changed
        self._left_out: Mapping[str, str] = {}

    async def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """As `RemoteTools.call`."""
        offer = self.offers.get(name)
        if offer is None:
            raise ToolFailed("tool.remote.away", tool=name)
        hint = offer.check(arguments)
        if hint is not None:
            raise ToolRetry(hint)
        try:
            answer = await self.session.call(offer.own_name, arguments)
        except MCPError as error:
            raise failure_of(self._server, name, error) from error
        except (NoSession, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise ToolFailed("tool.remote.away", tool=name) from error
        except ValidationError as error:
            where = {"server": self._server.name, "tool": name}
            raise ToolFailed("tool.remote.garbled", **where) from error
        if isinstance(answer, types.InputRequiredResult):
            raise ToolFailed("tool.remote.asks", server=self._server.name, tool=name)
        return tool_result(self._server, name, answer)

    def _select(self, tools: Sequence[types.Tool]) -> None:
        found, left = select_tools(self._server, tools, self._reserved)
        for name in left.keys() - self._left_out.keys():
            why = left[name]
            _log.warning("mcp_tool_left_out", server=self._server.name, tool=name, why=why)
        self._left_out = left if tools else self._left_out
        now = [offer.listed for offer in found.values()]
        differs = now != [offer.listed for offer in self.offers.values()]
        self.offers = found
        if differs:
            self._changed()


def failure_of(server: Server, tool: str, error: MCPError) -> ToolFailed:
    """Our error for one of the protocol."""
    where = {"server": server.name, "tool": tool}
    words = clean(error.message, FAULT_CHARS)
    if error.code == types.REQUEST_TIMEOUT:
        return ToolFailed("tool.remote.slow", **where, seconds=f"{server.timeout_s:g}")
    if error.code == types.CONNECTION_CLOSED:
        # Servers use this code for faults of their own too.
        return ToolReported("tool.remote.away", words, tool=tool)
    return ToolReported("tool.remote.fault", words, **where)


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

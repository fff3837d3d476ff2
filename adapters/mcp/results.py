"""What a tool of an outside server answered, as bounded JSON."""

import json
from typing import Any, assert_never

from mcp import types

from adapters.mcp.wording import clean, cut
from engine.errors import ToolReported
from engine.ports.remote_tools import Server

MAX_CHARS = 20_000
FAULT_CHARS = 1000
NAME_CHARS = 100
MAX_NAMED = 20


def result_of(server: Server, tool: str, answer: types.CallToolResult) -> dict[str, Any]:
    """Structured content, else the text; what is neither is only named. Raises ToolReported."""
    texts = [part.text for part in answer.content if isinstance(part, types.TextContent)]
    text = cut("\n".join(texts), MAX_CHARS)
    if answer.is_error:
        words = clean(text, FAULT_CHARS)
        raise ToolReported("tool.remote.fault", words, server=server.name, tool=tool)
    told: dict[str, Any] = {"server": server.name}
    if answer.structured_content is None:
        told["text"] = text
    else:
        told |= _structured(answer.structured_content)
    named = [name for part in answer.content if (name := _named(part))]
    return {**told, "not_shown": named[:MAX_NAMED]} if named else told


def _structured(content: Any) -> dict[str, Any]:
    try:
        size = len(json.dumps(content, ensure_ascii=False))
    except RecursionError:
        return {"text": "[nested too deep to be shown]"}
    if size <= MAX_CHARS:
        return {"result": content}
    return {"text": cut(json.dumps(content, ensure_ascii=False), MAX_CHARS)}


def _named(part: types.ContentBlock) -> str:
    """What stands for a part that is not shown; "" for text, which is."""
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

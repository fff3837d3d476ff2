"""What may be offered of the tools that a server lists, and the check of their arguments."""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp import types

from adapters.connections.json_schema import ArgumentCheck, BadSchema, argument_check
from adapters.connections.printable import clean
from engine.ports.systems.remote_tools import RemoteTool, Server

MAX_CHARS = 4000
WORDS_CHARS = 300
# Chat completions take none of these at the top of a tool's schema: all offers would be refused.
_NOT_ON_TOP = frozenset({"oneOf", "anyOf", "allOf", "enum", "not"})
DESCRIPTION_CHARS = 400
MAX_TOOLS = 20
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DIGEST_CHARS = 8


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool with the name that its server knows it by, and the check of its arguments."""

    own_name: str
    listed: RemoteTool
    check: ArgumentCheck


def select_tools(
    server: Server, tools: Sequence[types.Tool], reserved: Collection[str]
) -> tuple[dict[str, OfferedTool], dict[str, str]]:
    """Return the tools to offer, by name; and why each of the others is left out."""
    taken: dict[str, OfferedTool] = {}
    left: dict[str, str] = {}
    for tool in tools:
        name = public_name(server.name, tool.name)
        try:
            if server.only and tool.name not in server.only:
                raise UnusableTool("the settings leave it out")
            if not is_readonly(server, tool):
                raise UnusableTool("it is not declared read-only")
            if name in reserved or name in taken:
                raise UnusableTool(f"its name is taken: {name}")
            if len(taken) == MAX_TOOLS:
                raise UnusableTool(f"its server has more than {MAX_TOOLS}")
            taken[name] = _offer(server, tool, name)
        except (UnusableTool, BadSchema) as error:
            left[clean(tool.name, 64)] = str(error)
    return taken, left


def public_name(server: str, tool: str) -> str:
    """Return `server__tool`, or a similar name with a digest where models would refuse that."""
    whole = f"{server}__{tool}"
    if _NAME.fullmatch(whole):
        return whole
    digest = hashlib.sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]
    return f"{re.sub('[^A-Za-z0-9_-]+', '_', whole)[: 63 - _DIGEST_CHARS]}_{digest}"


def is_readonly(server: Server, tool: types.Tool) -> bool:
    """Whether the server declares the tool read-only, or the settings do."""
    declared = tool.annotations is not None and tool.annotations.read_only_hint is True
    return declared or tool.name in server.readonly


def _offer(server: Server, tool: types.Tool, name: str) -> OfferedTool:
    schema = clean_schema(tool.input_schema)
    listed = RemoteTool(
        name=name,
        server=server.name,
        description=clean(tool.description or "", DESCRIPTION_CHARS),
        schema=schema,
        timeout_s=server.timeout_s,
        roles=server.roles,
    )
    return OfferedTool(tool.name, listed, argument_check(schema))


class UnusableTool(ValueError):
    """A tool cannot be offered; the text says why."""


def clean_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy with the prose cleaned and cut. Raises UnusableTool."""
    try:
        tidy: dict[str, Any] = _tidy(dict(schema))
        size = len(json.dumps(tidy, ensure_ascii=False))
    except RecursionError as error:
        raise UnusableTool("its schema is nested too deep") from error
    if size > MAX_CHARS:
        raise UnusableTool(f"its schema is longer than {MAX_CHARS} characters")
    if tidy.get("type") != "object" or not _NOT_ON_TOP.isdisjoint(tidy):
        raise UnusableTool("its schema is not that of a plain object")
    return {**tidy, "properties": tidy.get("properties", {})}


def _tidy(node: Any) -> Any:
    """Cut prose and leave out examples; keywords that check arguments stay."""
    if isinstance(node, list):
        return [_tidy(each) for each in node]
    if not isinstance(node, dict):
        return node
    kept = {}
    for key, value in node.items():
        if key in ("title", "description") and isinstance(value, str):
            kept[key] = clean(value, WORDS_CHARS)
        elif key == "$ref" and isinstance(value, str) and not value.startswith("#"):
            raise UnusableTool("its schema points outside of itself")
        elif not (key == "$comment" or (key == "examples" and isinstance(value, list))):
            kept[key] = _tidy(value)
    return kept

"""From a tool as its server lists it to what may be offered of it."""

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mcp import types

from adapters.mcp.schema import Check, Unfit, check_of, fit
from adapters.mcp.wording import clean
from engine.ports.remote_tools import RemoteTool, Server

DESCRIPTION_CHARS = 400
MAX_TOOLS = 20
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DIGEST_CHARS = 8


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool with the name that its server knows it by, and the check of its arguments."""

    own_name: str
    listed: RemoteTool
    check: Check


def offers(
    server: Server, tools: Sequence[types.Tool], reserved: Collection[str]
) -> tuple[dict[str, OfferedTool], dict[str, str]]:
    """What is offered of a server's tools, by name; and why each of the others is not."""
    taken: dict[str, OfferedTool] = {}
    left: dict[str, str] = {}
    for tool in tools:
        name = public_name(server.name, tool.name)
        try:
            if server.only and tool.name not in server.only:
                raise Unfit("the settings leave it out")
            if not is_readonly(server, tool):
                raise Unfit("it is not declared read-only")
            if name in reserved or name in taken:
                raise Unfit(f"its name is taken: {name}")
            if len(taken) == MAX_TOOLS:
                raise Unfit(f"its server has more than {MAX_TOOLS}")
            taken[name] = _offer(server, tool, name)
        except Unfit as error:
            left[clean(tool.name, 64)] = str(error)
    return taken, left


def public_name(server: str, tool: str) -> str:
    """`server__tool`, or where chat completions would not take that, a like name with a digest."""
    whole = f"{server}__{tool}"
    if _NAME.fullmatch(whole):
        return whole
    digest = hashlib.sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]
    return f"{re.sub('[^A-Za-z0-9_-]+', '_', whole)[: 63 - _DIGEST_CHARS]}_{digest}"


def is_readonly(server: Server, tool: types.Tool) -> bool:
    """Whether the server declares that it changes nothing, or the settings vouch for it."""
    declared = tool.annotations is not None and tool.annotations.read_only_hint is True
    return declared or tool.name in server.readonly


def _offer(server: Server, tool: types.Tool, name: str) -> OfferedTool:
    schema = fit(tool.input_schema)
    listed = RemoteTool(
        name=name,
        server=server.name,
        description=clean(tool.description or "", DESCRIPTION_CHARS),
        schema=schema,
        timeout_s=server.timeout_s,
        roles=server.roles,
    )
    return OfferedTool(tool.name, listed, check_of(schema))

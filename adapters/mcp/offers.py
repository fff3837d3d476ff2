"""What may be offered of the tools that a server lists, and the check of their arguments."""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from jsonschema.validators import extend, validator_for
from mcp import types
from referencing import Registry
from referencing.exceptions import Unresolvable

from adapters.mcp.sanitize import clean
from engine.ports.systems.remote_tools import RemoteTool, Server

MAX_CHARS = 4000
WORDS_CHARS = 300
HINT_CHARS = 200

ArgumentCheck = Callable[[Mapping[str, Any]], str | None]
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
        except UnusableTool as error:
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


def argument_check(schema: Mapping[str, Any]) -> ArgumentCheck:
    """Return a check that says what is wrong with arguments. Raises UnusableTool for the schema."""
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except (SchemaError, RecursionError) as error:
        raise UnusableTool("its schema is no valid JSON schema") from error
    # An empty registry: nothing is fetched because a server's schema points to it.
    validator = extend(kind, _safe_keywords(kind))(schema, registry=Registry())

    def check(arguments: Mapping[str, Any]) -> str | None:
        try:
            json.dumps(dict(arguments), allow_nan=False, ensure_ascii=False).encode()
        except (ValueError, TypeError, RecursionError):
            # What the SDK cannot write down would end the whole session.
            return "Wrong arguments: they cannot be written as JSON."
        try:
            fault = best_match(validator.iter_errors(dict(arguments)))
        except (Unresolvable, RecursionError):
            # The server checks what we cannot.
            return None
        if fault is None:
            return None
        where = ".".join(map(str, fault.absolute_path))
        return clean(f"Wrong arguments {where}: {fault.message}", HINT_CHARS)

    return check


def _safe_keywords(kind: Any) -> dict[str, Any]:
    """Return validators that skip a server's regular expressions, which could run for ever."""
    plain = kind.VALIDATORS["additionalProperties"]

    def additional(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterator[Any]:
        if "patternProperties" not in schema:
            yield from plain(validator, allowed, value, schema) or ()

    skipped = dict.fromkeys(
        ("pattern", "patternProperties", "unevaluatedProperties"), _accept_anything
    )
    return {**skipped, "additionalProperties": additional}


def _accept_anything(validator: Any, keyword: Any, value: Any, schema: Any) -> tuple[()]:
    return ()


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

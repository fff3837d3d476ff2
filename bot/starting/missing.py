"""The lines to add to a file where a key is missing, out of the schema of the file."""

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Final

from bot.starting.file_kinds import FileKind, kind_of
from bot.starting.schemas import schema_of

_LACKS: Final = re.compile(r": lacks '(\w+)', which \w+ needs$")
_MISSING: Final = ": is required"
_DEEPEST: Final = 2
_LONGEST: Final = 160


def lines_to_add(problem: str) -> str:
    """What to write where a problem says that a key is required; "" for any other problem."""
    if lacking := _LACKS.search(problem):
        # In a plan the field of that name is likely meant.
        return f"{lacking[1]}: {f'${lacking[1]}' if ': plan.calls.' in problem else 'VALUE'}"
    before, required, why = problem.partition(_MISSING)
    where, _, path = before.rpartition(": ")
    kind = _kind(where.rpartition(":")[0])
    if not required or kind is None:
        return ""
    whole = schema_of(kind)
    *above, key = path.split(".")
    places = [whole]
    for step in above:
        places = [inner for place in places for inner in _inner(whole, place, step)]
    for place in places:
        for each in _variants(whole, place):
            if key in each.get("properties", {}):
                return f"{key}: {_line(whole, each['properties'][key], shown=not why)}"
    return ""


def _kind(file: str) -> FileKind | None:
    """The kind of a file; of its folder only as much counts as a project folder has."""
    parts = PurePosixPath(file).parts
    kinds = (kind_of(PurePosixPath(*parts[-count:])) for count in (4, 3, 2, 1))
    return next((kind for kind in kinds if kind is not None), None)


def _variants(whole: dict[str, Any], place: Any) -> Iterator[dict[str, Any]]:
    """The place itself, or all that it may be."""
    if not isinstance(place, dict):
        return
    if "$ref" in place:
        place = whole["$defs"][place["$ref"].rpartition("/")[2]]
    yield place
    for word in ("anyOf", "oneOf", "allOf"):
        for each in place.get(word, ()):
            yield from _variants(whole, each)


def _inner(whole: dict[str, Any], place: dict[str, Any], step: str) -> Iterator[dict[str, Any]]:
    """What stands under that key or index."""
    for each in _variants(whole, place):
        if step in each.get("properties", {}):
            yield each["properties"][step]
        elif step.isdigit() and "items" in each:
            yield each["items"]
        else:
            yield from (each.get("patternProperties") or {}).values()
            if isinstance(each.get("additionalProperties"), dict):
                yield each["additionalProperties"]


def _line(whole: dict[str, Any], place: dict[str, Any], *, shown: bool) -> str:
    told = str(place.get("description", "")) if shown else ""
    comment = f"     # {told}" if told and len(told) <= _LONGEST else ""
    return f"{_example(whole, place)}{comment}"


def _example(whole: dict[str, Any], place: dict[str, Any], depth: int = 0) -> str:
    """The shortest thing of that kind, with the keys that it has to have."""
    for each in _variants(whole, place):
        if "const" in each or "enum" in each:
            return json.dumps(each.get("const", each.get("enum", [""])[0])).strip('"')
        match each.get("type"):
            case "string":
                return "TEXT"
            case "boolean":
                return "true"
            case "integer" | "number":
                return str(each.get("minimum", 1))
            case "array":
                inner = _example(whole, each.get("items") or {}, depth + 1)
                return f"[{inner}]" if depth < _DEEPEST else "[...]"
            case "object":
                return f"{{{_keys(whole, each, depth)}}}"
    return "..."


def _keys(whole: dict[str, Any], place: dict[str, Any], depth: int) -> str:
    required = place.get("required", ()) if depth < _DEEPEST else ()
    known = place.get("properties", {})
    return (
        ", ".join(f"{key}: {_example(whole, known[key], depth + 1)}" for key in required) or "..."
    )

"""The JSON schema of a tool's arguments: fit to be offered, and safe to check against."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from adapters.mcp.wording import clean

MAX_CHARS = 4000
WORDS_CHARS = 300
HINT_CHARS = 200

Check = Callable[[Mapping[str, Any]], str | None]
# Chat completions take none of these at the top of a tool's schema: all offers would be refused.
_NOT_ON_TOP = frozenset({"oneOf", "anyOf", "allOf", "enum", "not"})


class Unfit(ValueError):
    """A tool cannot be offered; the text says why."""


def fit(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of which the prose is cleaned and cut. Raises Unfit."""
    try:
        tidy: dict[str, Any] = _tidy(dict(schema))
        size = len(json.dumps(tidy, ensure_ascii=False))
    except RecursionError as error:
        raise Unfit("its schema is nested too deep") from error
    if size > MAX_CHARS:
        raise Unfit(f"its schema is longer than {MAX_CHARS} characters")
    if tidy.get("type") != "object" or not _NOT_ON_TOP.isdisjoint(tidy):
        raise Unfit("its schema is not that of a plain object")
    return {**tidy, "properties": tidy.get("properties", {})}


def check_of(schema: Mapping[str, Any]) -> Check:
    """Tells what is wrong with arguments, None for nothing. Raises Unfit for no valid schema."""
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except (SchemaError, RecursionError) as error:
        raise Unfit("its schema is no valid JSON schema") from error
    # An empty registry: nothing is fetched because a server's schema points to it.
    validator = extend(kind, _harmless(kind))(schema, registry=Registry())

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


def _harmless(kind: Any) -> dict[str, Any]:
    """The keywords that run a server's regular expressions, which could run for ever, left out."""
    plain = kind.VALIDATORS["additionalProperties"]

    def additional(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterator[Any]:
        if "patternProperties" not in schema:
            yield from plain(validator, allowed, value, schema) or ()

    skipped = dict.fromkeys(("pattern", "patternProperties", "unevaluatedProperties"), _anything)
    return {**skipped, "additionalProperties": additional}


def _anything(validator: Any, keyword: Any, value: Any, schema: Any) -> tuple[()]:
    return ()


def _tidy(node: Any) -> Any:
    """Prose is cut and examples are left out; what arguments are checked by stays as it is."""
    if isinstance(node, list):
        return [_tidy(each) for each in node]
    if not isinstance(node, dict):
        return node
    kept = {}
    for key, value in node.items():
        if key in ("title", "description") and isinstance(value, str):
            kept[key] = clean(value, WORDS_CHARS)
        elif key == "$ref" and isinstance(value, str) and not value.startswith("#"):
            raise Unfit("its schema points outside of itself")
        elif not (key == "$comment" or (key == "examples" and isinstance(value, list))):
            kept[key] = _tidy(value)
    return kept

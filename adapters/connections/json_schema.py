"""Arguments checked against the JSON schema that a system outside gives for them."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from email_validator import validate_email
from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.exceptions import SchemaError, best_match
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from adapters.connections.printable import clean
from cards.linear import BadPattern, find_spans

HINT_CHARS = 200

ArgumentCheck = Callable[[Mapping[str, Any]], str | None]
"""Says what is wrong with arguments; None when nothing is."""


class BadSchema(ValueError):
    """A schema is none; the text says why."""


def argument_check(schema: Mapping[str, Any], *, vouched: bool = False) -> ArgumentCheck:
    """Return a check of arguments. Raises BadSchema.

    A schema that a file of the project vouches for is checked with its formats, and its regular
    expressions as far as RE2 runs them; those of any other could run for ever, and are left alone.
    """
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        why = clean(error.message, HINT_CHARS)
        raise BadSchema(f"its schema is no valid JSON schema: {why}") from error
    except RecursionError as error:
        raise BadSchema("its schema is nested too deep") from error
    formats = _FORMATS if vouched else None
    pattern = _check_pattern if vouched else _accept_anything
    # An empty registry: nothing is fetched because a server's schema points to it.
    safe = extend(kind, {**_safe_keywords(kind), "pattern": pattern})
    validator = safe(schema, registry=Registry(), format_checker=formats)

    def check(arguments: Mapping[str, Any]) -> str | None:
        try:
            json.dumps(dict(arguments), allow_nan=False, ensure_ascii=False).encode()
        except (ValueError, TypeError, RecursionError):
            # What cannot be written down would end a whole session.
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

    skipped = dict.fromkeys(("patternProperties", "unevaluatedProperties"), _accept_anything)
    return {**skipped, "additionalProperties": additional}


def _accept_anything(validator: Any, keyword: Any, value: Any, schema: Any) -> tuple[()]:
    return ()


def _check_pattern(
    validator: Any, pattern: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(value, str) or not isinstance(pattern, str):
        return
    try:
        found = any(True for _ in find_spans(pattern, value))
    except BadPattern:
        # The server checks what RE2 cannot run.
        return
    if not found:
        yield ValidationError(f"{value!r} is not as {pattern} says")


_FORMATS = FormatChecker(())
"""The formats that OpenAPI and JSON Schema name and that have one meaning everywhere."""


def _of_text(read: Callable[[str], object]) -> Callable[[object], bool]:
    """A check of texts by what reads them, and raises ValueError for others."""

    def check(value: object) -> bool:
        if isinstance(value, str):
            read(value)
        return True

    return check


def _read_day(text: str) -> None:
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError(text)


def _read_moment(text: str) -> None:
    if "T" not in text.upper() or datetime.fromisoformat(text).tzinfo is None:
        raise ValueError(text)


def _read_address(text: str) -> None:
    parts = urlsplit(text)
    if not parts.scheme or not (parts.netloc or parts.path):
        raise ValueError(text)


def _read_mail(text: str) -> None:
    validate_email(text, check_deliverability=False, globally_deliverable=False)


def _of_size(bits: int) -> Callable[[object], bool]:
    limit = 2 ** (bits - 1)

    def check(value: object) -> bool:
        return not isinstance(value, int) or -limit <= value < limit

    return check


_READERS: Mapping[str, Callable[[str], object]] = {
    "date": _read_day,
    "date-time": _read_moment,
    "uri": _read_address,
    "email": _read_mail,
    "uuid": UUID,
    "ipv4": IPv4Address,
    "ipv6": IPv6Address,
}
for _name, _read in _READERS.items():
    _FORMATS.checks(_name, raises=ValueError)(_of_text(_read))
for _name, _bits in {"int32": 32, "int64": 64}.items():
    _FORMATS.checks(_name)(_of_size(_bits))

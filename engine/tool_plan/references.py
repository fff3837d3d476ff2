"""References to earlier results in a plan: `$steps.1.order.total`, alone or inside a text."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cards.markdown import format_value

_REFERENCE = re.compile(r"\$steps\.([0-9]{1,3})((?:\.[A-Za-z0-9_]+)*)")
_SUSPECT = re.compile(r"\$\{?steps?\b|\{\{\s*steps?\b", re.IGNORECASE)


class Unresolved(Exception):
    """A reference leads nowhere; the message is the reference."""


def iter_texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys of mappings among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inside in value.items():
            yield key
            yield from iter_texts(inside)
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from iter_texts(inside)


def referenced_steps(value: Any) -> set[int]:
    """The steps whose results a JSON value refers to."""
    return {int(match[1]) for text in iter_texts(value) for match in _REFERENCE.finditer(text)}


def is_malformed(value: Any) -> bool:
    """Whether a text in it looks like a reference and is none."""
    return any(_SUSPECT.search(_REFERENCE.sub("", text)) for text in iter_texts(value))


def is_reference(value: Any) -> bool:
    """Whether the whole value is one reference, whose type is not known yet."""
    return isinstance(value, str) and _REFERENCE.fullmatch(value.strip()) is not None


def resolve(value: Any, results: Mapping[int, Any]) -> Any:
    """The value with results in place of references. Raises Unresolved.

    A reference alone becomes what it refers to; inside a text it becomes text. References inside
    a result are left as they are.
    """
    if isinstance(value, dict):
        return {key: resolve(inside, results) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(inside, results) for inside in value]
    if not isinstance(value, str):
        return value
    whole = _REFERENCE.fullmatch(value.strip())
    if whole:
        return _result(whole, results)
    return _REFERENCE.sub(lambda match: as_text(_result(match, results)), value)


def fill_known(text: str, results: Mapping[int, Any], write: Callable[[Any], str]) -> str:
    """The text with each result as `write` gives it, and a dash where a reference leads nowhere."""

    def write_known(match: re.Match[str]) -> str:
        try:
            return write(_result(match, results))
        except Unresolved:
            return "—"

    return _REFERENCE.sub(write_known, text)


def as_text(value: Any) -> str:
    """A result inside a text: a number or a text as it is, anything else as JSON."""
    if isinstance(value, bool | dict | list) or value is None:
        return json.dumps(value, ensure_ascii=False)
    return format_value(value)


def _result(match: re.Match[str], results: Mapping[int, Any]) -> Any:
    value = results.get(int(match[1]))
    for part in match[2].split(".")[1:]:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list | tuple) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise Unresolved(match[0])
    if value is None:
        raise Unresolved(match[0])
    return value

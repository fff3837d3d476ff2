"""References to earlier results in a plan: `$steps.1.visit.ecog`, alone or inside a text."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cards.markdown import written

_REFERENCE = re.compile(r"\$steps\.([0-9]{1,3})((?:\.[A-Za-z0-9_]+)*)")
_MEANT = re.compile(r"\$\{?steps?\b|\{\{\s*steps?\b", re.IGNORECASE)


class Unresolved(Exception):
    """A reference leads nowhere; the message is the reference."""


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys of mappings among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inside in value.items():
            yield key
            yield from texts(inside)
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from texts(inside)


def numbers(value: Any) -> set[int]:
    """The steps whose results a JSON value refers to."""
    return {int(found[1]) for text in texts(value) for found in _REFERENCE.finditer(text)}


def malformed(value: Any) -> bool:
    """Whether something in it was meant to refer to a step, and does not."""
    return any(_MEANT.search(_REFERENCE.sub("", text)) for text in texts(value))


def is_reference(value: Any) -> bool:
    """Whether the whole value is one reference, whose type nobody knows before."""
    return isinstance(value, str) and _REFERENCE.fullmatch(value.strip()) is not None


def resolved(value: Any, results: Mapping[int, Any]) -> Any:
    """The value with results in place, raises Unresolved. What stands in a result refers to none.

    A reference alone becomes what it refers to; inside of a text it becomes text.
    """
    if isinstance(value, dict):
        return {key: resolved(inside, results) for key, inside in value.items()}
    if isinstance(value, list | tuple):
        return [resolved(inside, results) for inside in value]
    if not isinstance(value, str):
        return value
    whole = _REFERENCE.fullmatch(value.strip())
    if whole:
        return _result(whole, results)
    return filled(value, results, plain)


def filled(text: str, results: Mapping[int, Any], tell: Callable[[Any], str]) -> str:
    """The text with each result in place as `tell` writes it; raises Unresolved."""
    return _REFERENCE.sub(lambda found: tell(_result(found, results)), text)


def told(text: str, results: Mapping[int, Any], tell: Callable[[Any], str]) -> str:
    """`filled`, with a dash for what leads nowhere."""

    def tells(found: re.Match[str]) -> str:
        try:
            return tell(_result(found, results))
        except Unresolved:
            return "—"

    return _REFERENCE.sub(tells, text)


def plain(value: Any) -> str:
    """A result inside of a text: a number or a text as it is, anything else as JSON."""
    if isinstance(value, bool | dict | list) or value is None:
        return json.dumps(value, ensure_ascii=False)
    return written(value)


def _result(found: re.Match[str], results: Mapping[int, Any]) -> Any:
    value = results.get(int(found[1]))
    for part in found[2].split(".")[1:]:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list | tuple) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise Unresolved(found[0])
    if value is None:
        raise Unresolved(found[0])
    return value

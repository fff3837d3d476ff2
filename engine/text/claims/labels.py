"""Answers written as `label: value`, with the label in any language that the field has it in."""

import re
from collections.abc import Sequence
from functools import lru_cache

from cards.model import Field
from engine.text.values import cue_pattern, field_names

_BEGINS = r"(?:^|(?<=[\n,;，；、.。])\s{0,9})"
_VERB = r"(?:请|麻烦|please\s)?(?:把|将|(?:change|set|correct|update|make)\s(?:the\s)?)?"
_TO = r"(?:的?(?:改成|改为|换成|换为|更正为)|\s(?:in)?to\s)"
_COLON = r"\s{0,3}[:：=]\s{0,9}"


def label_heads(text: str, fields: Sequence[Field]) -> list[tuple[int, int]]:
    """Where a clause begins with a field's name and a colon: each from the name to the value."""
    names = {name for f in fields for name in (*field_names(f), *f.names)}
    return [match.span() for match in _heads(tuple(sorted(names))).finditer(text)]


def change_heads(text: str, fields: Sequence[Field]) -> list[tuple[int, int]]:
    """Where the text begins with that a field is to be another: 把哪里改成…, "change where to"."""
    names = {name for f in fields for name in field_names(f)}
    match = _changes(tuple(sorted(names))).match(text)
    return [match.span()] if match else []


def in_own_labels(text: str, fields: Sequence[Field]) -> str:
    """The text with each `label:` of another language in the words of the form."""
    for field in fields:
        others = tuple(name for name in field.names if name not in field_names(field))
        if others:
            text = _heads(others).sub(lambda _, label=field.label: f" {label}: ", text)  # type: ignore[misc]
    return text


@lru_cache(maxsize=256)
def _heads(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(_BEGINS + cue_pattern(longest_first) + _COLON, re.IGNORECASE)


@lru_cache(maxsize=256)
def _changes(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(_VERB + cue_pattern(longest_first) + _TO, re.IGNORECASE)

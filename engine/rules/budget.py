"""The bound of what one rule may cost on one record: parts are counted, never seconds."""

from collections.abc import Mapping
from typing import Any

MAX_WORK = 50_000
"""So much a rule may do inside its list operators: parts evaluated, and the size of what they give.

What stands outside of them is evaluated once, and is bounded by the size of the rule.
"""
CHARS_A_PART = 64
_LARGE = (str, list, tuple, dict)


class TooMuchWork(Exception):
    """A rule would cost more on this data than any rule may; no branch can outweigh that."""


class WorkBudget:
    """What a rule may still do on this record."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_WORK

    def take(self, parts: int) -> None:
        """Count so many parts. Raises TooMuchWork."""
        self.left -= parts
        if self.left < 0:
            raise TooMuchWork

    def take_value(self, value: Any) -> None:
        """Count what a value holds, all the way down. Raises TooMuchWork."""
        if not isinstance(value, _LARGE):
            return
        inner = [value]
        while inner:
            each = inner.pop()
            if isinstance(each, str):
                self.take(len(each) // CHARS_A_PART)
            elif isinstance(each, list | tuple):
                self.take(len(each))
                inner.extend(part for part in each if isinstance(part, _LARGE))
            elif isinstance(each, Mapping):
                self.take(len(each))
                inner.extend(part for part in each.values() if isinstance(part, _LARGE))

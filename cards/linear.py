"""Patterns that other people write, run by RE2 in time proportional to the text."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import re2


class BadPattern(ValueError):
    """RE2 cannot run the pattern; the message is its reason."""


def compile_linear(pattern: str) -> Any:
    """Return the compiled pattern, for bytes. Raises BadPattern."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern.encode(), options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0]
        raise BadPattern(reason.decode() if isinstance(reason, bytes) else str(error)) from error


@lru_cache(maxsize=256)
def _compile_cached(pattern: str) -> Any:
    return compile_linear(pattern)


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern matches the whole text. Raises BadPattern."""
    return _compile_cached(pattern).fullmatch(text.encode("utf-8", "surrogatepass")) is not None


def find_spans(pattern: str, text: str) -> Iterator[tuple[int, int]]:
    """Where parts of the text are as the pattern says, in order; raises BadPattern."""
    data = text.encode("utf-8", "surrogatepass")
    at = characters = 0
    for match in _compile_cached(pattern).finditer(data):
        first, last = match.span()
        # RE2 counts bytes.
        start = characters + len(data[at:first].decode("utf-8", "surrogatepass"))
        characters = start + len(data[first:last].decode("utf-8", "surrogatepass"))
        at = last
        yield start, characters


def find_values(pattern: str, text: str) -> Iterator[tuple[str, str]]:
    """The parts of the text that are as the pattern says, and the group of each.

    Without a group, or where it takes no part, that is the whole. Raises BadPattern.
    """
    data = text.encode("utf-8", "surrogatepass")
    compiled = _compile_cached(pattern)
    for match in compiled.finditer(data):
        group = match.group(1) if compiled.groups else None
        whole, value = match.group(), match.group() if group is None else group
        yield whole.decode("utf-8", "surrogatepass"), value.decode("utf-8", "surrogatepass")

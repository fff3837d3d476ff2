"""Work that a person wants under a condition: which part is which."""

import re
from collections.abc import Collection, Iterator
from itertools import islice

from engine.text.entities import fold

_MARK = re.compile(
    r"[,，]\s*(?:(?:就|那就|则|then\b)\s*)?|(?:的话)?\s{0,9}(?:就|则)\s*|的话[,，]?\s*|\sthen\s+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_LEAST = 2
"""So many words at least make an English condition that nothing marks the end of."""
_MOST = 6


def split_condition(text: str, heads: Collection[str]) -> Iterator[tuple[str, str]]:
    """The first few readings of a text as a condition and what hangs on it.

    The condition ends at a mark, or before an English word that requests begin with (`heads`).
    """
    yield from islice(_splits(text, heads), _MOST)


def _splits(text: str, heads: Collection[str]) -> Iterator[tuple[str, str]]:
    for match in _MARK.finditer(text):
        if match.start() and match.end() < len(text):
            yield text[: match.start()].strip(), text[match.end() :].strip()
    for match in islice(_WORD.finditer(text), _LEAST, None):
        if fold(match[0]) in heads:
            yield text[: match.start()].strip(), text[match.start() :].strip()

"""Work that a person wants under a condition: which part is which."""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import date
from itertools import islice

from engine.text.entities import fold, simplified
from engine.text.readers.find import find_readings
from engine.text.values import cue_pattern

_MARK = re.compile(
    r"[,，]\s*(?:(?:就|那就|则|then\b)\s*)?|(?:的话)?\s{0,9}(?:就|则)\s*|的话[,，]?\s*|\sthen\s+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_LEAST = 2
"""So many words at least make an English condition that nothing marks the end of."""
_SHOWS = frozenset(("tell", "show", "list", "give"))
_OPEN_END = re.compile(r"\b(?:the|a|an|of|my|our|his|her|their|is|are|no|to|me|and|in|for|with)$")
"""A condition does not end so: what follows belongs to it."""

_MOST = 6
_ENDS = re.compile(
    r"\s*(?:please\b\W*|thanks\b\W*)?"
    r"(?:$|[,;.!?。，；！？(（]|\b(?:because|since|due to|as (?:he|she|they|we|i|it)"
    r"|so (?:that|he|she|they|we|i))\b|因为|由于)"
)
_HELD = re.compile(
    r"n't\b|\b(?:no|not|nothing|nobody|never|only|later|wait|hold|delay|postpon|paus|start|begin"
    r"|suspend|defer)"
)
"""What makes of "until Monday" that something is not to be done before."""
_CLAUSE = re.compile(r"[,;:。!?\n]|\.\s")
_ANY_DAY = date(2000, 1, 1)


def split_condition(text: str, heads: Collection[str]) -> Iterator[tuple[str, str]]:
    """The first few readings of a text as a condition and what hangs on it.

    The condition ends at a mark, or before an English word that requests begin with (`heads`).
    """
    yield from islice(_splits(text, heads), _MOST)


def _splits(text: str, heads: Collection[str]) -> Iterator[tuple[str, str]]:
    for match in _MARK.finditer(simplified(text)):
        if match.start() and match.end() < len(text):
            yield text[: match.start()].strip(), text[match.end() :].strip()
    for match in islice(_WORD.finditer(text), _LEAST, None):
        head, condition = fold(match[0]), text[: match.start()].strip()
        if (head in heads or head in _SHOWS) and not _OPEN_END.search(fold(condition)):
            yield condition, text[match.start() :].strip()


def without_days(said: str, cues: Collection[str], bids: Callable[[str], bool]) -> str:
    """A folded text without the days, or times, that end a clause which bids behind a cue."""
    if not cues:
        return said
    cue = re.compile(cue_pattern(sorted(cues)) + r"\s{0,3}(?:the\s)?$")
    for reading in reversed(find_readings(said, _ANY_DAY)):
        before, behind = said[: reading.start], said[reading.end :]
        match = cue.search(before) if reading.kind in ("date", "time") else None
        if match is None or not _ENDS.match(behind) or _HELD.search(before):
            continue
        if bids(_CLAUSE.split(before[: match.start()])[-1]):
            said = before[: match.start()] + behind
    return said

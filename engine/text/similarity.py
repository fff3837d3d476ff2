"""How alike two short texts are, zh and en, by shared letter and word groups."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

_WORD = re.compile(r"[a-z0-9']+")
_PUNCTUATION = re.compile(r"[\s\-_.,;:!?'\"()\[\]{}。、“”‘’「」『』《》…~]+")


@dataclass(frozen=True, slots=True)
class Grams:
    """Counts of a text's groups, and the sum of their squares."""

    counts: Mapping[str, int]
    square: int

    @classmethod
    def of(cls, counts: Counter[str]) -> "Grams":
        """The counts with their squares summed once."""
        return cls(counts, sum(count * count for count in counts.values()))


def bigrams(text: str) -> Grams:
    """Counts of neighbouring characters, punctuation and spaces left out."""
    letters = _PUNCTUATION.sub("", text)
    return Grams.of(Counter(letters[i : i + 2] for i in range(max(1, len(letters) - 1)) if letters))


def grams(text: str) -> Grams:
    """Counts of Latin words and word pairs, and of groups of two and three other characters."""
    words = _WORD.findall(text)
    counts = Counter(words)
    counts.update(f"{a} {b}" for a, b in pairwise(words))
    for run in _WORD.sub(" ", _PUNCTUATION.sub(" ", text)).split():
        counts.update(run[i : i + n] for n in (2, 3) for i in range(len(run) - n + 1))
        counts.update([run] if len(run) == 1 else [])
    return Grams.of(counts)


def cosine(one: Grams, other: Grams) -> float:
    """0 for nothing in common, 1 for the same counts."""
    small, large = one.counts, other.counts
    if len(small) > len(large):
        small, large = large, small
    shared = sum(count * large.get(gram, 0) for gram, count in small.items())
    return shared / sqrt(one.square * other.square) if shared else 0.0

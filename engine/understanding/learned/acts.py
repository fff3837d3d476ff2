"""What a stretch of text does, whatever it is about: requests, hangs on something, asks, holds off.

Learned from messages of many other fields of work, `tests/bench/router/acts`, by
`python -m tests.bench.router.learn_acts`, which writes the weights. They are whole numbers, and so
is all that is reckoned with them: a score is the same wherever it is made.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from importlib.resources import files
from math import isqrt

from engine.text.entities import ENTITY_MARKS, masked, simplified
from engine.understanding.grammar.reading import GRAMMAR, level

ACTS = ("request", "conditional", "question", "held_off", "several", "wanted")
"""What may be in a text: work that is asked for, or only on a condition, a question, what shall not
be done, more than one of the first three, and any of them."""

SCALE = 20
"""So much of a score is one in the logarithm of the odds: 20 is 2.7 to 1, 60 is 20 to 1."""

EVEN = 100
"""A text of so many features counts as the sum of their weights, a longer one as less."""

_TOKEN = re.compile(rf"[{ENTITY_MARKS}●◆▲]|[a-z]+(?:'[a-z]+)?|[\u3400-\u9fff]|[^\s\w]")
_CLAUSE = re.compile(r"[,.;:!?。\n]")
_ID = re.compile(r"(?<![a-z0-9])[a-z]{1,4}-?[0-9][0-9a-z-]{0,12}")
_ENTITY = re.compile(f"[{ENTITY_MARKS}]")
_ENDING = re.compile("[a-z'](ing|ed|ly|s)$")
_LONGEST, _LONGEST_SHAPE, _EDGE = 3, 5, 4
_ANY_DAY = date(2000, 1, 1)


@dataclass(frozen=True, slots=True)
class Acts:
    """How likely each act stands in a text: above 0 rather yes, SCALE times log odds."""

    request: int
    conditional: int
    question: int
    held_off: int
    several: int
    wanted: int


class ActReader:
    """Adds up the weights of what a text has."""

    @cached_property
    def _lines(self) -> list[str]:
        # The first line names what was learned from.
        return files(__package__).joinpath("acts.tsv").read_text("utf-8").splitlines()[1:]

    @cached_property
    def _common(self) -> frozenset[str]:
        return frozenset(self._lines[0].split(" "))

    @cached_property
    def _weights(self) -> dict[str, tuple[int, ...]]:
        rows = (line.split("\t") for line in self._lines[1:])
        return {name: tuple(map(int, weights)) for name, *weights in rows}

    def read(self, marked: str) -> Acts:
        """The acts of a text whose entities are marked."""
        return _read(self, marked)

    def add_up(self, marked: str) -> Acts:
        """The same, uncached."""
        return Acts(*weighed(self._weights, frozenset(act_features(marked, self._common))))


@lru_cache(maxsize=1024)
def _read(reader: ActReader, marked: str) -> Acts:
    return reader.add_up(marked)


def weighed(weights: dict[str, tuple[int, ...]], own: Collection[str]) -> list[int]:
    """What the weights of a text's features come to, of each act; those of "" every text has."""
    always = weights[""]
    found = [weights[name] for name in own if name in weights]
    root = isqrt(EVEN * EVEN * max(1, len(own)))
    sums = [sum(column) for column in zip(*found, strict=True)] or [0] * len(always)
    # EVEN ** 1.5 over the root of as many hundreds is 1 for a text of EVEN features.
    return [
        fixed + EVEN * isqrt(EVEN) * own_sum // root
        for fixed, own_sum in zip(always, sums, strict=True)
    ]


def act_tokens(marked: str) -> list[str]:
    """The words, characters and marks of a text, ids, numbers, days and names as marks."""
    return _TOKEN.findall(_plain(marked))


def _plain(marked: str) -> str:
    return _ENTITY.sub(
        "●", _ID.sub("●", masked(_ID.sub("●", simplified(marked.lower())), _ANY_DAY))
    )


def act_features(marked: str, common: Collection[str]) -> Iterator[str]:
    """What the acts of a text are told by: runs of words, of the common ones between classes of
    others, where they stand, how clauses begin and end, its rules.
    """
    plain = _plain(marked)
    own = _TOKEN.findall(plain)
    yield from _runs("", ["^", *own, "$"], range(1, _LONGEST + 1))
    yield from _runs("~", ["^", *_shape(own, common), "$"], range(2, _LONGEST_SHAPE + 1))
    for length in range(1, _EDGE + 1):
        yield f"<{length} " + " ".join(own[:length])
        yield f">{length} " + " ".join(own[-length:])
    clauses = [tokens for clause in _CLAUSE.split(plain) if (tokens := _TOKEN.findall(clause))]
    for clause in clauses:
        for length in (1, 2):
            yield "( " + " ".join(clause[:length])
            yield ") " + " ".join(clause[-length:])
    if clauses:
        yield from _runs("F", clauses[0], (1, 2))
        yield from _runs("L", clauses[-1], (1, 2))
    yield f"#{min(8, (len(own) + 2) // 5)}"
    roles = sorted({mark.role for mark in GRAMMAR.marks(level(marked))})
    yield from (f"={role}" for role in roles)
    yield "=" + ",".join(roles)


def _runs(kind: str, tokens: Sequence[str], lengths: Collection[int]) -> Iterator[str]:
    for length in lengths:
        for at in range(len(tokens) - length + 1):
            yield kind + " ".join(tokens[at : at + length])


def _shape(tokens: Sequence[str], common: Collection[str]) -> list[str]:
    """The tokens, what is not common as its class: a word by its ending, a run of characters."""
    shape: list[str] = []
    for token in tokens:
        if token in common or not token[0].isalpha():
            shape.append(token)
        elif token[0].isascii():
            ending = _ENDING.search(token)
            shape.append(f"_{ending[1]}" if ending else "_")
        elif shape[-1:] != ["□"]:
            shape.append("□")
    return shape


ACT_READER = ActReader()

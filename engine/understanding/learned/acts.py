"""What a stretch of text does, whatever it is about: requests, hangs on something, asks.

Learned from messages of many other fields of work, `tests/bench/router/acts`, by
`python -m tests.bench.router.learn_acts`, which writes the weights. They are whole numbers, so that
a sum is the same wherever it is made.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from importlib.resources import files

from engine.text.entities import ENTITY_MARKS, masked
from engine.understanding.grammar.reading import GRAMMAR, level

ACTS = ("request", "conditional", "question")
"""What may be in a text; where none of them is, nothing is wanted of anybody."""

SCALE = 20
"""So much of a score is one in the logarithm of the odds: 20 is 2.7 to 1, 60 is 20 to 1."""

_TOKEN = re.compile(rf"[{ENTITY_MARKS}●◆▲]|[a-z]+(?:'[a-z]+)?|[\u3400-\u9fff]|[^\s\w]")
_CLAUSE = re.compile(r"[,.;:!?。\n]")
_ID = re.compile(r"(?<![a-z0-9])[a-z]{1,4}-?[0-9][0-9a-z-]{0,12}")
_ENTITY = re.compile(f"[{ENTITY_MARKS}]")
_LONGEST = 3
_ANY_DAY = date(2000, 1, 1)


@dataclass(frozen=True, slots=True)
class Acts:
    """How likely each act stands in a text: above 0 rather yes, SCALE times log odds."""

    request: int
    conditional: int
    question: int


class ActReader:
    """Adds up the weights of what a text has."""

    @cached_property
    def _weights(self) -> dict[str, tuple[int, ...]]:
        # The first line names what was learned from.
        lines = files(__package__).joinpath("acts.tsv").read_text("utf-8").splitlines()[1:]
        rows = (line.split("\t") for line in lines)
        return {name: tuple(map(int, weights)) for name, *weights in rows}

    def read(self, marked: str) -> Acts:
        """The acts of a text whose entities are marked."""
        return _read(self, marked)

    def add_up(self, marked: str) -> Acts:
        """The same, uncached."""
        weights = self._weights
        sums = list(weights[""])
        for name in set(act_features(marked)):
            for at, weight in enumerate(weights.get(name, ())):
                sums[at] += weight
        return Acts(*sums)


@lru_cache(maxsize=1024)
def _read(reader: ActReader, marked: str) -> Acts:
    return reader.add_up(marked)


def act_features(marked: str) -> Iterator[str]:
    """What the acts of a text are told by: runs of words, how clauses begin and end, its rules."""
    plain = _ENTITY.sub("●", _ID.sub("●", masked(_ID.sub("●", marked.lower()), _ANY_DAY)))
    found = ["^", *_TOKEN.findall(plain), "$"]
    for length in range(1, _LONGEST + 1):
        for at in range(len(found) - length + 1):
            yield " ".join(found[at : at + length])
    yield "< " + " ".join(found[:4])
    yield "> " + " ".join(found[-4:])
    for clause in _CLAUSE.split(plain):
        if own := _TOKEN.findall(clause):
            for length in (1, 2):
                yield "( " + " ".join(own[:length])
                yield ") " + " ".join(own[-length:])
    yield f"#{min(8, len(found) // 5)}"
    roles = sorted({mark.role for mark in GRAMMAR.marks(level(marked))})
    yield from (f"={role}" for role in roles)
    yield "=" + ",".join(roles)


ACT_READER = ActReader()

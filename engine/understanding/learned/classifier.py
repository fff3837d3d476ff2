"""How near a text is to groups of examples, by what was learned of them.

Whoever only scores does without numpy: the weights lie in whole numbers, a row of them is one large
integer, and a text's features add up such rows. So sums are exact, on every processor.
"""

import json
import struct
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from hashlib import blake2b, sha256
from math import frexp, ldexp, log, sqrt
from typing import Any

from engine.understanding.learned.features import Features, extract_features

ALGORITHM = 4
"""Raised when features or the way of learning change, so that what is kept is learned anew."""

RIDGE = 0.35
"""How much the head is held back; least squared error of examples left out one at a time."""

STRANGE = 0.5
"""How much what no example has weighs in the length of a text, beside what some have."""

BIAS = 0.1
DECIMALS = 6
"""Scores are rounded to so many places: more than rounding weights and values reaches (1e-7)."""
_STEPS = 10.0**DECIMALS

RARE = 3
"""What no more examples have than these is weighed when a text has it: it takes a tenth of the
memory, as most features are so rare."""

KEPT = 64
"""So many texts' scores are kept: marked as they are, many questions are the same text."""

KEPT_FEATURES = 2048
"""Of so many features it is kept where they stand: parts of a message have most in common."""

LANE = 32
"""How many bits of a row's integer belong to one class."""
HALF = 1 << (LANE - 1)
"""What stands for 0 there, so that no number is negative."""

_CODES = "QIIId"
"""Of what numbers the arrays of `Learned` are, as `array` names them."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text of a route; `group` is what of the route it asks for.

    With `is_name` it is what that is called: nobody says it word for word.
    """

    text: str
    route: str
    group: str
    is_name: bool = False


@dataclass(frozen=True)
class Scores:
    """About 1 for what the text surely is, about 0 for what it is not.

    `known` is the share of the text that some example has.
    """

    routes: Mapping[str, float]
    groups: Mapping[str, float]
    known: float

    @cached_property
    def nearest(self) -> str:
        """The route that the text is most like."""
        return max(self.routes, key=self.routes.__getitem__)


@dataclass(frozen=True, slots=True)
class Learned:
    """What learning comes to, ready for scoring.

    Features stand in the order of `hashes`: how many examples have each, and where its part of
    `rows` and `shares` ends. A feature weighs as so large shares of those rows of `matrix`, each of
    which has a number of 32 bits for every class: the weight times 2**`exponent`, and 2**31.
    """

    hashes: "array[int]"
    counts: "array[int]"
    ends: "array[int]"
    rows: "array[int]"
    shares: "array[float]"
    matrix: bytes
    exponent: int
    bias: tuple[float, ...]

    def pack(self) -> bytes:
        """It as bytes, for `unpack`."""
        parts = [_to_bytes(numbers) for numbers in self._arrays()] + [self.matrix]
        head = [self.exponent, self.bias, [len(part) for part in parts]]
        return zlib.compress(b"\n".join((json.dumps(head).encode(), b"".join(parts))), 1)

    def _arrays(self) -> "tuple[array[int] | array[float], ...]":
        return (self.hashes, self.counts, self.ends, self.rows, self.shares)

    @classmethod
    def unpack(cls, body: bytes) -> "Learned | None":
        """What `pack` made; None for anything else."""
        try:
            head, _, rest = zlib.decompress(body).partition(b"\n")
            exponent, bias, sizes = json.loads(head)
            parts = struct.unpack("".join(f"{size}s" for size in sizes), rest)
            *numbers, matrix = parts
            made = [_from_bytes(code, part) for code, part in zip(_CODES, numbers, strict=True)]
            hashes, counts, ends, rows, shares = made
            return cls(hashes, counts, ends, rows, shares, matrix, exponent, tuple(bias))
        except (ValueError, TypeError, struct.error, zlib.error):
            return None


def _to_bytes(numbers: "array[int] | array[float]") -> bytes:
    """Numbers in the byte order in which they are kept, the little end first."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


def _from_bytes(code: str, body: bytes) -> "array[Any]":
    numbers = array(code, body)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def digest_of(examples: Sequence[Example], said: Sequence[str]) -> str:
    """Names what is learned of these examples: the same digest, the same `Learned`."""
    read = [[e.route, e.group, text] for e, text in zip(examples, said, strict=True)]
    body = json.dumps([ALGORITHM, RIDGE, STRANGE, BIAS, read], ensure_ascii=False)
    return sha256(body.encode()).hexdigest()


class Classifier:
    """Scores by a ridge regression on the examples' TF-IDF; classes weigh the same."""

    def __init__(self, examples: Sequence[Example], learned: Learned) -> None:
        """`learned` is of these examples."""
        self.routes = tuple(dict.fromkeys(e.route for e in examples))
        self.groups = tuple(dict.fromkeys(e.group for e in examples))
        self._examples = len(examples)
        self._strange = log(len(examples) + 1) * STRANGE
        self._learned = learned
        self._scored = lru_cache(maxsize=KEPT)(self._score)
        self._find = lru_cache(maxsize=KEPT_FEATURES)(partial(find, learned.hashes))
        self._sum = RowSum(learned.matrix, len(learned.bias), learned.exponent)

    def scores(self, said: str) -> Scores:
        """How near the folded text is to every route and group."""
        return self._scored(said)

    def _score(self, said: str) -> Scores:
        shares, known = self._weighed(extract_features(said))
        found = zip(self._sum(shares), self._learned.bias, strict=True)
        # A tenth of the time of rounding to decimals.
        every = [round((weight + more) * _STEPS) / _STEPS for weight, more in found]
        n = len(self.routes)
        return Scores(
            dict(zip(self.routes, every[:n], strict=True)),
            dict(zip(self.groups, every[n:], strict=True)),
            known,
        )

    def _weighed(self, found: Features) -> tuple[Mapping[int, float], float]:
        """How much of each row the features are, in a text of length 1; and how much is known."""
        learned, own = self._learned, dict[int, float]()
        ends, rows, shares = learned.ends, learned.rows, learned.shares
        square = strange = 0.0
        for name, weight in found.items():
            at = self._find(name)
            if at < 0:
                strange += (weight * self._strange) ** 2
                continue
            value = weight * idf(learned.counts[at], self._examples)
            square += value * value
            for part in range(ends[at - 1] if at else 0, ends[at]):
                row = rows[part]
                own[row] = own.get(row, 0.0) + value * shares[part]
        length = sqrt(square + strange) or 1.0
        known = square / (square + strange) if square else 0.0
        return {row: share / length for row, share in own.items()}, round(known, DECIMALS)


def idf(count: int, examples: int) -> float:
    """What a feature weighs that so many of all examples have."""
    return log((examples + 1) / (1 + count)) + 0.3


def hash_of(name: str) -> int:
    """A feature's hash of 64 bits, the same in every process.

    Of a hundred thousand features no two share one but by a chance of one in billions.
    """
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")


def find(hashes: "array[int]", name: str) -> int:
    """Where a feature stands among the hashes, which are in order; -1 where it does not."""
    wanted = hash_of(name)
    at = bisect_left(hashes, wanted)
    return at if at < len(hashes) and hashes[at] == wanted else -1


class RowSum:
    """Adds up shares of rows of 32-bit numbers, each row as one integer with gaps for the sums.

    A share is taken in units so small that all of them together fit the gaps, and no sum reaches
    the next number's place.
    """

    def __init__(self, matrix: bytes, columns: int, exponent: int) -> None:
        """Its numbers count 2**-`exponent`, and HALF as 0."""
        self._matrix = matrix
        self._exponent = exponent
        self._columns = columns
        self._row_bytes = columns * LANE // 8
        self._pairs = (columns + 1) // 2
        self._gaps = int.from_bytes((b"\xff" * 4 + bytes(4)) * self._pairs, "little")

    def __call__(self, shares: Mapping[int, float]) -> list[float]:
        """The sum of each column, where no share is negative."""
        bits = LANE - 1 - frexp(sum(shares.values()))[1]
        matrix, length, gaps = self._matrix, self._row_bytes, self._gaps
        units = even = odd = 0
        for row, share in shares.items():
            own = round(ldexp(share, bits))
            body = int.from_bytes(matrix[row * length : (row + 1) * length], "little")
            units += own
            even += own * (body & gaps)
            odd += own * (body >> LANE & gaps)
        sums = [0] * (2 * self._pairs)
        sums[::2], sums[1::2] = self._numbers(even), self._numbers(odd)
        # A power of two, so that nothing is lost by it.
        zero, unit = HALF * units, ldexp(1.0, -bits - self._exponent)
        return [(found - zero) * unit for found in sums[: self._columns]]

    def _numbers(self, lanes: int) -> tuple[int, ...]:
        return struct.unpack(f"<{self._pairs}Q", lanes.to_bytes(8 * self._pairs, "little"))

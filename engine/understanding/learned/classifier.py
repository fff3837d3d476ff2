"""Nearness of a text to groups of examples: TF-IDF and a ridge regression.

What is solved is well conditioned and solved exactly, in float64, and scores are rounded before
anybody compares them: processors that add in another order come to the same decisions.
"""

import json
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from math import log, sqrt
from typing import TYPE_CHECKING, TypeAlias

from engine.understanding.learned.features import Features, extract_features

if TYPE_CHECKING:
    # A process that routes nothing does without numpy: whoever computes here loads it.
    import numpy as np
    from numpy.typing import NDArray

ALGORITHM = 2
"""Raised when features or the way of learning change, so that what is kept is learned anew."""

RIDGE = 0.35
"""How much the head is held back; least squared error of examples left out one at a time."""

STRANGE = 0.5
"""How much what no example has weighs in the length of a text, beside what some have."""

BIAS = 0.1
DECIMALS = 6
"""Scores are rounded to so many places: far more than rounding errors reach (about 1e-12)."""

FREQUENT = 60
"""What more examples have than these is multiplied out as a table; the rest pair by pair."""

RARE = 3
"""What no more examples have than these is weighed when a text has it: it takes a tenth of the
memory, as most features are so rare."""

BLOCK = 256
"""How many rows the solver takes at once."""

Floats: TypeAlias = "NDArray[np.float64]"
Places: TypeAlias = "NDArray[np.int32]"


@dataclass(frozen=True, slots=True)
class Example:
    """A text of a route; `group` is what of the route it asks for.

    With `is_name` it is what that is called: nobody says it word for word.
    """

    text: str
    route: str
    group: str
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class Scores:
    """About 1 for what the text surely is, about 0 for what it is not.

    `known` is the share of the text that some example has.
    """

    routes: Mapping[str, float]
    groups: Mapping[str, float]
    known: float


@dataclass(frozen=True, slots=True)
class Rows:
    """Sparse rows: row i, of example i, has `values[ends[i-1]:ends[i]]` at those `places`."""

    ends: Places
    places: Places
    values: Floats

    def __iter__(self) -> Iterator[tuple[Places, Floats]]:
        begin = 0
        for end in self.ends:
            yield self.places[begin:end], self.values[begin:end]
            begin = end

    def numbered(self) -> "NDArray[np.int64]":
        """The number of the row of each value."""
        import numpy as np

        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))


@dataclass(frozen=True, slots=True)
class Learned:
    """What learning comes to: features by name, a line for each, how many examples have each, the
    examples' rows, and the weight of each example for each class.
    """

    names: bytes
    counts: Places
    rows: Rows
    weights: Floats

    def pack(self) -> bytes:
        """It as bytes, for `unpack`."""
        import numpy as np

        body = BytesIO()
        rows = self.rows
        np.savez(
            body,
            names=np.frombuffer(self.names, dtype=np.uint8),
            counts=self.counts,
            ends=rows.ends,
            places=rows.places,
            values=rows.values,
            weights=self.weights,
        )
        return zlib.compress(body.getvalue(), 1)

    @classmethod
    def unpack(cls, body: bytes) -> "Learned | None":
        """What `pack` made; None for anything else."""
        import numpy as np

        try:
            with np.load(BytesIO(zlib.decompress(body)), allow_pickle=False) as found:
                rows = Rows(found["ends"], found["places"], found["values"])
                return cls(found["names"].tobytes(), found["counts"], rows, found["weights"])
        except (ValueError, KeyError, OSError, EOFError, zlib.error):
            return None


def digest_of(examples: Sequence[Example], said: Sequence[str]) -> str:
    """Names what is learned of these examples: the same digest, the same `Learned`."""
    read = [[e.route, e.group, text] for e, text in zip(examples, said, strict=True)]
    body = json.dumps([ALGORITHM, RIDGE, STRANGE, BIAS, read], ensure_ascii=False)
    return sha256(body.encode()).hexdigest()


class Classifier:
    """A ridge regression on the examples' TF-IDF, in its dual form; classes weigh the same."""

    def __init__(self, examples: Sequence[Example], learned: Learned) -> None:
        """`learned` is of these examples; what only `pack` needs of it is not kept."""
        self.routes = tuple(dict.fromkeys(e.route for e in examples))
        self.groups = tuple(dict.fromkeys(e.group for e in examples))
        self._index = FeatureIndex(learned.names)
        self._idf = _idf(learned.counts, len(examples))
        self._strange = log(len(examples) + 1) * STRANGE
        self._bias = BIAS * learned.weights.sum(axis=0)
        self._table = WeightTable(learned)

    def scores(self, said: str) -> Scores:
        """How near the folded text is to every route and group."""
        places, values, known = self._weighed(extract_features(said))
        every = (self._table.weigh(places, values) + self._bias).round(DECIMALS)
        n = len(self.routes)
        return Scores(
            dict(zip(self.routes, every[:n].tolist(), strict=True)),
            dict(zip(self.groups, every[n:].tolist(), strict=True)),
            known,
        )

    def _weighed(self, found: Features) -> tuple[Places, Floats, float]:
        import numpy as np

        known, places = self._index.find(found)
        weights = np.fromiter(found.values(), np.float64, len(found))
        values = weights[known] * self._idf[places]
        strange = float(((weights[~known] * self._strange) ** 2).sum())
        square = float(values @ values)
        length = sqrt(square + strange) or 1.0
        share = square / (square + strange) if square else 0.0
        return places, values / length, round(share, DECIMALS)


class FeatureIndex:
    """Where each feature stands among the names, by the hash that it has in this process.

    Of 64 bits, it takes a tenth of the memory of a dictionary; of a hundred thousand features no
    two share one but by a chance of one in billions.
    """

    def __init__(self, names: bytes) -> None:
        import numpy as np

        every = names.decode().split("\n")
        hashes = np.fromiter(map(hash, every), np.int64, len(every))
        order = hashes.argsort(kind="stable")
        self._hashes, self._places = hashes[order], order.astype(np.int32)

    def find(self, names: Collection[str]) -> tuple["NDArray[np.bool_]", Places]:
        """Which of the names are known, and the places of those that are."""
        import numpy as np

        asked = np.fromiter(map(hash, names), np.int64, len(names))
        at = np.minimum(np.searchsorted(self._hashes, asked), len(self._hashes) - 1)
        known = self._hashes[at] == asked
        return known, self._places[at[known]]


class WeightTable:
    """The weight of each feature for each class: a row for what many examples have, else those
    examples' own weights.
    """

    def __init__(self, learned: Learned) -> None:
        import numpy as np

        rows, counts, self._weights = learned.rows, learned.counts, learned.weights
        order = np.argsort(rows.places, kind="stable")
        examples, values = rows.numbered()[order].astype(np.int32), rows.values[order]
        ends = counts.cumsum()
        often = np.flatnonzero(counts > RARE)
        self._row = np.zeros(len(counts), dtype=np.int32)
        self._row[often] = np.arange(1, len(often) + 1)
        # The first row is of what has none.
        self._rows = np.zeros((len(often) + 1, self._weights.shape[1]))
        for row, place in enumerate(often.tolist(), start=1):
            own = slice(ends[place] - counts[place], ends[place])
            self._rows[row] = values[own] @ self._weights[examples[own]]
        # A place without an example has the first one, with a value of 0.
        self._examples = np.zeros((len(counts), RARE), dtype=np.int32)
        self._values = np.zeros((len(counts), RARE))
        for number in range(RARE):
            those = np.flatnonzero((counts <= RARE) & (counts > number))
            at = ends[those] - counts[those] + number
            self._examples[those, number], self._values[those, number] = examples[at], values[at]

    def weigh(self, places: Places, values: Floats) -> Floats:
        """What features at these places, of these values, come to for each class."""
        own = (self._values[places] * values[:, None]).ravel()
        found: Floats = values @ self._rows[self._row[places]]
        return found + own @ self._weights[self._examples[places].ravel()]


def learn(examples: Sequence[Example], said: Sequence[str]) -> Learned:
    """Learn the examples; takes one to two seconds of processor time for some thousands."""
    import numpy as np

    raw = [extract_features(text) for text in said]
    counted = Counter(name for found in raw for name in found)
    index = {name: at for at, name in enumerate(counted)}
    counts = np.array(list(counted.values()), dtype=np.int32)
    rows = _rows(raw, index, _idf(counts, len(raw)))
    routes, groups = [e.route for e in examples], [e.group for e in examples]
    system = kernel_of(rows, counts)
    system[np.diag_indices(len(raw))] += RIDGE / np.sqrt(balance_of(groups))
    targets = np.hstack([targets_of(routes), targets_of(groups)])
    return Learned("\n".join(index).encode(), counts, rows, _solve(system, targets))


def balance_of(groups: Sequence[str]) -> Floats:
    """What each example weighs, so that the groups weigh the same."""
    import numpy as np

    sizes = Counter(groups)
    share = len(groups) / len(sizes)
    return np.array([share / sizes[group] for group in groups])


def targets_of(names: Sequence[str]) -> Floats:
    """1 where an example is of a class, in the order in which the classes first come."""
    import numpy as np

    place = {name: at for at, name in enumerate(dict.fromkeys(names))}
    made = np.zeros((len(names), len(place)))
    made[np.arange(len(names)), [place[name] for name in names]] = 1.0
    return made


def _idf(counts: Places, examples: int) -> Floats:
    import numpy as np

    total = examples + 1
    return np.array([log(total / (1 + count)) + 0.3 for count in counts.tolist()])


def _rows(raw: Sequence[Features], index: Mapping[str, int], idf: Floats) -> Rows:
    import numpy as np

    places = np.array([index[name] for found in raw for name in found], dtype=np.int32)
    values = np.array([weight for found in raw for weight in found.values()]) * idf[places]
    made = Rows(np.cumsum([len(found) for found in raw]).astype(np.int32), places, values)
    for _, own in made:
        own /= sqrt(float(own @ own)) or 1.0
    return made


def kernel_of(rows: Rows, counts: Places) -> Floats:
    """How alike the examples are: the sums over what two of them share, and the bias."""
    import numpy as np

    n = len(rows.ends)
    order = np.argsort(rows.places, kind="stable")
    at, value, row = rows.places[order], rows.values[order], rows.numbered()[order]
    frequent = counts[at] > FREQUENT
    names, column = np.unique(at[frequent], return_inverse=True)
    table = np.zeros((n, len(names)))
    table[row[frequent], column] = value[frequent]
    kernel: Floats = table @ table.T
    kernel += BIAS
    at, value, row = at[~frequent], value[~frequent], row[~frequent]
    flat = kernel.reshape(-1)
    # Occurrences of one feature lie side by side: pair each with those some places behind it.
    np.add.at(flat, row * (n + 1), value * value)
    for shift in range(1, FREQUENT):
        same = at[shift:] == at[:-shift]
        one, other = row[shift:][same], row[:-shift][same]
        product = value[shift:][same] * value[:-shift][same]
        np.add.at(flat, one * n + other, product)
        np.add.at(flat, other * n + one, product)
    return kernel


def _solve(system: Floats, targets: Floats) -> Floats:
    """The x of `system @ x = targets` for a positive definite system, which is used up.

    By Cholesky, block by block in place: half the time and memory of `numpy.linalg.solve`.
    """
    import numpy as np

    n, found = len(system), targets.copy()
    blocks = [slice(begin, min(begin + BLOCK, n)) for begin in range(0, n, BLOCK)]
    for own in blocks:
        before, below = slice(0, own.start), slice(own.stop, n)
        system[own, own] = np.linalg.cholesky(
            system[own, own] - system[own, before] @ system[own, before].T
        )
        system[below, own] -= system[below, before] @ system[own, before].T
        system[below, own] = np.linalg.solve(system[own, own], system[below, own].T).T
        found[own] -= system[own, before] @ found[before]
        found[own] = np.linalg.solve(system[own, own], found[own])
    for own in reversed(blocks):
        below = slice(own.stop, n)
        found[own] -= system[below, own].T @ found[below]
        found[own] = np.linalg.solve(system[own, own].T, found[own])
    return found

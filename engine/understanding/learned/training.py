"""Learning: TF-IDF and a ridge regression over all examples, with numpy, which is loaded for it.

What is solved is well conditioned and solved exactly, in float64: processors that add in another
order come to the same weights, but for errors far below what is kept of them (about 1e-12).
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import frexp, sqrt
from typing import TYPE_CHECKING, TypeAlias

from engine.understanding.learned.classifier import (
    BIAS,
    HALF,
    LANE,
    RARE,
    RIDGE,
    Example,
    Learned,
    hash_of,
    idf,
)
from engine.understanding.learned.features import Features, extract_features

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FREQUENT = 60
"""What more examples have than these is multiplied out as a table; the rest pair by pair."""

BLOCK = 256
"""How many rows the solver takes at once."""

Floats: TypeAlias = "NDArray[np.float64]"
Places: TypeAlias = "NDArray[np.int32]"


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
class Solved:
    """The examples' features by name, how many examples have each, the examples' rows, and the
    weight of each example for each class.
    """

    names: tuple[str, ...]
    counts: Places
    rows: Rows
    weights: Floats


def learn(examples: Sequence[Example], said: Sequence[str]) -> Learned:
    """Learn the examples; takes one to two seconds of processor time for some thousands."""
    return _tabulate(solve(examples, said))


def solve(examples: Sequence[Example], said: Sequence[str]) -> Solved:
    """What the examples weigh for each route and group."""
    import numpy as np

    raw = [extract_features(text) for text in said]
    counted = Counter(name for found in raw for name in found)
    index = {name: at for at, name in enumerate(counted)}
    counts = np.array(list(counted.values()), dtype=np.int32)
    rows = _rows(raw, index, np.array([idf(count, len(raw)) for count in counted.values()]))
    routes, groups = [e.route for e in examples], [e.group for e in examples]
    system = kernel_of(rows, counts)
    system[np.diag_indices(len(raw))] += RIDGE / np.sqrt(balance_of(groups))
    targets = np.hstack([targets_of(routes), targets_of(groups)])
    return Solved(tuple(index), counts, rows, _solve(system, targets))


def _tabulate(solved: Solved) -> Learned:
    """The weight of each feature for each class: a row for what many examples have, else those
    examples' own weights.
    """
    import numpy as np

    rows, counts, weights = solved.rows, solved.counts, solved.weights
    order = np.argsort(rows.places, kind="stable")
    examples, values, ends = rows.numbered()[order], rows.values[order], counts.cumsum()
    often, rare = counts > RARE, np.repeat(counts, counts) <= RARE
    named, numbers = np.unique(examples[rare], return_inverse=True)
    examples[rare] = numbers
    matrix = [weights[named]]
    parts: list[tuple[list[int], list[float]]] = []
    for place, end in enumerate(ends.tolist()):
        own = slice(end - counts[place], end)
        if often[place]:
            parts.append(([len(named) + len(matrix) - 1], [1.0]))
            matrix.append((values[own] @ weights[examples[own]])[None])
        else:
            parts.append((examples[own].tolist(), values[own].tolist()))
    hashes = np.fromiter(map(hash_of, solved.names), np.uint64, len(solved.names))
    order = hashes.argsort(kind="stable")
    parts = [parts[place] for place in order.tolist()]
    return Learned(
        array("Q", hashes[order].tolist()),
        array("I", counts[order].tolist()),
        array("I", np.cumsum([len(own) for own, _ in parts]).tolist()),
        array("I", (row for own, _ in parts for row in own)),
        array("d", (share for _, own in parts for share in own)),
        *_whole_numbers(np.vstack(matrix)),
        tuple((BIAS * weights.sum(axis=0)).tolist()),
    )


def _whole_numbers(matrix: Floats) -> tuple[bytes, int]:
    """The weights as numbers of 32 bits, and the power of two that they were multiplied by."""
    import numpy as np

    exponent = LANE - 1 - frexp(float(np.abs(matrix).max(initial=0.0)))[1]
    whole = np.rint(np.ldexp(matrix, exponent)).clip(-HALF, HALF - 1) + HALF
    return whole.astype("<u4").tobytes(), exponent


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


def _rows(raw: Sequence[Features], index: Mapping[str, int], weights: Floats) -> Rows:
    import numpy as np

    places = np.array([index[name] for found in raw for name in found], dtype=np.int32)
    values = np.array([weight for found in raw for weight in found.values()]) * weights[places]
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

    By Cholesky, block by block in place, each block of the diagonal inverted once: three fifths
    of the time of `numpy.linalg.solve`, and half the memory.
    """
    import numpy as np

    n, found = len(system), targets.copy()
    blocks = [slice(begin, min(begin + BLOCK, n)) for begin in range(0, n, BLOCK)]
    inverses = []
    for own in blocks:
        below, beside = slice(own.stop, n), system[own, : own.start]
        inverse = np.linalg.inv(np.linalg.cholesky(system[own, own] - beside @ beside.T))
        inverses.append(inverse)
        system[below, own] -= system[below, : own.start] @ beside.T
        system[below, own] = system[below, own] @ inverse.T
        found[own] = inverse @ (found[own] - beside @ found[: own.start])
    for own, inverse in zip(reversed(blocks), reversed(inverses), strict=True):
        below = slice(own.stop, n)
        found[own] = inverse.T @ (found[own] - system[below, own].T @ found[below])
    return found

"""Nearness of a text to groups of examples: TF-IDF and a ridge regression."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.router.features import Features, features

RIDGE = 0.6
"""How much the head is held back from learning examples by heart."""

STRANGE = 0.5
"""How much what no example has weighs in the length of a text, beside what some have."""

Floats = NDArray[np.float32]
Row = tuple[NDArray[np.int64], Floats]

BIAS = 0.1
STEPS = 12
"""Where solving stops; found on the examples, each fifth of them left out in turn."""

FREQUENT = 60
"""What more examples have than these is multiplied out as a table; the rest pair by pair."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text of a route; `group` is what of the route it asks for."""

    text: str
    route: str
    group: str


@dataclass(frozen=True, slots=True)
class Scores:
    """About 1 for what the text surely is, about 0 for what it is not.

    `known` is the share of the text that some example has.
    """

    routes: Mapping[str, float]
    groups: Mapping[str, float]
    known: float


class Classifier:
    """A ridge regression on the examples' TF-IDF, in its dual form; classes weigh the same."""

    def __init__(self, examples: Sequence[Example], said: Sequence[str]) -> None:
        """`said` are the examples' texts, folded and without politeness."""
        self.examples = tuple(examples)
        self.routes = tuple(dict.fromkeys(e.route for e in examples))
        self.groups = tuple(dict.fromkeys(e.group for e in examples))
        raw = [features(text) for text in said]
        self._index: dict[str, int] = {}
        counts: list[int] = []
        for found in raw:
            for name in found:
                at = self._index.setdefault(name, len(counts))
                if at == len(counts):
                    counts.append(0)
                counts[at] += 1
        total = len(raw) + 1
        self._idf = np.array([log(total / (1 + count)) + 0.3 for count in counts], dtype=np.float32)
        self._strange = log(total) * STRANGE
        self._fit(raw, counts)

    def _fit(self, raw: Sequence[Features], counts: Sequence[int]) -> None:
        rows = [self._vector(found) for found in raw]
        kernel = _kernel(rows, counts)
        targets = np.hstack(
            [
                self._targets([e.route for e in self.examples], self.routes),
                self._targets([e.group for e in self.examples], self.groups),
            ]
        ).astype(np.float32)
        kernel += BIAS
        kernel[np.diag_indices(len(rows))] += RIDGE / np.sqrt(self._balance())
        learned = _solved(kernel, targets)
        self._bias = BIAS * learned.sum(axis=0)
        self._weights = np.zeros((len(counts), targets.shape[1]), dtype=np.float32)
        for (at, value), each in zip(rows, learned, strict=True):
            self._weights[at] += value[:, None] * each[None, :]

    def _balance(self) -> Floats:
        """What each example weighs, so that the groups weigh the same."""
        sizes = Counter(e.group for e in self.examples)
        share = len(self.examples) / len(sizes)
        return np.array([share / sizes[e.group] for e in self.examples], dtype=np.float32)

    @staticmethod
    def _targets(names: Sequence[str], classes: Sequence[str]) -> Floats:
        place = {name: at for at, name in enumerate(classes)}
        made = np.zeros((len(names), len(classes)), dtype=np.float32)
        for row, name in enumerate(names):
            made[row, place[name]] = 1.0
        return made

    def _vector(self, found: Features) -> Row:
        at, value, _ = self._weighed(found)
        return at, value

    def _weighed(self, found: Features) -> tuple[NDArray[np.int64], Floats, float]:
        names, weights, strange = [], [], 0.0
        for name, weight in found.items():
            place = self._index.get(name)
            if place is None:
                strange += (weight * self._strange) ** 2
            else:
                names.append(place)
                weights.append(weight)
        at = np.array(names, dtype=np.int64)
        value = np.array(weights, dtype=np.float32) * self._idf[at]
        own = float(value @ value)
        length = sqrt(own + strange) or 1.0
        return at, value / length, own / (own + strange) if own else 0.0

    def scores(self, said: str) -> Scores:
        """How near the folded text is to every route and group."""
        at, value, known = self._weighed(features(said))
        every = value @ self._weights[at] + self._bias
        n = len(self.routes)
        return Scores(
            dict(zip(self.routes, every[:n].tolist(), strict=True)),
            dict(zip(self.groups, every[n:].tolist(), strict=True)),
            known,
        )


def _kernel(rows: Sequence[Row], counts: Sequence[int]) -> Floats:
    """How alike the examples are: the sums over what two of them share."""
    n = len(rows)
    at = np.concatenate([places for places, _ in rows])
    value = np.concatenate([values for _, values in rows])
    row = np.repeat(np.arange(n), [len(places) for places, _ in rows])
    order = np.argsort(at, kind="stable")
    at, value, row = at[order], value[order], row[order]
    frequent = np.array(counts)[at] > FREQUENT
    names, column = np.unique(at[frequent], return_inverse=True)
    table = np.zeros((n, len(names)), dtype=np.float32)
    table[row[frequent], column] = value[frequent]
    kernel: Floats = table @ table.T
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


def _solved(kernel: Floats, targets: Floats) -> Floats:
    """The weight of each example for each class, by conjugate gradients; `kernel` is used up.

    A few steps are nearly the solution, and the last of the way would be learning by heart.
    """
    scale: Floats = (1 / np.sqrt(np.diag(kernel)))[:, None].astype(np.float32)
    kernel *= scale
    kernel *= scale.T
    found = np.zeros_like(targets)
    rest = targets * scale
    step = rest.copy()
    left = (rest * rest).sum(axis=0)
    for _ in range(STEPS):
        moved = kernel @ step
        length = left / (step * moved).sum(axis=0)
        found += length * step
        rest -= length * moved
        after = (rest * rest).sum(axis=0)
        step = rest + (after / left) * step
        left = after
    learned: Floats = found * scale
    return learned

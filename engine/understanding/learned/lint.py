"""Examples that look like another route than their own, found by leaving them out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.understanding.learned.classifier import Classifier, Example
from engine.understanding.learned.lessons import plain
from engine.understanding.learned.table import RouteTable

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Doubtful:
    """An example that the others would route elsewhere; `own` and `other` are scores.

    `twice`: the same words stand under both.
    """

    example: Example
    looks_like: str
    own: float
    other: float
    twice: bool = False


Watched = Callable[[Sequence[Example]], Iterable[Example]]
"""The same examples, by somebody who watches how far it has come."""


def doubtful(table: RouteTable, watched: Watched = iter, *, margin: float = 0.2) -> list[Doubtful]:
    """Examples that another route has by `margin`, each judged without itself; worst first."""
    examples = table.examples
    found = [*_twice(examples), *_astray(examples, margin, watched)]
    return sorted(found, key=lambda one: (not one.twice, one.own - one.other))


def _twice(examples: Sequence[Example]) -> Iterator[Doubtful]:
    seen: dict[str, Example] = {}
    for example in examples:
        first = seen.setdefault(plain(example.text), example)
        if first.group != example.group:
            yield Doubtful(example, first.group, 1.0, 1.0, twice=True)


def _astray(examples: Sequence[Example], margin: float, watched: Watched) -> Iterator[Doubtful]:
    without = [
        _learned([e for at, e in enumerate(examples) if at % FOLDS != fold])
        for fold in range(FOLDS)
    ]
    for at, example in enumerate(watched(examples)):
        scores = without[at % FOLDS].scores(plain(example.text)).routes
        best = max(scores, key=lambda name: scores[name])
        own = scores.get(example.route, 0.0)
        if best != example.route and scores[best] - own >= margin:
            yield Doubtful(example, best, round(own, 2), round(scores[best], 2))


def _learned(examples: Sequence[Example]) -> Classifier:
    return Classifier(examples, [plain(example.text) for example in examples])

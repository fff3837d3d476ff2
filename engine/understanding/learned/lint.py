"""Examples that look like another route than their own, found by leaving them out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.understanding.learned.classifier import Classifier, Example
from engine.understanding.learned.lessons import normalize
from engine.understanding.learned.table import RouteTable

FOLDS = 5


@dataclass(frozen=True, slots=True)
class DoubtfulExample:
    """An example that the others would route elsewhere; `own` and `other` are scores.

    `twice`: the same words stand under both.
    """

    example: Example
    looks_like: str
    own: float
    other: float
    is_duplicate: bool = False


Progress = Callable[[Sequence[Example]], Iterable[Example]]
"""The same examples, by somebody who watches how far it has come."""


def find_doubtful(
    table: RouteTable, watched: Progress = iter, *, margin: float = 0.2
) -> list[DoubtfulExample]:
    """Examples that another route has by `margin`, each judged without itself; worst first."""
    examples = table.examples
    found = [*_find_duplicates(examples), *_find_misrouted(examples, margin, watched)]
    return sorted(found, key=lambda one: (not one.is_duplicate, one.own - one.other))


def _find_duplicates(examples: Sequence[Example]) -> Iterator[DoubtfulExample]:
    seen: dict[str, Example] = {}
    for example in examples:
        first = seen.setdefault(normalize(example.text), example)
        if first.group != example.group:
            yield DoubtfulExample(example, first.group, 1.0, 1.0, is_duplicate=True)


def _find_misrouted(
    examples: Sequence[Example], margin: float, watched: Progress
) -> Iterator[DoubtfulExample]:
    without = [
        _make_classifier([e for at, e in enumerate(examples) if at % FOLDS != fold])
        for fold in range(FOLDS)
    ]
    for at, example in enumerate(watched(examples)):
        scores = without[at % FOLDS].scores(normalize(example.text)).routes
        best = max(scores, key=lambda name: scores[name])
        own = scores.get(example.route, 0.0)
        if best != example.route and scores[best] - own >= margin:
            yield DoubtfulExample(example, best, round(own, 2), round(scores[best], 2))


def _make_classifier(examples: Sequence[Example]) -> Classifier:
    return Classifier(examples, [normalize(example.text) for example in examples])

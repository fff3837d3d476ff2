"""Examples that look like another route than their own, found by leaving them out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.understanding.learned.classifier import Classifier, Example
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.training import learn

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
    examples = [example for example in table.examples if not example.is_name]
    plain = [(example, table.normalize(example.text)) for example in examples]
    found = [*_find_duplicates(plain), *_find_misrouted(plain, margin, watched(examples))]
    return sorted(found, key=lambda one: (not one.is_duplicate, one.own - one.other))


def _find_duplicates(plain: Sequence[tuple[Example, str]]) -> Iterator[DoubtfulExample]:
    seen: dict[str, Example] = {}
    for example, text in plain:
        first = seen.setdefault(text, example)
        if first.group != example.group:
            yield DoubtfulExample(example, first.group, 1.0, 1.0, is_duplicate=True)


def _find_misrouted(
    plain: Sequence[tuple[Example, str]], margin: float, watched: Iterable[Example]
) -> Iterator[DoubtfulExample]:
    without = [
        _make_classifier([one for at, one in enumerate(plain) if at % FOLDS != fold])
        for fold in range(FOLDS)
    ]
    for at, example in enumerate(watched):
        scores = without[at % FOLDS].scores(plain[at][1]).routes
        best = max(scores, key=lambda name: scores[name])
        own = scores.get(example.route, 0.0)
        if best != example.route and scores[best] - own >= margin:
            yield DoubtfulExample(example, best, round(own, 2), round(scores[best], 2))


def _make_classifier(examples: Sequence[tuple[Example, str]]) -> Classifier:
    own = [example for example, _ in examples]
    return Classifier(own, learn(own, [text for _, text in examples]))

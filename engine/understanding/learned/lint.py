"""Examples that look like another route than their own, found by leaving them out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.text import wording
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.learned.classifier import Classifier, Example
from engine.understanding.learned.lessons import QUESTION
from engine.understanding.learned.shared_words import tell_shared
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.training import learn

FOLDS = 5

_ANY_QUESTION = f"talk/{QUESTION}"


@dataclass(frozen=True, slots=True)
class DoubtfulExample:
    """An example that the others would route elsewhere; `own` and `other` are scores.

    `like` is the nearest example of where it looks like. `is_duplicate`: the same words stand under
    both. `is_held`: it says a condition, or not to do it, and is begun all the same. `shares` says
    which of its words examples of where it looks like have too.
    """

    example: Example
    looks_like: str
    own: float
    other: float
    is_duplicate: bool = False
    like: str = ""
    is_held: bool = False
    shares: str = ""


Progress = Callable[[Sequence[Example]], Iterable[Example]]
"""The same examples, by somebody who watches how far it has come."""


def find_doubtful(
    table: RouteTable, watched: Progress = iter, *, margin: float = 0.2
) -> list[DoubtfulExample]:
    """Examples that another route has by `margin`, each judged without itself; worst first."""
    examples = [example for example in table.examples if not example.is_name]
    plain = [(example, table.normalize(example.text)) for example in examples]
    twice = list(_find_duplicates(plain))
    known = {one.example.text for one in twice}
    found = [*twice, *_find_held(table)]
    for one in _find_misrouted(plain, margin, watched(examples)):
        if one.example.text not in known:
            said = table.normalize(one.example.text)
            like = table.nearest(said, _nearest_group(one, table))
            others = {each.group for each in table.examples if each.route == one.looks_like}
            shares = tell_shared(said, one.example.group, others, table)
            found.append(replace(one, like=like, shares=shares))
    return sorted(found, key=lambda one: (not one.is_duplicate, one.own - one.other))


def _find_held(table: RouteTable) -> Iterator[DoubtfulExample]:
    """Examples of work that hang on something, or forbid it: word for word they begin it."""
    for example in table.examples:
        if example.is_name or table.playbook(example.route) is None:
            continue
        said = level(example.text)
        core = GRAMMAR.core(said)
        about = said[core.start : core.end]
        if wording.hinged(about) or wording.forbids(about):
            yield DoubtfulExample(example, "", 0.0, 0.0, is_held=True)


def _nearest_group(one: DoubtfulExample, table: RouteTable) -> str:
    """The group of the other route whose examples are nearest."""
    scores = table.classifier.scores(table.normalize(one.example.text)).groups
    groups = {each.group for each in table.examples if each.route == one.looks_like}
    return max(sorted(groups & scores.keys()), key=lambda group: scores[group])


def _find_duplicates(plain: Sequence[tuple[Example, str]]) -> Iterator[DoubtfulExample]:
    seen: dict[str, Example] = {}
    for example, text in plain:
        first = seen.setdefault(text, example)
        # A question that anybody may ask is one of a tool as well.
        if first.group != example.group and _ANY_QUESTION not in (first.group, example.group):
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
            # No score is told as -0.00.
            yield DoubtfulExample(example, best, round(own, 2) + 0.0, round(scores[best], 2))


def _make_classifier(examples: Sequence[tuple[Example, str]]) -> Classifier:
    own = [example for example, _ in examples]
    return Classifier(own, learn(own, [text for _, text in examples]))

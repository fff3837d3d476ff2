"""How likely something is wanted on both sides of a place where a message may be parted.

Learned from the messages of `acts.py`, whose writers say where each part stands, by
`python -m tests.bench.router.learn_cuts`. A score is a whole number, reckoned as those of acts.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from engine.understanding.grammar.places import Gap, find_places
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.learned.acts import Weights, act_tokens, weighed

_NEAR, _LONGEST, _SIZES = 4, 3, 6
_WEIGHTS = Weights("cuts.tsv")


@lru_cache(maxsize=1024)
def read_cuts(marked: str) -> tuple[tuple[Gap, int], ...]:
    """Each place of a text whose entities are marked, with its score: above 0 rather yes."""
    places = find_places(marked)
    every = cut_features(marked, places)
    return tuple(
        (place, weighed(_WEIGHTS.table, frozenset(own))[0])
        for place, own in zip(places, every, strict=True)
    )


def cut_features(marked: str, places: Sequence[Gap]) -> Iterator[list[str]]:
    """What each place is told by: the words around it, how both sides begin and end, their rules,
    and what stands beyond them.
    """
    ends = [(0, 0), *((each.start, each.end) for each in places), (len(marked), len(marked))]
    stretches = [marked[begin:end] for (_, begin), (end, _) in pairwise(ends)]
    marks = [marked[each.start : each.end].strip().lower() for each in places]
    tokens = [act_tokens(each) for each in stretches]
    roles = [",".join(sorted({m.role for m in GRAMMAR.marks(level(s))})) for s in stretches]
    last = len(places) - 1
    for at, mark in enumerate(marks):
        left, right = tokens[at : at + 2]
        sizes = [min(_SIZES, (len(each) + 1) // 3) for each in (left, right)]
        yield [
            *_edges(left, mark, right),
            *(f"l{run}" for run in _runs(left)),
            *(f"r{run}" for run in _runs(right)),
            *(f"l={role}" for role in roles[at].split(",")),
            *(f"r={role}" for role in roles[at + 1].split(",")),
            *(f"m{mark}", f"={roles[at]}|{roles[at + 1]}", f"#{sizes[0]} {sizes[1]}"),
            *(f"#l{sizes[0]}", f"#r{sizes[1]}", f"#m{mark} {min(2, *sizes)}"),
            *(f"n{min(_SIZES, len(marks))}", f"i{min(3, at)} {min(3, last - at)}"),
            f"b{marks[at - 1]} {' '.join(tokens[at - 1][:2])}" if at else "b",
            f"a{marks[at + 1]} {' '.join(tokens[at + 2][:2])}" if at < last else "a",
        ]


def _edges(left: Sequence[str], mark: str, right: Sequence[str]) -> Iterator[str]:
    for length in range(1, _NEAR + 1):
        yield f"<{' '.join(left[-length:])}"
        yield f">{' '.join(right[:length])}"
        yield f"^{' '.join(left[:length])}"
        yield f"${' '.join(right[-length:])}"
    for length in (1, 2):
        yield f"m{mark}>{' '.join(right[:length])}"
        yield f"<{' '.join(left[-length:])}m{mark}"
        yield f"^{' '.join(left[:length])}>{' '.join(right[:length])}"
    yield f"<{' '.join(left[-1:])}m{mark}>{' '.join(right[:1])}"


def _runs(tokens: Sequence[str]) -> Iterator[str]:
    for length in range(1, _LONGEST + 1):
        for at in range(len(tokens) - length + 1):
            yield " ".join(tokens[at : at + length])

"""The split of a message whose pieces are understood best: a small dynamic programme."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.understanding.context import Piece, Stretch

MAX_STRETCHES = 6
"""So many stretches between boundaries make one piece at most."""

MAX_JUDGED = 15
MAX_JUDGED_CHARS = 1500
"""So many pieces, of so many characters, are judged at most; else fewer stretches are taken
together, and none at all where they are too many by themselves."""

_WORTH = {"workflow": 1.0, "qa_query": 1.0, "card_reply": 1.0, "smalltalk": 0.2}
_IDLE = 0.0
_UNSURE = -1.0
_COST = {"end": 0.0, "soft": 0.1, "weak": 0.3}
FIRM = 0.68
"""What a comma parts off as work has to be as certain as this."""

_CERTAINTY = 0.2
"""What the confidence of a piece weighs, where the number of sure pieces does not decide."""


Judge = Callable[[str, tuple[Stretch, ...]], Piece]
"""What stretches of the text are, taken together."""


def split_message(text: str, stretches: tuple[Stretch, ...], judge: Judge) -> tuple[Piece, ...]:
    """The pieces, in order, with where they stand; every stretch lies in one of them."""
    longest = max_stretches(stretches)
    best: list[tuple[float, tuple[Piece, ...]]] = [(0.0, ())]
    for end in range(1, len(stretches) + 1):
        options = []
        for begin in range(max(0, end - longest), end):
            piece = _judge_part(text, stretches[begin:end], judge)
            worth, before = best[begin]
            options.append((worth + _score(piece, first=begin == 0), (*before, piece)))
        best.append(max(options, key=lambda option: (option[0], -len(option[1]))))
    return best[-1][1]


def cut_anew(
    text: str, pieces: tuple[Piece, ...], stretches: tuple[Stretch, ...], judge: Judge
) -> tuple[Piece, ...]:
    """The pieces, those in doubt cut into their sentences: each may be sure, or offer its own."""
    made: list[Piece] = []
    for piece in pieces:
        within = [a for a in stretches if piece.start <= a.start and a.end <= piece.end]
        parts = _sentences(within)
        if len(parts) < 2 or is_decided(piece):
            made.append(piece)
        else:
            made += [_judge_part(text, part, judge) for part in parts]
    return tuple(made)


def is_decided(piece: Piece) -> bool:
    """Whether it is sure, be that only told."""
    return piece.is_sure or (piece.unclear_kind == "idle" and piece.firm)


def _sentences(stretches: Sequence[Stretch]) -> list[tuple[Stretch, ...]]:
    found: list[tuple[Stretch, ...]] = []
    for stretch in stretches:
        if found and stretch.boundary == "weak":
            found[-1] = (*found[-1], stretch)
        else:
            found.append((stretch,))
    return found


def max_stretches(stretches: Sequence[Stretch]) -> int:
    """How many stretches are taken together, so that what is judged stays bounded; 0: none."""
    count = chars = 0
    for most in range(1, MAX_STRETCHES + 1):
        spans = zip(stretches, stretches[most - 1 :], strict=False)
        sizes = [last.end - first.start for first, last in spans]
        count, chars = count + len(sizes), chars + sum(sizes)
        if count > MAX_JUDGED or chars > MAX_JUDGED_CHARS:
            return most - 1
    return MAX_STRETCHES


def _judge_part(text: str, part: tuple[Stretch, ...], judge: Judge) -> Piece:
    start, end = part[0].start, part[-1].end
    piece = judge(text, part)
    return replace(
        piece, boundary=part[0].boundary, is_sequel=part[0].is_sequel, start=start, end=end
    )


def _score(piece: Piece, *, first: bool) -> float:
    weak = piece.boundary == "weak" and not first and not piece.condition
    if weak and piece.kind == "workflow" and piece.confidence < FIRM:
        return _UNSURE
    idle = _IDLE if piece.unclear_kind in ("idle", "holds_off", "elsewhere") else _UNSURE
    worth = (
        _WORTH["workflow"] if piece.unclear_kind == "asks_which" else _WORTH.get(piece.kind, idle)
    )
    cost = 0.0 if first else _COST[piece.boundary]
    return worth + _CERTAINTY * piece.confidence - cost

"""Pieces that are of one thing, by what was learned of the places between them."""

import re
from collections.abc import Sequence

from engine.understanding.context import Piece, RouteContext
from engine.understanding.learned.cuts import read_cuts
from engine.understanding.pieces.offering import OFFERED
from engine.understanding.pieces.split import is_decided
from engine.understanding.pieces.telling import AGAINST

ONE_THING = -40
"""Where a place scores less, hardly anything is wanted on both its sides."""

_NUMBER = re.compile(r"[0-9]|[一二三四五六七八九十百千]{2}")


def group_pieces(
    text: str, pieces: Sequence[Piece], context: RouteContext
) -> list[tuple[Piece, ...]]:
    """The pieces, side by side in one group where hardly both of them want something."""
    cuts = read_cuts(context.mark(text)) if len(pieces) > 1 else ()
    groups: list[tuple[Piece, ...]] = []
    for piece in pieces:
        end = groups[-1][-1].end if groups else 0
        scores = [
            score
            for place, score in cuts
            if groups and place.end > end and place.start < piece.start
        ]
        if scores and max(scores) < ONE_THING:
            groups[-1] = (*groups[-1], piece)
        else:
            groups.append((piece,))
    return groups


def is_in_doubt(group: Sequence[Piece]) -> bool:
    """Whether something in a group is in doubt, and nothing but work is surely asked for, or
    taken back.
    """
    if any(piece.is_request and piece.is_sure and not _is_plain(piece) for piece in group):
        return False
    off = any(piece.unclear_kind == "holds_off" for piece in group[1:])
    return not off and not all(is_decided(piece) for piece in group)


def _is_plain(piece: Piece) -> bool:
    return piece.kind == "workflow" and not piece.condition


def unite(text: str, group: Sequence[Piece]) -> Piece:
    """The group as one piece in doubt, which offers what any of them does."""
    offered = {(c.playbook, c.request): c for piece in group for c in piece.candidates}
    first, last = group[0], group[-1]
    return Piece(
        text[first.start : last.end],
        "unclear",
        "one thing is wanted in it",
        confidence=0.0,
        boundary=first.boundary,
        is_sequel=first.is_sequel,
        start=first.start,
        end=last.end,
        candidates=tuple(offered.values())[:OFFERED],
    )


def is_one_work(settled: Piece, group: Sequence[Piece]) -> bool:
    """Whether no piece of a group is, or is like, other work than it is settled as, and no two
    give values; what asks for no work is one thing where no piece surely does.
    """
    surely = {(piece.playbook, piece.request) for piece in group if piece.kind == "workflow"}
    if settled.kind != "workflow":
        return not surely
    near = [c for piece in group for c in piece.candidates[:1] if c.playbook and c.score > AGAINST]
    own = {(settled.playbook, settled.request)}
    if not surely | {(c.playbook, c.request) for c in near} <= own:
        return False
    return sum(bool(_NUMBER.search(piece.text)) for piece in group) < 2

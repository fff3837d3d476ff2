"""What only tells, holds off or is talk: surely nothing is begun for it."""

import re
from collections.abc import Collection
from dataclasses import replace

from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.grammar.rule import Role

TOLD: frozenset[Role] = frozenset(("off", "tell", "past", "say"))
"""What of a piece says that nothing is bidden in it."""

AGAINST = 0.2
"""How near work is at most that something in its sentence speaks against."""

DOUBTED: frozenset[Role] = frozenset(("ask", "maybe", "hang", "undo"))

_NUMBER = re.compile(r"[0-9]")


def settle_told(piece: Piece, said: str, roles: Collection[Role], context: RouteContext) -> Piece:
    """The piece as surely nothing asked for, where it tells or holds off, and wishes nothing.

    What gives values may be meant to be put down, so that it stays in doubt.
    """
    if piece.kind != "unclear" or piece.reply or piece.unclear_kind not in ("unknown", "idle"):
        return piece
    if _NUMBER.search(said) or GRAMMAR.says("wish", said) or DOUBTED & {*roles}:
        return piece
    asked = any(each.kind == "qa_query" for each in piece.candidates)
    if asked or context.table.begins_request(said) or GRAMMAR.says("cancel", said):
        return piece
    if TOLD & {*roles} or (not piece.candidates and GRAMMAR.says("chat", said)):
        against = tuple(
            each.model_copy(update={"score": min(each.score, AGAINST)}) for each in piece.candidates
        )
        why = f"{piece.why}; it only tells"
        return replace(piece, unclear_kind="idle", firm=True, why=why, candidates=against)
    return piece

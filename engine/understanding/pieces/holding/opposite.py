"""What wants something undone: work that does the opposite is neither begun nor offered for it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.text.entities import fold
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.learned.lessons import tokens
from engine.understanding.pieces.holding.beside import as_unclear
from engine.understanding.pieces.sameness import judge_verbatim
from engine.understanding.pieces.within import find_work

_UNDOES = re.compile(
    r"\b(?:cancel|withdraw|revok|undo|delet|remov|discard)|取消|撤[销回掉诉]|删[掉除]|注销|作废"
)
"""A request that says so of itself may be what undoes another."""

_GIVES_BACK = re.compile(r"\b(?:return|give back|hand back|take back)|退|还|归还")
"""The same, where the person says it in this word: elsewhere it is said of money."""

_PARTS = re.compile(r"[,，;；。.!?\n]|\band\b|再|并|然后|顺便|和")


def drop_opposites(pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """The pieces; those that want something undone without work that does nothing of the kind."""
    return tuple(_without_opposites(piece, context) for piece in pieces)


def _without_opposites(piece: Piece, context: RouteContext) -> Piece:
    said = context.plain(piece.text)
    if not GRAMMAR.says("cancel", said) or _wants_else(_PARTS.split(said), context):
        return piece
    back = _GIVES_BACK.findall(said)
    undoing = {name for name, each in context.requests if _undoes(each.examples, back)}
    if piece.kind == "workflow" and f"{piece.playbook}/{piece.request}" not in undoing:
        if judge_verbatim(piece.text, context):
            return piece
        return replace(as_unclear(piece, "it wants something undone"), candidates=())
    if piece.kind != "unclear":
        return piece
    left = tuple(
        each
        for each in piece.candidates
        if not each.playbook or f"{each.playbook}/{each.request}" in undoing
    )
    return replace(piece, candidates=left)


def _wants_else(parts: Sequence[str], context: RouteContext) -> bool:
    """Whether beside what is to be undone something may be wanted: it is done, or put instead."""
    undone = next((at for at, part in enumerate(parts) if GRAMMAR.says("cancel", part)), len(parts))
    before = any(find_work(part, context) for part in parts[:undone])
    return before or any(len(tokens(part)) > 1 for part in parts[undone + 1 :])


def _undoes(examples: Sequence[str], back: Sequence[str]) -> bool:
    every = [fold(example) for example in examples]
    return any(_UNDOES.search(each) or any(word in each for word in back) for each in every)

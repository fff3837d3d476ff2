"""What a later sentence takes back or puts off: the work before it is offered, never begun."""

import re
from collections.abc import Iterator

from engine.text import wording
from engine.text.readers.find import find_readings
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.learned.lessons import tokens
from engine.understanding.pieces.holding.beside import as_unclear
from engine.understanding.pieces.scoring import clauses_of
from engine.understanding.smalltalk import is_smalltalk

LEANING = 24
"""A sentence of no more words that names nothing leans on what was asked for before it."""

_END = re.compile(r"[。！!?？\n…]+|\.+(?=\s|$)|\.{2,}|\s[-–—]{1,2}\s|——")
_LINK = re.compile(
    r"\W*(?:(?:and|but|oh|so|or|well|actually|hmm+|still|just|though|please|pls|sorry|ok|okay)\b"
    r"|不过|但是?|可是|然后|还是|就|请|你|那|这[个事儿]*|先|再说|今天|现在|两个|都){0,4}\W*"
)
_NUMBER = re.compile(r"[0-9]+")
_POINTS = re.compile(
    r"[a-z]+(?: [a-z]+)? (?:it|that|this|them|these|those|both|everything)\b(?! (?:is|was|are))"
)
"""It bids something to what stands before it, by a verb of its own."""


def hold_by_later(text: str, pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """The pieces, with the work on a card that a later sentence takes back or puts off."""
    held = list(pieces)
    for start, end in _sentences(text):
        before = [at for at, piece in enumerate(held) if piece.start < start and _begins(piece)]
        if not before or not takes_back(text[start:end], context):
            continue
        if any(piece.start == start and _is_of_its_own(piece, context) for piece in held):
            continue
        for at in before:
            held[at] = as_unclear(held[at], f"a later sentence holds it back: {text[start:end]!r}")
        # What it says is told with the work that it holds back.
        held = [p for p in held if not (start <= p.start and p.end <= end and _only_holds(p))]
    return tuple(held)


def _begins(piece: Piece) -> bool:
    return piece.kind == "workflow" and not piece.condition


def _is_of_its_own(piece: Piece, context: RouteContext) -> bool:
    """Whether a piece surely asks for work or a look-up, whatever it says of what is before."""
    return bool(piece.lookup) or (_begins(piece) and piece.firm)


def _only_holds(piece: Piece) -> bool:
    return piece.kind in ("unclear", "qa_query") and not (piece.lookup or piece.reply)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a text stand but for the first."""
    ends = list(_END.finditer(text))
    for at, found in enumerate(ends):
        start = found.end()
        end = ends[at + 1].start() if at + 1 < len(ends) else len(text)
        while start < end and not text[start].isalnum():
            start += 1
        if start < end:
            yield start, end


def takes_back(sentence: str, context: RouteContext) -> bool:
    """Whether a sentence that names nothing of its own takes back, or puts off, what was before."""
    if is_smalltalk(sentence) or context.entities.matches(sentence):
        return False
    said = level(context.mark(sentence))
    core = GRAMMAR.core(said)
    about = said[core.start : core.end]
    if not about or _NUMBER.search(_without_times(about, context)):
        return False
    if len(tokens(about)) > LEANING:
        return False
    if GRAMMAR.says("retract", about) or any(
        m.role in ("undo", "hang") for m in GRAMMAR.marks(about)
    ):
        return True
    return any(_holds(clause, context) for clause in clauses_of(about))


def _holds(clause: str, context: RouteContext) -> bool:
    bare = _LINK.sub("", clause, count=1)
    if wording.forbids(bare) or wording.retracts(bare):
        return True
    return bool(_POINTS.match(bare)) and not context.table.begins_request(bare)


def _without_times(said: str, context: RouteContext) -> str:
    for found in reversed(find_readings(said, context.today)):
        if found.kind in ("date", "time"):
            said = said[: found.start] + said[found.end :]
    return said

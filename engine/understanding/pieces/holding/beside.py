"""What holds work back from beside it: a condition, a list, a heading, what takes it back."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from engine.frames.intents import Candidate
from engine.text import wording
from engine.text.entities import fold
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR, Mark, level
from engine.understanding.grammar.rule import Role
from engine.understanding.learned.lessons import tokens
from engine.understanding.lookups.find import cue_found
from engine.understanding.pieces.scoring import score_piece
from engine.understanding.pieces.within import find_work

NEAR_START = 16
"""What holds back another sentence stands so near to where its own begins."""

LEANING_WORDS = 6
"""So few words that name nothing may bid what was told of before them."""

LEANT_ON = 0.3
"""From this score on what is told before them is of other work."""

MOST_HEADING = 60
"""A heading is no longer than this."""

UNDONE: tuple[Role, ...] = ("undo",)

_NUMBER = re.compile("[0-9]+")
_ABOVE_LIST = re.compile(r"[:：]\s*\n")
_COLON = re.compile("[:：]")
_AROUND = " \t\n,，。;；:：.!！?？()（）-—…"
_PROVISO = re.compile(
    r"(?:but |and |though |yet )?(?:only (?:if|when|once|after|with)|subject to|provided"
    r"|providing|on condition|as long as|unless)\b[^,;)]*(?:, ?[^,;)]{1,12})?"
    r"|(?:但|不过|当然)?(?:前提是|条件是|除非|只有)[^,，;；]*"
)
"""A piece that begins so, and is one clause, is the condition of what stands before it."""


def as_unclear(piece: Piece, why: str) -> Piece:
    """The piece in doubt; work that it asked for is offered."""
    meant = Candidate(
        kind="workflow", playbook=piece.playbook, request=piece.request, score=piece.confidence
    )
    return replace(
        piece,
        kind="unclear",
        why=f"{piece.why}; {why}",
        confidence=0.0,
        playbook="",
        request="",
        condition="",
        lookups=(),
        firm=True,
        unclear_kind="unknown",
        candidates=(meant,) if piece.kind == "workflow" else piece.candidates,
    )


def hold_by_neighbours(
    text: str, pieces: tuple[Piece, ...], context: RouteContext
) -> tuple[Piece, ...]:
    """Work beside what makes a condition of itself, takes something back, or heads a list of it."""
    held = list(pieces)
    heading: Mark | None = None
    for index, piece in enumerate(pieces):
        before = pieces[index - 1] if index else None
        after = pieces[index + 1] if index + 1 < len(pieces) else None
        if before and _COLON.search(text[before.end : piece.start]):
            heading = _mark_in(before, context, ("off", "say", "tell", "hang"), most=MOST_HEADING)
        if piece.kind != "workflow" or piece.condition:
            continue
        if before and _is_listed(text[before.end : piece.start], piece, context):
            held[index] = as_unclear(piece, "it may be a thing of a list")
        elif other := _leant_on(piece, before, context):
            meant = as_unclear(piece, "what is told before it is likelier of other work")
            held[index] = replace(meant, candidates=(*meant.candidates, other))
        elif heading:
            held[index] = as_unclear(piece, "what stands above holds it back")
        elif after and _mark_in(after, context, UNDONE, most=NEAR_START):
            held[index] = as_unclear(piece, f"taken back by {after.text!r}")
        else:
            held[index] = _hold_by_sides(text, piece, before, after, context)
    return tuple(
        piece
        for index, piece in enumerate(held)
        if not (piece.kind == "unclear" and _is_condition_beside(index, held))
    )


def _leant_on(piece: Piece, before: Piece | None, context: RouteContext) -> Candidate | None:
    """The other work that was told of before a few words that bid it and name nothing."""
    core = GRAMMAR.core(level(context.mark(piece.text)))
    few = len(tokens(context.plain(piece.text[core.start : core.end]))) <= LEANING_WORDS
    named = _NUMBER.search(piece.text) or context.entities.matches(piece.text)
    if before is None or before.kind != "unclear" or before.reply or not few or named:
        return None
    near = context.table.candidates(score_piece(before.text, context).scores, least=LEANT_ON)
    other = next((each for each in near if each.playbook), None)
    own = (piece.playbook, piece.request)
    return other if other and (other.playbook, other.request) != own else None


def _is_listed(gap: str, piece: Piece, context: RouteContext) -> bool:
    """Whether a piece behind an enumeration comma names a thing, and no work by its verb."""
    return "、" in gap and not cue_found(context.plain(piece.text), context.table.cues)


def spread_conditions(text: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """A condition that ends a sentence is of all work in it, and one above a list of all below."""
    held = list(pieces)
    for index, piece in enumerate(pieces):
        if not piece.condition:
            continue
        own = text[piece.start : piece.end]
        is_last = not own.startswith(piece.condition) or bool(_PROVISO.match(level(own)))
        before = index
        while is_last and before and held[before].boundary == "weak":
            before -= 1
            if held[before].kind == "workflow" and not held[before].condition:
                held[before] = as_conditional(held[before], piece.condition)
        for after in range(index + 1, len(held) if _ABOVE_LIST.search(own) else 0):
            if held[after].kind == "workflow" and not held[after].condition:
                held[after] = as_conditional(held[after], piece.condition)
    return tuple(held)


def _is_condition_beside(index: int, pieces: Sequence[Piece]) -> bool:
    """Whether the piece is what the work before or behind it hangs on, which is told with that."""
    beside = (*pieces[max(index - 1, 0) : index], *pieces[index + 1 : index + 2])
    return any(each.condition == pieces[index].text for each in beside)


def _hold_by_sides(
    text: str, piece: Piece, before: Piece | None, after: Piece | None, context: RouteContext
) -> Piece:
    if before:
        joined = piece.boundary != "end"
        # What joins them may say that one waits for the other.
        said = text[before.start : piece.start] if joined else before.text
        roles: tuple[Role, ...] = ("reason", "off", "hang")
        if joined and before.kind == "unclear":
            roles = (*roles, "say", "tell", "ask")
        piece = _hold_by_side(piece, before, said, roles, context)
    if after and piece.kind == "workflow" and not piece.condition:
        piece = _hold_by_side(piece, after, after.text, ("reason", "off", "hang"), context)
    return piece


def _hold_by_side(
    piece: Piece, beside: Piece, said: str, roles: Collection[Role], context: RouteContext
) -> Piece:
    """The piece, held back by what stands beside it, unless that holds back work of its own."""
    if piece.start < beside.start and _is_proviso(beside):
        return as_conditional(piece, beside.text, firm=piece.firm)
    mark = _mark_in(beside, context, roles, most=NEAR_START, said=said)
    if mark is None or mark.role == "reason" or not _may_hold(beside, mark):
        return piece
    if find_work(beside.text, context):
        return piece
    if mark.role == "hang":
        return as_conditional(piece, beside.text, firm=piece.firm)
    return as_unclear(piece, f"beside it: {beside.text!r}")


def _is_proviso(beside: Piece) -> bool:
    """Whether a piece behind another only says on what that hangs, whatever words it has."""
    return beside.kind != "card_reply" and bool(
        _PROVISO.fullmatch(level(beside.text).strip(_AROUND))
    )


def _may_hold(beside: Piece, mark: Mark) -> bool:
    """Whether a piece may hold back another: one that is surely asked for only by a condition."""
    if beside.kind == "qa_query":
        hinged = wording.hinged(fold(beside.text))
        return (mark.role == "hang" or not beside.lookup) and (hinged or not beside.firm)
    return beside.kind == "unclear"


def _mark_in(
    piece: Piece, context: RouteContext, roles: Collection[Role], *, most: int, said: str = ""
) -> Mark | None:
    """The first of what holds back in so many letters of a piece, politeness aside."""
    said = level(context.mark(said or piece.text))
    near = GRAMMAR.core(said).start + most
    found = [m for m in GRAMMAR.marks(said) if m.role in roles and m.start < near]
    return min(found, key=lambda m: m.start, default=None)


def as_conditional(piece: Piece, condition: str, *, firm: bool = False) -> Piece:
    """Work that is not begun: the person is asked whether the condition holds.

    `firm`: it is surely this work, and surely hangs on that.
    """
    why = f"{piece.why}; it hangs on {condition!r}"
    return replace(piece, condition=condition, firm=firm, why=why)

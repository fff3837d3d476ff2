"""A message read as pieces, by the split whose pieces are understood best (promise 4)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from engine.text import wording
from engine.text.entities import fold
from engine.text.values import remove_values
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.learned.politeness import strip_politeness
from engine.understanding.lookups.cues import index_cues
from engine.understanding.lookups.find import cue_found, finds_part
from engine.understanding.open_forms import open_forms
from engine.understanding.pieces.boundaries import Atom, find_atoms
from engine.understanding.pieces.form_answers import group_form_answers
from engine.understanding.pieces.holding import as_unclear, hold_by_neighbours, offer
from engine.understanding.pieces.judge import judge
from engine.understanding.pieces.scoring import CLAUSES
from engine.understanding.pieces.smalltalk import is_smalltalk
from engine.understanding.pieces.split import Judge, max_stretches, split_message

MAX_CHARS = 800
"""A longer message, or one of more stretches, goes whole to the model; people are asked without."""

FORM_CHARS = 1500
"""A longer message is no answer to an open form either."""

_PARTS = re.compile(r"[,，;；。.!?\n]")
_NAMED = re.compile(r"[0-9]")
_CLAUSE_END = re.compile(r"[,，。;；?？!！\n]")


def read_message(text: str, context: RouteContext) -> tuple[Piece, ...]:
    """The pieces of the best split, those that ask for nothing taken into their neighbours."""
    if text not in context.pieces:
        context.pieces[text] = _read_uncached(text, context)
    return context.pieces[text]


def _read_uncached(text: str, context: RouteContext) -> tuple[Piece, ...]:
    within = len(text) <= MAX_CHARS
    stretches = find_atoms(context.mark(text), make_start_check(context)) if within else ()
    if not stretches or not max_stretches(stretches):
        long = stretches or len(text) > MAX_CHARS
        nothing = "there is no word in it" if text.strip() else "it is empty"
        why = "it is too long" if long else nothing
        whole = Piece(text.strip(), "unclear", why, confidence=0.0, end=len(text))
        return group_form_answers(text, (whole,), context) if len(text) <= FORM_CHARS else (whole,)
    pieces = split_message(text, stretches, _make_judge(context))
    pieces = _join_continuations(
        text, _check_conditions(group_form_answers(text, pieces, context), context), context
    )
    pieces = hold_by_neighbours(text, pieces, context)
    pieces = tuple(offer(text, piece, context) for piece in pieces)
    return _withhold_work(text, _drop_smalltalk(_absorb_idle(text, pieces)))


def _make_judge(context: RouteContext) -> Judge:
    """How stretches are read together: a look-up has to account for each of them.

    Work over a connective is none while one side by itself is looked up, or holds off.
    """

    @cache
    def alone(said: str) -> Piece:
        return judge(said, context)

    def read_part(text: str, part: tuple[Atom, ...]) -> Piece:
        if len(part) == 1:
            return alone(text[part[0].start : part[0].end])
        said = text[part[0].start : part[-1].end]
        parted = any(atom.boundary in ("end", "soft") for atom in part[1:])
        piece = judge(said, context, whole=not parted)
        stretches = [text[atom.start : atom.end] for atom in part]
        if _is_partly_looked_up(said, piece, stretches, context):
            return as_unclear(piece, "only a part of it is a look-up")
        others = [alone(said) for said in stretches] if piece.is_request and parted else []
        work = piece.kind == "workflow"
        if any(_contradicts(other, is_work=work) for other in others):
            return as_unclear(piece, "only a part of it is meant")
        return piece

    return read_part


def _contradicts(other: Piece, *, is_work: bool) -> bool:
    """Whether one side by itself is something else than both together."""
    is_lookup = is_work and other.lookup is not None
    return other.unclear_kind == "holds_off" or is_lookup or other.is_likely_work


def _is_partly_looked_up(
    said: str, piece: Piece, stretches: Sequence[str], context: RouteContext
) -> bool:
    """Whether a look-up answers a part of the text, and some stretch has nothing to do with it."""
    asks = piece.lookup is not None or piece.kind == "qa_query"
    if not asks or all(_is_covered_by_lookup(stretch, context) for stretch in stretches):
        return False
    return piece.lookup is not None or finds_part(
        said, context.tools, today=context.today, entities=context.entities
    )


def _is_covered_by_lookup(stretch: str, context: RouteContext) -> bool:
    """Whether a look-up accounts for this stretch: a cue, an entity, or mere politeness.

    A value that is stated is none of these.
    """
    cues = index_cues(context.tools).reading
    marked = context.mark(stretch)
    if remove_values(marked, cues) != marked and not wording.asks(fold(marked)):
        return False
    return bool(cue_found(fold(marked), cues) or marked != stretch or is_smalltalk(stretch))


def make_start_check(context: RouteContext) -> Callable[[str], bool]:
    """Whether a folded text opens with a request, a question or a condition.

    While a form is open, values may stand behind every comma.
    """
    anywhere = bool(open_forms(context))

    def opens(said: str) -> bool:
        # A mark at the end may be the whole sentence's.
        clause = _CLAUSE_END.split(said, maxsplit=1)[0]
        asked = wording.asks(clause) and len(clause) > 5
        begun = context.table.begins_request(clause) or wording.hinged(said)
        hangs = any(mark.role == "hang" for mark in GRAMMAR.marks(clause))
        shown = wording.shows(strip_politeness(clause)[0])
        return anywhere or begun or asked or shown or hangs or "也" in clause

    return opens


def _check_conditions(pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """Work under a condition only where the question before it finds out whether that holds."""
    made: list[Piece] = []
    for piece in pieces:
        before = made[-1] if made else None
        asks = before is None or before.kind in ("qa_query", "card_reply") or before.reply
        is_check = before is not None and wording.checks(fold(context.mark(before.text)))
        if piece.condition and before and not asks and is_check:
            # "Check X, and if …": what is looked for decides on what follows.
            doubted = as_unclear(made[-1], "a condition hangs on it")
            made[-1] = replace(doubted, kind="qa_query", candidates=())
        if piece.condition and not (made and made[-1].kind == "qa_query"):
            piece = as_unclear(piece, "nothing tells whether that holds")
        made.append(piece)
    return tuple(made)


def _join_continuations(
    text: str, pieces: tuple[Piece, ...], context: RouteContext
) -> tuple[Piece, ...]:
    """What a comma parted although the second half only goes on with the first."""
    made: list[Piece] = []
    for piece in pieces:
        if made and piece.boundary == "weak" and _is_continuation(made[-1], piece, context):
            surer = max(made[-1], piece, key=lambda one: one.confidence)
            whole = text[made[-1].start : piece.end]
            made[-1] = replace(
                made[-1], text=whole, end=piece.end, request=surer.request, why=surer.why
            )
        else:
            made.append(piece)
    return tuple(made)


def _is_continuation(before: Piece, piece: Piece, context: RouteContext) -> bool:
    searches = before.lookup is None or "query" in before.lookup.arguments
    if before.kind != piece.kind or not searches or piece.lookup or piece.condition:
        return False
    if piece.kind == "qa_query":
        return not _NAMED.search(piece.text)
    theirs, own = (
        context.entities.kinds_and_ids(before.text),
        context.entities.kinds_and_ids(piece.text),
    )
    # Work of one playbook that does not begin like a request says what the second half is for.
    bids = any(map(context.table.begins_request, CLAUSES.split(fold(context.mark(before.text)))))
    leads = before.request != piece.request and bids
    same = before.playbook == piece.playbook and not leads
    return piece.kind == "workflow" and same and not (theirs and own and theirs != own)


def _absorb_idle(text: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """What only tells something belongs to what is asked for beside it in the same sentence."""
    if not any(piece.is_request for piece in pieces):
        return pieces
    is_certain = any(
        piece.kind != "qa_query" or piece.lookup for piece in pieces if piece.is_request
    )
    kept: list[Piece] = []
    for piece in pieces:
        is_idle = piece.unclear_kind == "idle" and (is_certain or not piece.candidates)
        if is_idle and kept and kept[-1].is_request:
            kept[-1] = replace(kept[-1], text=text[kept[-1].start : piece.end], end=piece.end)
        elif not is_idle:
            kept.append(piece)
    return tuple(kept)


def _drop_smalltalk(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    spoken = tuple(p for p in pieces if p.kind != "smalltalk") or pieces[:1]
    return spoken if len(spoken) < len(pieces) else pieces


def _withhold_work(text: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """No workflow starts beside something unsure in its sentence, or before it is taken back."""
    held = list(pieces)
    for index, piece in enumerate(pieces):
        if piece.kind != "workflow" or not piece.firm:
            continue
        if _is_held_off(text, pieces, index) or any(
            later.unclear_kind == "holds_off" for later in pieces[index + 1 :]
        ):
            held[index] = replace(
                as_unclear(piece, "the message holds something off"), candidates=()
            )
        elif any(
            not (p.is_request or p.is_sure or p.unclear_kind in ("elsewhere", "asks_which"))
            for p in _sentence_of(pieces, index)
        ):
            held[index] = as_unclear(piece, "its sentence is not understood whole")
    return tuple(held)


def _is_held_off(text: str, pieces: tuple[Piece, ...], index: int) -> bool:
    """What holds off goes on into this piece: no more than a comma, or a "then", parts them."""
    if index == 0:
        return False
    before, piece = pieces[index - 1], pieces[index]
    if _goes_on_telling(before, piece, text):
        return True
    if before.unclear_kind != "holds_off":
        return False
    return (
        piece.is_sequel
        or piece.boundary == "weak"
        or not _PARTS.search(text[before.end : piece.start])
    )


def _goes_on_telling(before: Piece, piece: Piece, text: str) -> bool:
    """What only tells goes on into this piece: an "and" parts them, and no mark."""
    told = before.unclear_kind == "idle" and piece.boundary == "weak"
    return told and not _PARTS.search(text[before.end : piece.start])


def _sentence_of(pieces: tuple[Piece, ...], index: int) -> tuple[Piece, ...]:
    """The pieces joined with this one by connectives or commas."""
    first = index
    while first and pieces[first].boundary != "end":
        first -= 1
    last = index + 1
    while last < len(pieces) and pieces[last].boundary != "end":
        last += 1
    return pieces[first:last]

"""A message read as pieces, by the split whose pieces are understood best (promise 4)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from engine.text import wording
from engine.text.entities import fold
from engine.text.values import remove_values
from engine.understanding.context import Piece, RouteContext, Stretch
from engine.understanding.form_answers import group_form_answers, read_whole_answer
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.learned.politeness import strip_politeness
from engine.understanding.lookups.cues import index_cues
from engine.understanding.lookups.find import cue_found, finds_part
from engine.understanding.open_forms import open_forms
from engine.understanding.pieces.boundaries import find_stretches
from engine.understanding.pieces.holding.beside import (
    as_unclear,
    hold_by_neighbours,
    spread_conditions,
)
from engine.understanding.pieces.holding.later import hold_by_later
from engine.understanding.pieces.holding.opposite import drop_opposites
from engine.understanding.pieces.joining import (
    absorb_idle,
    ask_of_several,
    drop_asides,
    join_continuations,
    join_same_work,
)
from engine.understanding.pieces.judge import LEAST, judge
from engine.understanding.pieces.offering import offer
from engine.understanding.pieces.parting import add_missed, part_anew
from engine.understanding.pieces.sameness import answer_own_form, judge_verbatim
from engine.understanding.pieces.scoring import bids, score_piece
from engine.understanding.pieces.split import Judge, cut_anew, max_stretches, split_message
from engine.understanding.pieces.telling import offer_report
from engine.understanding.pieces.weighing import weigh
from engine.understanding.pieces.work import START
from engine.understanding.smalltalk import is_smalltalk

MAX_CHARS = 800
"""A longer message, or one of more stretches, goes whole to the model; people are asked without."""

FORM_CHARS = 1500
"""A longer message is no answer to an open form either."""

VALUES = 2
"""So many numbers of a sentence may be the values of work of its own."""

_VALUE = re.compile(r"[a-z\u3400-\u9fff]{0,12} ?[0-9][0-9.:/]*(?: ?[a-z%\u3400-\u9fff]{1,4})?")
_NUMBER = re.compile(r"[0-9]+(?:[.,:/][0-9]+)*")
_ASKED = re.compile("[?？]")
_MOVES = re.compile(r"\W*[把将]")
_PARTS = re.compile(r"[,，;；。.!?\n]")
_CLAUSE_END = re.compile(r"[,，。;；?？!！\n]")


def read_message(text: str, context: RouteContext) -> tuple[Piece, ...]:
    """The pieces of the best split, those that ask for nothing taken into their neighbours."""
    if text not in context.pieces:
        context.pieces[text] = _read_uncached(text, context)
    return context.pieces[text]


def _read_uncached(text: str, context: RouteContext) -> tuple[Piece, ...]:
    if len(text) <= FORM_CHARS and (answer := read_whole_answer(text, context)):
        return (answer,)
    within = len(text) <= MAX_CHARS
    begins = make_start_check(context)
    stretches = find_stretches(context.mark(text), begins, context.table.binds) if within else ()
    if not stretches or not max_stretches(stretches):
        long = stretches or len(text) > MAX_CHARS
        nothing = "there is no word in it" if text.strip() else "it is empty"
        why = "it is too long" if long else nothing
        whole = Piece(text.strip(), "unclear", why, confidence=0.0, end=len(text))
        return group_form_answers(text, (whole,), context) if len(text) <= FORM_CHARS else (whole,)
    pieces = _by_rules(text, stretches, context)
    pieces = tuple(ask_of_several(p, context) for p in weigh(text, pieces, context))
    pieces = tuple(offer_report(piece, context) for piece in pieces)
    pieces = drop_opposites(pieces, context)
    pieces = hold_by_later(text, _withhold_work(text, _drop_smalltalk(pieces), context), context)
    if all(piece.is_sure for piece in pieces):
        return pieces
    # An example is one request, wherever a connective seems to stand in it.
    known = judge_verbatim(text.strip(), context)
    return (replace(known, end=len(text)),) if known and known.kind == "workflow" else pieces


def _by_rules(
    text: str, stretches: tuple[Stretch, ...], context: RouteContext
) -> tuple[Piece, ...]:
    """The pieces as rules and examples have them."""
    read = _make_judge(context)
    pieces = cut_anew(text, split_message(text, stretches, read), stretches, read)
    pieces = part_anew(text, pieces, lambda part: judge(part, context), context)
    pieces = tuple(answer_own_form(piece, context) for piece in pieces)
    pieces = join_continuations(
        text, _check_conditions(group_form_answers(text, pieces, context), context), context
    )
    pieces = hold_by_neighbours(text, _lean_on_before(pieces, context), context)
    pieces = tuple(offer(text, piece, context) for piece in pieces)
    pieces = add_missed(text, spread_conditions(text, pieces), context)
    return join_same_work(text, drop_asides(absorb_idle(text, pieces, context), context), context)


def _lean_on_before(pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """A question that says "it" as one about what the look-up before it is of."""
    made: list[Piece] = []
    for piece in pieces:
        if (
            made
            and made[-1].lookup
            and piece.kind == "qa_query"
            and not (piece.lookup or piece.condition)
        ):
            known = judge(piece.text, replace(context, recent=(made[-1].text,)))
            if known.lookup:
                piece = replace(piece, lookups=known.lookups, why=known.why, firm=True)
        made.append(piece)
    return tuple(made)


def _make_judge(context: RouteContext) -> Judge:
    """How stretches are read together: a look-up has to account for each of them.

    Work over a connective is none while one side by itself is looked up, or holds off.
    """

    @cache
    def alone(said: str) -> Piece:
        return judge(said, context)

    def read_part(text: str, part: tuple[Stretch, ...]) -> Piece:
        if len(part) == 1:
            return alone(text[part[0].start : part[0].end])
        said = text[part[0].start : part[-1].end]
        parted = any(stretch.boundary in ("end", "soft") for stretch in part[1:])
        piece = judge(said, context, whole=not parted)
        stretches = [text[stretch.start : stretch.end] for stretch in part]
        if _is_partly_looked_up(said, piece, stretches, context):
            return as_unclear(piece, "only a part of it is a look-up")
        if parted and any(_contradicts(alone(each), piece, context) for each in stretches):
            return as_unclear(piece, "only a part of it is meant")
        return piece

    return read_part


def _contradicts(other: Piece, whole: Piece, context: RouteContext) -> bool:
    """Whether one side by itself is something else than both together."""
    if not whole.is_request:
        values = _NUMBER.search(other.text) and _likely_work(other.text, context)
        silent = _is_silent(other) and not (values and other.unclear_kind == "idle")
        return whole.unclear_kind in ("idle", "holds_off") and not silent
    if other.unclear_kind == "holds_off" or other.is_likely_work:
        return True
    if whole.kind != "workflow":
        return False
    own = (whole.playbook, whole.request)
    said = fold(other.text)
    wished = GRAMMAR.says("wish", said) or _MOVES.match(said)
    if other.unclear_kind in ("unknown", "elsewhere") and wished:
        return _likely_work(other.text, context) != own
    if other.kind == "workflow":
        return (other.playbook, other.request) != own
    return other.lookup is not None or _likely_work(other.text, context) not in (None, own)


def _is_silent(piece: Piece) -> bool:
    """Whether nothing is asked for, or it is held off."""
    return piece.kind == "smalltalk" or piece.unclear_kind in ("idle", "holds_off")


def _likely_work(text: str, context: RouteContext) -> tuple[str, str] | None:
    """The request that a text speaks of, or that its values are most likely for; None for none."""
    scores = score_piece(text, context).scores
    least = LEAST if len(_NUMBER.findall(text)) >= VALUES else START
    near = context.table.candidates(scores, least=least)
    return next(((c.playbook, c.request) for c in near if c.playbook), None)


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
        if not anywhere and _VALUE.fullmatch(clause.strip()):
            return False
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
        if piece.condition and not (made and made[-1].kind == "qa_query") and not piece.firm:
            piece = as_unclear(piece, "nothing tells whether that holds")
        made.append(piece)
    return tuple(made)


def _drop_smalltalk(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The pieces without talk; of talk alone that which is more than a greeting."""
    spoken = tuple(p for p in pieces if p.kind != "smalltalk")
    if pieces and not spoken:
        return (min(pieces, key=lambda piece: is_smalltalk(piece.text)),)
    return spoken if len(spoken) < len(pieces) else pieces


def _withhold_work(
    text: str, pieces: tuple[Piece, ...], context: RouteContext
) -> tuple[Piece, ...]:
    """No workflow starts beside something unsure in its sentence, or before it is taken back."""
    held = list(pieces)
    for index, piece in enumerate(pieces):
        if piece.kind != "workflow" or piece.condition or not piece.firm:
            continue
        if _is_held_off(text, pieces, index) or any(
            later.unclear_kind == "holds_off" for later in pieces[index + 1 :]
        ):
            held[index] = as_unclear(piece, "the message holds something off")
        elif piece.is_sequel and _is_asked_before(text, pieces, index):
            held[index] = as_unclear(piece, "it hangs on what is asked before it")
        elif _hangs_before(pieces, index):
            held[index] = as_unclear(piece, "it hangs on what is said before it")
        elif _is_asked_about(pieces, index, context):
            held[index] = as_unclear(piece, "nothing bids it, and its sentence asks")
        elif not all(map(_is_understood, _sentence_of(pieces, index))):
            held[index] = as_unclear(piece, "its sentence is not understood whole")
    return tuple(held)


def _hangs_before(pieces: tuple[Piece, ...], index: int) -> bool:
    """Whether the same work hangs on something right before, in its sentence."""
    piece, before = pieces[index], pieces[index - 1] if index else None
    if before is None or not before.condition or before not in _sentence_of(pieces, index):
        return False
    return (before.playbook, before.request) == (piece.playbook, piece.request)


def _is_asked_about(pieces: tuple[Piece, ...], index: int, context: RouteContext) -> bool:
    """Whether a piece only gives values, and its sentence goes on with a question."""
    sentence = _sentence_of(pieces, index)
    behind = sentence[sentence.index(pieces[index]) + 1 :]
    if not any(piece.kind == "qa_query" and not piece.lookup for piece in behind):
        return False
    return not bids(score_piece(pieces[index].text, context), context.table, wording.tells)


def _is_understood(piece: Piece) -> bool:
    """Whether work may begin beside a piece; a question in doubt may be what it hangs on."""
    if piece.kind == "qa_query" and not piece.is_sure:
        return not any(mark.role == "hang" for mark in GRAMMAR.marks(fold(piece.text)))
    return piece.is_request or piece.is_sure or piece.unclear_kind in ("elsewhere", "asks_which")


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


def _is_asked_before(text: str, pieces: tuple[Piece, ...], index: int) -> bool:
    """Whether this piece comes after a question that no look-up answers: "All signed? Then …"."""
    if not index or pieces[index - 1].lookup:
        return False
    return bool(_ASKED.search(text, pieces[index - 1].start, pieces[index].start))


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

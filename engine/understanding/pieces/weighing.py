"""What the rules decided, weighed against what the text does, as messages of other fields tell it.

Neither says enough alone: rules know the forms that somebody wrote down, and what was learned
(`learned/acts.py`) knows none of the project's work. Where they contradict, people are asked; what
is learned decides nothing by itself.
"""

import re
from dataclasses import replace

from engine.frames.intents import Candidate
from engine.text import wording
from engine.text.entities import fold
from engine.understanding.context import Piece, RouteContext
from engine.understanding.learned.acts import ACT_READER, Acts
from engine.understanding.pieces.holding.beside import as_unclear
from engine.understanding.pieces.offering import OFFERED
from engine.understanding.pieces.sameness import judge_verbatim
from engine.understanding.pieces.scoring import score_piece
from engine.understanding.pieces.telling import AGAINST
from engine.understanding.pieces.within import rank_by_words

WANTED = -30
"""Of what scores more, something is wanted: it is not only told."""

WISHED = 20
"""A question that scores more as work, and less as a question, may be a wish."""

ASKED = 30
"""What scores more, and less as work, and is like none, asks."""

UNASKED = -20
"""A question of which every act scores less is none by what it does."""

UNBIDDEN = -60
"""Work that scores less as a request is told of."""

HUNG, UNHUNG = 0, -70
"""What scores more hangs on something; a condition that scores less is hardly one."""

LIKELY = 0.45
"""What is so near is offered alone."""

OFFER_WORK, OFFER_QUESTION = -60, -20
"""From these scores on a piece in doubt is offered as work, and as a question."""

LEAST_NEAR, LEAST_WORDS = 0.1, 0.1
"""So near is what is offered then, or so much do its words weigh."""

_LETTERS = re.compile(r"[a-z]{2}|[\u3400-\u9fff]")


def weigh(text: str, pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """The pieces, in doubt where their acts are others, and offered more where they allow it.

    Nothing begins while the message as a whole hangs on something that no piece has as its
    condition.
    """
    hung = _read(text, context).conditional
    weighed = tuple(_weigh(piece, context) for piece in pieces)
    if hung <= HUNG or any(piece.condition for piece in weighed):
        return weighed
    return tuple(_hold(piece, context) for piece in weighed)


def _read(text: str, context: RouteContext) -> Acts:
    return ACT_READER.read(context.mark(text))


def _weigh(piece: Piece, context: RouteContext) -> Piece:
    settled = (
        piece.lookup or piece.reply or piece.about_run or not _LETTERS.search(fold(piece.text))
    )
    if settled or piece.kind in ("card_reply", "smalltalk") or judge_verbatim(piece.text, context):
        return piece
    acts = _read(piece.text, context)
    match piece.kind:
        case "workflow":
            return _weigh_work(piece, acts)
        case "qa_query":
            shows = wording.shows(context.plain(piece.text))
            weighed = piece if shows else _weigh_question(piece, acts)
            return _offer_more(weighed, acts, context)
        case _:
            return _offer_more(_weigh_unclear(piece, acts), acts, context)


def _weigh_work(piece: Piece, acts: Acts) -> Piece:
    if piece.condition:
        doubted = acts.conditional < UNHUNG
    else:
        doubted = acts.request < UNBIDDEN or acts.conditional > HUNG
    return replace(piece, firm=False) if doubted else piece


def _weigh_question(piece: Piece, acts: Acts) -> Piece:
    work = max(acts.request, acts.conditional)
    wished = work > WISHED and work > acts.question
    idle = max(acts.question, work) < UNASKED
    return replace(piece, firm=False) if wished or idle else piece


def _weigh_unclear(piece: Piece, acts: Acts) -> Piece:
    """What is decided to want nothing is in doubt where it may; what only asks is a question."""
    work = max(acts.request, acts.conditional)
    # What holds off holds back what stands before it as well, and is offered already.
    told = piece.unclear_kind == "idle" and piece.firm
    if told and max(work, acts.question) >= WANTED:
        piece = replace(piece, firm=False, unclear_kind="unknown")
    asks = acts.question > ASKED and work < OFFER_WORK and not piece.candidates
    if piece.unclear_kind == "unknown" and asks:
        # Reading does no harm.
        return replace(piece, kind="qa_query", firm=False, why=f"{piece.why}; it asks indirectly")
    return piece


def _is_silent(piece: Piece) -> bool:
    """Whether it is decided that a piece wants nothing."""
    return piece.unclear_kind == "holds_off" or (piece.unclear_kind == "idle" and piece.firm)


def _offer_more(piece: Piece, acts: Acts, context: RouteContext) -> Piece:
    """A piece in doubt with all that it is near to, as far as its acts allow it."""
    open_kinds = ("unknown", "idle")
    if piece.is_sure or _is_silent(piece) or piece.unclear_kind not in open_kinds:
        return piece
    offered = list(piece.candidates)
    likely = any(each.kind == "workflow" and each.score >= LIKELY for each in offered)
    if max(acts.request, acts.conditional) > OFFER_WORK and not likely:
        known = {(each.playbook, each.request) for each in offered}
        near = (c for c in _near(piece.text, context) if (c.playbook, c.request) not in known)
        works = sum(each.kind == "workflow" for each in offered)
        offered += list(near)[: max(0, OFFERED - works)]
    asked = any(each.kind == "qa_query" for each in offered)
    if offered and acts.question > OFFER_QUESTION and not asked:
        offered.append(Candidate(kind="qa_query", score=AGAINST))
    return replace(piece, candidates=tuple(offered))


def _near(text: str, context: RouteContext) -> list[Candidate]:
    """The requests that a text is near to; every one where the person has so few."""
    few = len(context.requests) <= OFFERED
    scores = score_piece(text, context).scores
    near = context.table.candidates(scores, least=-1.0 if few else LEAST_NEAR, limit=2 * OFFERED)
    ranked = rank_by_words(near, text, context, least=LEAST_WORDS)
    return [each for each in ranked if each.kind == "workflow"]


def _hold(piece: Piece, context: RouteContext) -> Piece:
    if piece.kind != "workflow" or not piece.firm or judge_verbatim(piece.text, context):
        return piece
    return as_unclear(piece, "something in the message may hold it back")

"""What the rules decided, weighed against what the text does, as messages of other fields tell it.

Neither says enough alone: rules know the forms that somebody wrote down, and what was learned
(`learned/acts.py`) knows none of the project's work. Where they contradict, people are asked. What
rules left in doubt is decided where its act is clear: as nothing, as a question, or as work that
hangs on something. Work begins by it only where nothing but likeness was lacking: it is all that
the message asks for, rules see nothing that speaks against it, and every other request is far.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from engine.frames.intents import Candidate
from engine.text import wording
from engine.text.entities import fold
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.grammar.rule import Role
from engine.understanding.learned.acts import ACT_READER, Acts
from engine.understanding.pieces.holding.beside import UNDONE, as_conditional, as_unclear
from engine.understanding.pieces.offering import OFFERED
from engine.understanding.pieces.plain import (
    AHEAD,
    LIKE,
    NO_OTHER,
    as_work,
    bids_strangely,
    names_several,
    nearest,
    read_plainly,
)
from engine.understanding.pieces.sameness import judge_verbatim
from engine.understanding.pieces.scoring import bids, clauses_of, score_piece
from engine.understanding.pieces.split import is_decided
from engine.understanding.pieces.telling import AGAINST, DOUBTED
from engine.understanding.pieces.within import rank_by_words
from engine.understanding.pieces.work import form_fault
from engine.understanding.smalltalk import is_smalltalk

WANTED = -40
"""Of what scores more, something is wanted: it is not only told."""

WISHED = 20
"""A question that scores more as work, and less as a question, may be a wish."""

ASKED = 30
"""What scores more, and less as work, and is like none, asks."""

UNASKED = -20
"""A question of which every act scores less is none by what it does."""

SEVERAL = 30
"""In what scores more something else is wanted besides."""

UNBIDDEN = -70
"""Work that scores less as a request is told of."""

HUNG, UNHUNG = 0, -40
"""What scores more hangs on something; a condition that scores less is hardly one."""

LIKELY = 0.45
"""What is so near is offered alone."""

OFFER_WORK, OFFER_QUESTION = -95, -20
"""From these scores on a piece in doubt is offered as work, and as a question."""

LEAST_NEAR, LEAST_WORDS = 0.1, 0.1
"""So near is what is offered then, or so much do its words weigh."""

BIDDEN, CLEAR, HANGS = 40, 20, 10
"""Talk that scores more as work may ask for it; any other act that scores more is clear, and that
work hangs on something."""

NO_WORK, NO_QUESTION, ONE = -20, -20, -20
"""What scores less is no work, on a condition or not; no question; no more than one thing."""

NOT_OFF = -70
"""What scores less holds off hardly anything."""

NOTHING, NO_PART, SURELY_NOTHING = -50, -40, -80
"""Of a message that gives no values, and of which it scores less that something is wanted, nothing
is, where that is so of the piece as well; nor in a piece that scores still less, beside others."""

APART = 0.3
"""So far behind what hangs on something is every other request, in likeness and words together."""

BEGUN = 20
"""What scores more as work, and less than NO_OTHER as all else, asks for work and nothing else."""

ASKING, NO_WISH = 40, -80
"""A question in doubt that scores more as one, and less as work, is sure: reading does no harm."""

_SAID: tuple[Role, ...] = ("say", "tell")
_TAKEN_BACK: tuple[Role, ...] = ("undo",)
_WISHES: tuple[Role, ...] = ("wish", "seek")
_NUMBER = re.compile(r"[0-9]|[一二三四五六七八九十百千]{2}")
_LACKS = re.compile(r"没|无(?!法)|\b(?:no|none|without)\b")
"""What is told to be lacking may be all that makes a text near."""

_LETTERS = re.compile(r"[a-z]{2}|[\u3400-\u9fff]")


def weigh(text: str, pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """The pieces, in doubt where their acts are others, and offered more where they allow it.

    Nothing begins while the message as a whole hangs on something that no piece has as its
    condition.
    """
    acts = _read(text, context)
    ends = [*(piece.start for piece in pieces[1:]), len(text)]
    # How a sentence ends, which no piece has, says what it does.
    said = (text[piece.start : end].strip() for piece, end in zip(pieces, ends, strict=True))
    weighed = tuple(
        _weigh(piece, _read(own, context), acts, context, alone=len(pieces) == 1)
        for piece, own in zip(pieces, said, strict=True)
    )
    asked = any(piece.kind == "qa_query" and piece.is_sure for piece in pieces)
    if not asked and (plain := read_plainly(text, weighed, acts, context)):
        return (plain,)
    if acts.conditional <= HUNG or any(piece.condition for piece in weighed):
        return weighed
    return tuple(_hold(piece, context) for piece in weighed)


def _read(text: str, context: RouteContext) -> Acts:
    return ACT_READER.read(context.mark(text))


def _weigh(piece: Piece, acts: Acts, whole: Acts, context: RouteContext, *, alone: bool) -> Piece:
    """The piece by its acts, and by those of the `whole` message."""
    said = fold(piece.text)
    settled = bool(piece.lookup or piece.reply) or piece.about_run or not _LETTERS.search(said)
    # "And P004?" does what the message before it does.
    leans = piece.kind == "workflow" and bool(context.recent) and wording.follows_up(said)
    if settled or leans or piece.kind == "card_reply" or judge_verbatim(piece.text, context):
        return piece
    if piece.kind == "smalltalk" and is_smalltalk(piece.text):
        return piece
    doubted = _doubt(piece, acts, whole, context)
    if is_decided(doubted):
        return doubted
    if doubted.unclear_kind != "asks_which" and not doubted.reply and _is_idle(acts, whole):
        valued = _NUMBER.search(context.mark(piece.text))
        kept = valued or _wishes(piece, context) or _has(piece, _TAKEN_BACK, context)
        kept = kept or _bids_by_cue(piece, context)
        return doubted if kept else _as_told(doubted)
    return _settle(doubted, acts, context, alone=alone)


def _bids_by_cue(piece: Piece, context: RouteContext) -> bool:
    """Whether the first clause of a piece begins with a cue, and tells of nothing."""
    clause = clauses_of(context.plain(piece.text))[0]
    return context.table.begins_with_cue(clause) and not GRAMMAR.marks(clause)


def _is_idle(acts: Acts, whole: Acts) -> bool:
    """Whether nothing is wanted in a piece, by its acts and those of the whole message."""
    if whole.wanted < NOTHING:
        return acts.wanted < NO_PART
    return acts.wanted < SURELY_NOTHING


def _doubt(piece: Piece, acts: Acts, whole: Acts, context: RouteContext) -> Piece:
    match piece.kind:
        case "workflow":
            weighed = _weigh_work(piece, acts)
            if weighed.is_sure or weighed.condition:
                return weighed
            return _offer_more(as_unclear(piece, "it may ask for nothing, or more"), acts, context)
        case "qa_query":
            shows = wording.shows(context.plain(piece.text))
            weighed = piece if shows else _weigh_question(piece, acts, whole)
            return _offer_more(weighed, acts, context)
        case "smalltalk":
            if acts.request < BIDDEN:
                return piece
            meant = replace(piece, kind="unclear", confidence=0.0)
            return _offer_more(meant, acts, context)
        case _:
            return _offer_more(_weigh_unclear(piece, acts, context), acts, context)


def _weigh_work(piece: Piece, acts: Acts) -> Piece:
    if piece.condition:
        doubted = acts.conditional < UNHUNG
    else:
        doubted = acts.request < UNBIDDEN or acts.conditional > HUNG
        doubted = doubted or (acts.question > ASKED and acts.request < UNASKED)
    # A list of values has as many parts, but asks nothing.
    doubted = doubted or (acts.several > SEVERAL and acts.question > ASKED)
    return replace(piece, firm=False) if doubted else piece


def _weigh_question(piece: Piece, acts: Acts, whole: Acts) -> Piece:
    work = max(acts.request, acts.conditional)
    wished = work > WISHED and work > acts.question
    idle = max(acts.question, work) < UNASKED and whole.question <= ASKED
    doubted = wished or idle or (acts.several > SEVERAL and work > BIDDEN)
    if (
        not doubted
        and min(acts.question, whole.question) > ASKING
        and max(work, acts.several) < NO_WISH
    ):
        return replace(piece, firm=True, candidates=())
    return replace(piece, firm=False) if doubted else piece


def _weigh_unclear(piece: Piece, acts: Acts, context: RouteContext) -> Piece:
    """What is decided to want nothing is in doubt where it may; what only asks is a question."""
    work = max(acts.request, acts.conditional)
    # What holds off holds back what stands before it as well, and is offered already.
    if piece.unclear_kind == "holds_off" and acts.held_off < NOT_OFF:
        return replace(piece, unclear_kind="unknown", candidates=())
    told = piece.unclear_kind == "idle" and piece.firm
    # What takes something back may want another thing instead.
    if told and (acts.wanted >= WANTED or _has(piece, UNDONE, context)):
        piece = replace(piece, firm=False, unclear_kind="unknown")
    asks = acts.question > ASKED and work < UNASKED and not piece.candidates
    if piece.unclear_kind == "unknown" and asks:
        # Reading does no harm.
        clear = max(work, acts.several) < NO_OTHER
        return replace(piece, kind="qa_query", firm=clear, why=f"{piece.why}; it asks indirectly")
    return piece


def _is_silent(piece: Piece) -> bool:
    """Whether it is decided that a piece wants nothing."""
    return piece.unclear_kind == "holds_off" or (piece.unclear_kind == "idle" and piece.firm)


def _offer_more(piece: Piece, acts: Acts, context: RouteContext) -> Piece:
    """A piece in doubt with all that it is near to, as far as its acts allow it."""
    open_kinds = ("unknown", "idle", "elsewhere" if acts.request > CLEAR else "unknown")
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


def _settle(piece: Piece, acts: Acts, context: RouteContext, *, alone: bool) -> Piece:
    """A piece in doubt as what its acts clearly are, if that is one thing."""
    if piece.unclear_kind == "asks_which" or piece.reply or acts.several > ONE:
        return piece
    other = max(acts.question, acts.held_off)
    hung = acts.conditional > HANGS and acts.request < NO_WORK and other < NO_QUESTION
    if hung and (piece.condition or (alone and not _has(piece, DOUBTED, context))):
        return _hung(piece, context)
    clear = (
        piece.unclear_kind == "unknown"
        and acts.request > BEGUN
        and max(acts.conditional, other, acts.several) < NO_OTHER
    )
    return _begun(piece, context) if alone and clear and not piece.condition else piece


def _has(piece: Piece, roles: Collection[Role], context: RouteContext) -> bool:
    """Whether something in a piece plays one of the roles, as rules read it."""
    return any(mark.role in roles for mark in GRAMMAR.marks(level(context.mark(piece.text))))


def _wishes(piece: Piece, context: RouteContext) -> bool:
    """Whether a piece says that somebody wishes for something, or seeks to know it."""
    return any(GRAMMAR.says(sign, context.plain(piece.text)) for sign in _WISHES)


def _begun(piece: Piece, context: RouteContext) -> Piece:
    """A piece that asks for work as that work, where it is plain which and rules see no fault."""
    work = nearest(piece.text, context)
    if work is None or work.score < LIKE or work.apart < AHEAD or _has(piece, _SAID, context):
        return piece
    scored = score_piece(piece.text, context)
    if bids_strangely(scored.bare, work, context):
        return piece
    bidden = bids(scored, context.table, wording.tells) or _wishes(piece, context)
    if not (bidden or _NUMBER.search(context.mark(piece.text))):
        # "P003's visit" may be asked after.
        return piece
    # What rules found lacking is then only likeness.
    fault = form_fault(scored, context.table, asked=True) or _LACKS.search(scored.folded)
    return piece if fault else as_work(piece, work)


def _as_told(piece: Piece) -> Piece:
    told = piece if piece.kind == "unclear" else as_unclear(piece, "")
    against = tuple(
        each.model_copy(update={"score": min(each.score, AGAINST)}) for each in told.candidates
    )
    why = f"{piece.why}; it wants nothing, by all that it says"
    return replace(told, unclear_kind="idle", firm=True, candidates=against, why=why)


def _hung(piece: Piece, context: RouteContext) -> Piece:
    """Work on a condition, which people are asked about: it need not be as plain."""
    work = nearest(piece.text, context)
    if not work or (work.apart < APART and work.name != f"{piece.playbook}/{piece.request}"):
        return piece
    if work.score < LEAST_NEAR or names_several(piece.text, context):
        return piece
    likely = [c for c in piece.candidates[:1] if c.playbook and c.score >= LIKELY]
    if any(work.name != f"{each.playbook}/{each.request}" for each in likely):
        return piece
    return as_conditional(as_work(piece, work), piece.condition or piece.text, firm=True)


def _hold(piece: Piece, context: RouteContext) -> Piece:
    if piece.kind != "workflow" or not piece.firm or judge_verbatim(piece.text, context):
        return piece
    return as_unclear(piece, "something in the message may hold it back")

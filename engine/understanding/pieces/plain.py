"""What all of a message plainly asks for, be it told or put oddly, and which work is nearest to it.

A message that asks for one thing, and is near to one request alone, needs none of the forms that
rules know of asking.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.text import wording
from engine.text.entities import fold
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.grammar.rule import Role
from engine.understanding.learned.acts import Acts
from engine.understanding.learned.classifier import DECIMALS
from engine.understanding.learned.lessons import ELSEWHERE, STATEMENT
from engine.understanding.learned.politeness import strip_politeness
from engine.understanding.open_forms import open_forms
from engine.understanding.pieces.judge import judge
from engine.understanding.pieces.scoring import bids, clauses_of, holds_off, score_piece
from engine.understanding.pieces.split import is_decided
from engine.understanding.pieces.within import OF_WORDS

NO_OTHER, SURELY_ONE, NOT_OFF_AT_ALL = -60, -70, -100
"""What scores less does nothing else; is surely one thing; holds nothing off, whatever it says."""

AWAY, STATED = 0.25, 0.6
"""So near at most is it to work that nobody here does, and to what only tells."""

LEAST_KNOWN = 0.45
"""Of what begins whatever words it has, the examples have so much."""

TAUGHT = 8
"""Of a request with fewer examples too little is known."""

LIKE, AHEAD = 0.4, 0.45
"""Work begins by likeness where it is so near to one request, and every other so far behind."""

PLAIN, PARTED = 60, 0.5
"""Where all of a message scores so much as work, it is asked for however it is put; one that was
read as several pieces has to be so near."""

_HOLDING: frozenset[Role] = frozenset(("say", "hang", "undo"))
"""Where one of these stands, not even what a message plainly asks for begins."""

_STOP = re.compile(r"[;；。!！?？\n]|\. ")
_COMMA = re.compile(rf"[,，、]|{_STOP.pattern}")
_VERB = re.compile(
    r"\W*(?:i (?:need|want|have) to )?(?!for )([a-z]{3,})"
    r" (?:(?:the|an?|my|our|his|her|their|this|that|it|all)\b|[a-z]{1,20}'s )"
)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The request (`name`) that a text is nearest to, in likeness (`score`) and words together.

    `apart` is how far all else is behind.
    """

    name: str
    score: float
    apart: float


def nearest(text: str, context: RouteContext) -> Nearest | None:
    """The request that is nearest by both, where it has enough examples and no rest is near."""
    scores = score_piece(text, context).scores
    if scores.routes[ELSEWHERE] > AWAY or scores.routes[STATEMENT] > STATED:
        return None
    if scores.known < LEAST_KNOWN:
        return None
    shares = context.table.word_shares(context.plain(text))
    totals = {n: s + OF_WORDS * shares.get(n, 0.0) for n, s in scores.groups.items()}
    able = [n for n, each in context.requests if len(each.examples) >= TAUGHT]
    name = max(able, key=lambda n: (round(totals[n], DECIMALS), n), default="")
    if not name:
        return None
    others = [total for other, total in totals.items() if other != name]
    apart = round(totals[name] - max(0.0, *others), DECIMALS)
    return Nearest(name, scores.groups[name], apart)


def as_work(piece: Piece, work: Nearest) -> Piece:
    """The piece as that work, begun by what its text does."""
    playbook, _, request = work.name.partition("/")
    return replace(
        piece,
        kind="workflow",
        playbook=playbook,
        request=request,
        confidence=round(min(1.0, work.score), 2),
        firm=True,
        unclear_kind="unknown",
        candidates=(),
        is_guess=True,
        why=f"{piece.why}; it asks for work, and nothing is as near as {work.name}",
    )


def read_plainly(
    text: str, pieces: tuple[Piece, ...], acts: Acts, context: RouteContext
) -> Piece | None:
    """A message in doubt as the one work that it plainly asks for, be it told or put oddly."""
    begun = [piece for piece in pieces if piece.kind == "workflow" and piece.is_sure]
    parted = len(begun) > 1 and acts.several < SURELY_ONE and _is_one_clause(text, begun)
    if (all(map(is_decided, pieces)) and not parted) or acts.request < PLAIN:
        return None
    if open_forms(context):
        # It may be told for one of them.
        return None
    others = (acts.conditional, acts.question, acts.held_off, acts.several)
    if max(others) > NO_OTHER or any(map(_is_settled, pieces)):
        return None
    if (work := _work_of_all(text, pieces, begun, context, parted=parted)) is None:
        return None
    scored = score_piece(text, context)
    marks = {mark.role for mark in GRAMMAR.marks(level(context.mark(text)))}
    if marks & _HOLDING or ("off" in marks and acts.held_off > NOT_OFF_AT_ALL):
        return None
    if holds_off(scored) or bids_strangely(scored.bare, work, context):
        return None
    if names_several(text, context):
        return None
    return as_work(replace(pieces[0], text=text.strip(), start=0, end=len(text)), work)


def _is_one_clause(text: str, begun: Sequence[Piece]) -> bool:
    """Whether works stand in one clause; those of one request may be in one sentence."""
    between = text[begun[0].start : begun[-1].start]
    same = len({(piece.playbook, piece.request) for piece in begun}) == 1
    return not (_STOP if same else _COMMA).search(between)


def _work_of_all(
    text: str,
    pieces: Sequence[Piece],
    begun: Sequence[Piece],
    context: RouteContext,
    *,
    parted: bool,
) -> Nearest | None:
    """The one request that each work of a message is of, or what alone bids, or all is near to.

    `parted`: one work was read as several, of which it has to be one.
    """
    names = {f"{piece.playbook}/{piece.request}" for piece in begun}
    if len(begun) > 1 and len(names) == 1:
        return Nearest(names.pop(), min(piece.confidence for piece in begun), 0.0)
    if named := _named(text, context):
        return None if any(_may_be_other(piece, named) for piece in pieces) else named
    asked = wording.asks(context.plain(text))
    if len(pieces) > 1 and not asked and (bidden := _bidden_alone(pieces, context)):
        return bidden
    work = nearest(text, context)
    least = LIKE if len(pieces) == 1 else PARTED
    if work is None or work.score < least or work.apart < AHEAD:
        return None
    other = any(_may_be_other(piece, work) for piece in pieces)
    return None if other and not (parted and work.name in names) else work


def _named(text: str, context: RouteContext) -> Nearest | None:
    """The only request whose name is a clause of a text: the others say what it needs."""
    said = {strip_politeness(each.strip())[0] for each in clauses_of(context.plain(text))}
    names = [n for n, each in context.requests if said & {fold(own) for own in each.name.texts}]
    return Nearest(names[0], 1.0, 0.0) if len(names) == 1 else None


def _bidden_alone(pieces: Sequence[Piece], context: RouteContext) -> Nearest | None:
    """The request that the only piece which bids surely asks for; the others tell of its matter."""
    table = context.table
    bidding = [p for p in pieces if bids(score_piece(p.text, context), table, wording.tells)]
    if len(bidding) != 1:
        return None
    found = judge(bidding[0].text, context)
    if found.kind != "workflow" or not found.is_sure or found.condition:
        return None
    return Nearest(f"{found.playbook}/{found.request}", found.confidence, 0.0)


def names_several(text: str, context: RouteContext) -> bool:
    """Whether a text names several things of the project: it may ask for work on each."""
    return len(context.entities.kinds_and_ids(text)) > 1


def _may_be_other(piece: Piece, work: Nearest) -> bool:
    """Whether a piece is, or most likely is, other work than that."""
    first = [f"{each.playbook}/{each.request}" for each in piece.candidates[:1] if each.playbook]
    named = [f"{piece.playbook}/{piece.request}", *first]
    return any(name not in ("/", work.name) for name in named)


def bids_strangely(said: str, work: Nearest, context: RouteContext) -> bool:
    """Whether a text bids to do something with a thing that no example of the request does."""
    verb = _VERB.match(said)
    return verb is not None and not context.table.has_word(work.name, verb[1])


def _is_settled(piece: Piece) -> bool:
    """Whether a piece is surely something else than work, or work on a condition."""
    off = piece.unclear_kind in ("holds_off", "asks_which")
    answers = piece.kind == "card_reply" and piece.is_sure
    return bool(piece.condition or piece.reply or piece.lookup or piece.about_run) or off or answers

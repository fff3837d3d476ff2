"""What holds work back from beside it, and what is offered where nothing is sure."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from engine.frames.intents import Candidate
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR, Mark, level
from engine.understanding.grammar.rule import Role
from engine.understanding.pieces.smalltalk import is_smalltalk
from engine.understanding.pieces.within import WorkWithin, find_work

NEAR_START = 16
"""What holds back another sentence stands so near to where its own begins."""

MOST_HEADING = 60
"""A heading is no longer than this."""

AGAINST = 0.2
"""How near work is at most that something in its sentence speaks against."""

UNDONE: tuple[Role, ...] = ("undo",)
_COLON = re.compile("[:：]")

NAMED, UNNAMED = 0.1, 0.5
"""What the words of a request weigh at least that is offered, where a thing of the project is
named, and where none is; a word that one group alone has weighs 1."""

LIKELY = 0.45
"""Beside what is so near nothing is offered by its words."""

OFFERED = 3
"""So many meanings are offered."""


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
        lookup=None,
        more_lookups=(),
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
        if heading:
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
    mark = _mark_in(beside, context, roles, most=NEAR_START, said=said)
    if mark is None or mark.role == "reason" or not _may_hold(beside, mark):
        return piece
    if find_work(beside.text, context):
        return piece
    if mark.role == "hang":
        return as_conditional(piece, beside.text)
    return as_unclear(piece, f"beside it: {beside.text!r}")


def _may_hold(beside: Piece, mark: Mark) -> bool:
    """Whether a piece may hold back another: one that is surely asked for only by a condition."""
    if beside.kind == "qa_query":
        return mark.role == "hang" or not beside.lookup
    return beside.kind == "unclear"


def _mark_in(
    piece: Piece, context: RouteContext, roles: Collection[Role], *, most: int, said: str = ""
) -> Mark | None:
    """The first of what holds back in so many letters of a piece, politeness aside."""
    said = level(context.mark(said or piece.text))
    near = GRAMMAR.core(said).start + most
    found = [m for m in GRAMMAR.marks(said) if m.role in roles and m.start < near]
    return min(found, key=lambda m: m.start, default=None)


def as_conditional(piece: Piece, condition: str) -> Piece:
    """Work that is not begun: the person is asked whether the condition holds."""
    why = f"{piece.why}; it hangs on {condition!r}"
    return replace(piece, condition=condition, firm=False, why=why)


def offer(text: str, piece: Piece, context: RouteContext) -> Piece:
    """The piece, with the work that stands in it where it is not sure of anything."""
    own = text[piece.start : piece.end]
    said = level(context.mark(own))
    marks = list(GRAMMAR.marks(said))
    if not _is_open(piece, {mark.role for mark in marks}):
        return piece
    within = find_work(own, context)
    if within is None:
        return _offer_by_words(piece, own, {mark.role for mark in marks}, context)
    roles = {m.role for m in marks if not within.start <= m.start < within.end} - {"reason"}
    if piece.kind == "smalltalk":
        piece = replace(piece, kind="unclear", confidence=0.0)
    if "hang" in roles and "off" not in roles and piece.kind == "unclear":
        return _as_conditional_within(own, piece, within)
    work = within.candidate
    if roles or piece.unclear_kind == "idle":
        work = work.model_copy(update={"score": min(work.score, AGAINST)})
    others = [
        c for c in piece.candidates if (c.playbook, c.request) != (work.playbook, work.request)
    ]
    if piece.kind == "qa_query" and not others:
        others = [Candidate(kind="qa_query", score=piece.confidence)]
    return replace(piece, candidates=(work, *others)[:OFFERED])


def _is_open(piece: Piece, roles: Collection[Role]) -> bool:
    """Whether the piece may be work for all that is known of it."""
    match piece.kind:
        case "qa_query":
            maybe = "maybe" in roles and not {"ask", "tell", "past"} & {*roles}
            return not (piece.lookup or piece.about_run) and (maybe or not piece.firm)
        case "smalltalk":
            return not is_smalltalk(piece.text)
        case "unclear":
            return not piece.reply and piece.unclear_kind not in ("holds_off", "asks_which")
        case _:
            return False


def _offer_by_words(
    piece: Piece, own: str, roles: Collection[Role], context: RouteContext
) -> Piece:
    """The piece with the requests that its words are of, besides those that are near.

    Few examples say too little of how else their work is asked for.
    """
    said = context.plain(own)
    tells = piece.unclear_kind == "idle" and piece.firm and not context.table.begins_request(said)
    likely = any(each.score >= LIKELY for each in piece.candidates)
    if piece.kind != "unclear" or tells or likely or "ask" in roles:
        return piece
    named = bool(context.entities.matches(own))
    groups = context.table.requests_with_words(said, least=NAMED if named else UNNAMED)
    near = {f"{c.playbook}/{c.request}" for c in piece.candidates}
    others = tuple(
        Candidate(kind="workflow", playbook=name, request=request, score=AGAINST)
        for name, _, request in (group.partition("/") for group in groups if group not in near)
    )
    return replace(piece, candidates=(*piece.candidates, *others)[:OFFERED])


def _as_conditional_within(said: str, piece: Piece, within: WorkWithin) -> Piece:
    sides = (said[: within.start], said[within.end :])
    condition = max((side.strip(" ,，;；.。:：()（）—-") for side in sides), key=len)
    work = replace(
        piece,
        kind="workflow",
        playbook=within.candidate.playbook,
        request=within.candidate.request,
        confidence=round(min(1.0, within.candidate.score), 2),
        unclear_kind="unknown",
        candidates=(),
    )
    return as_conditional(work, condition or said)

"""What is offered for a piece of which nothing is sure."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from engine.frames.intents import Candidate
from engine.text import wording
from engine.text.entities import fold
from engine.text.language import HAN
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR, Mark, level
from engine.understanding.grammar.rule import Role
from engine.understanding.pieces.conditions import split_condition
from engine.understanding.pieces.holding.beside import as_conditional
from engine.understanding.pieces.judge import NOT_HUNG
from engine.understanding.pieces.scoring import score_piece
from engine.understanding.pieces.telling import AGAINST, doubt_form, settle_told
from engine.understanding.pieces.within import WorkWithin, find_work, rank_by_words
from engine.understanding.smalltalk import is_smalltalk

LIKELY_STATED = 0.38
"""From this score on what is said of a thing may be told to be put down."""

HUNG = 0.45
"""From this score on it is surely this work that hangs on something: it is not begun."""

UNNAMED = 0.5
"""What the words of a request weigh at least that is offered; one that it has alone weighs 1."""

NAMED = 0.1
"""The same where a thing of the project is named."""

BESIDE = 1.0
"""The same beside work that is near, or for what is told of a thing of the project."""

FAINT = 0.12
"""From this score on something is offered for a text of which nothing else is known."""

LIKELY = 0.45
"""What is so near is."""

OFFERED = 3
"""So many meanings are offered."""

_NUMBER = re.compile("[0-9]+")
_ASKED = re.compile(r"[?？吗]")
_EDGES = " ,，;；.。:：()（）—-"
_PART = re.compile("[,，]")
_CLAUSE_END = re.compile(r"[，。;；：!]|(?<![0-9])[,.:]|[,.:](?![0-9])")


def offer(text: str, piece: Piece, context: RouteContext) -> Piece:
    """The piece, with the work that stands in it where it is not sure of anything."""
    own = text[piece.start : piece.end]
    said = level(context.mark(own))
    core = GRAMMAR.core(said)
    about = said[core.start : core.end]
    marks = [mark for mark in GRAMMAR.marks(about) if not _is_of_a_name(mark, about, context)]
    roles = {mark.role for mark in marks}
    settled = settle_told(_offer(own, piece, context), said, roles, context)
    named = bool(context.entities.matches(own)) and bool(_NUMBER.search(said))
    if named and settled.unclear_kind == "idle" and _likely_stated(own, context):
        roles -= {"past", "tell"}
    turns = any(about[mark.start : mark.end].endswith("就") for mark in marks)
    doubted = doubt_form(settled, said, roles, stated=named or turns)
    return doubted if doubted is settled else _offer_likely(own, doubted, context)


def _likely_stated(text: str, context: RouteContext) -> bool:
    """Whether what is told of a thing is so like work that it may be meant to be put down."""
    near = context.table.candidates(score_piece(text, context).scores, least=LIKELY_STATED)
    return any(each.playbook for each in near)


def _is_of_a_name(mark: Mark, said: str, context: RouteContext) -> bool:
    """Whether what tells is the end of a longer word that names work: 计划 in 工作计划."""
    before = said[max(0, mark.start - 1) : mark.start]
    if mark.role != "tell" or not HAN.match(before):
        return False
    return context.table.binds(said[mark.start - 1 : mark.end])


def _offer_likely(own: str, piece: Piece, context: RouteContext) -> Piece:
    """A piece of which its form says too little, with all that it may mean behind what it has."""
    near = context.table.candidates(score_piece(own, context).scores, least=FAINT)
    likely = rank_by_words(near, own, context, least=NAMED)
    known = {(c.playbook, c.request) for c in piece.candidates}
    others = tuple(c for c in likely if (c.playbook, c.request) not in known)
    return replace(piece, candidates=(*piece.candidates, *others)[:OFFERED])


def _offer(own: str, piece: Piece, context: RouteContext) -> Piece:
    said = level(context.mark(own))
    core = GRAMMAR.core(said)
    marks = [
        Mark(mark.role, mark.start + core.start, mark.end + core.start)
        for mark in GRAMMAR.marks(said[core.start : core.end])
    ]
    if not _is_open(piece, {mark.role for mark in marks}):
        return piece
    within = find_work(own, context)
    if within is None and piece.kind == "qa_query":
        return _as_question(piece, own, {mark.role for mark in marks}, context)
    if within is None:
        return _offer_by_words(piece, own, {mark.role for mark in marks}, context)
    outside = [m for m in marks if not within.start <= m.start < within.end]
    roles = {m.role for m in outside if not _is_of_condition(m, outside, said)} - {"reason"}
    if piece.kind == "smalltalk":
        piece = replace(piece, kind="unclear", confidence=0.0)
    is_off = piece.unclear_kind == "holds_off"
    asked = piece.kind == "qa_query" and ("ask" in roles or _ASKED.search(said))
    work = within.candidate
    if "hang" in roles and "off" not in roles and not (asked or is_off):
        near = [c for c in piece.candidates if c.kind == "workflow" and not _same(c, work)]
        meant = rank_by_words((work, *near), own, context, least=BESIDE)[:OFFERED]
        firm = not roles & NOT_HUNG and len(meant) == 1
        within = replace(within, candidate=meant[0])
        held = _as_conditional_within(own, piece, within, context, firm=firm)
        return replace(held, candidates=meant if len(meant) > 1 else ())
    if roles or piece.unclear_kind in ("idle", "holds_off"):
        work = work.model_copy(update={"score": min(work.score, AGAINST)})
    others = [c for c in piece.candidates if not _same(c, work)]
    if piece.kind == "qa_query" and not others:
        others = [Candidate(kind="qa_query", score=piece.confidence)]
    ranked = rank_by_words((work, *others), own, context, least=BESIDE)
    found = replace(piece, candidates=ranked[:OFFERED])
    return _offer_likely(own, found, context) if piece.kind == "qa_query" else found


def _same(one: Candidate, other: Candidate) -> bool:
    return (one.playbook, one.request) == (other.playbook, other.request)


def _is_of_condition(mark: Mark, marks: Sequence[Mark], said: str) -> bool:
    """Whether what holds off, or is told, is a part of the condition that it stands in."""
    return mark.role != "hang" and any(
        each.role == "hang"
        and each.start <= mark.start
        and not _CLAUSE_END.search(said, each.start, mark.start)
        for each in marks
    )


def _as_question(piece: Piece, own: str, roles: Collection[Role], context: RouteContext) -> Piece:
    """A question in which no work stands: it is one, where a word asks and no values are given."""
    said = context.plain(own)
    if piece.firm:
        return piece
    if "ask" in roles and not (
        len(_NUMBER.findall(said)) > 1 or context.table.begins_request(said)
    ):
        return replace(piece, firm=True)
    offered = _offer_by_words(replace(piece, kind="unclear"), own, roles, context).candidates
    if piece.candidates or not offered:
        return piece
    question = Candidate(kind="qa_query", score=piece.confidence)
    return replace(piece, candidates=(question, *offered)[:OFFERED])


def _is_open(piece: Piece, roles: Collection[Role]) -> bool:
    """Whether the piece may be work for all that is known of it."""
    match piece.kind:
        case "qa_query":
            if wording.checks(fold(piece.text)):
                roles = {*roles} - {"hang"}
            maybe = bool({"maybe", "hang"} & {*roles}) and not {"ask", "tell", "past"} & {*roles}
            return not (piece.lookup or piece.about_run) and (maybe or not piece.firm)
        case "smalltalk":
            return not is_smalltalk(piece.text)
        case "unclear":
            return not piece.reply and piece.unclear_kind != "asks_which"
        case _:
            return False


def _offer_by_words(
    piece: Piece, own: str, roles: Collection[Role], context: RouteContext
) -> Piece:
    """The piece with the requests that its words are of, besides those that are near.

    Few examples say too little of how else their work is asked for.
    """
    tells = piece.unclear_kind == "idle" and piece.firm and "hang" not in roles
    tells = tells and not context.table.begins_request(context.plain(own))
    named = bool(context.entities.matches(own))
    if piece.kind != "unclear" or "ask" in roles or (tells and not named):
        return piece
    likely = any(each.score >= LIKELY for each in piece.candidates)
    least = BESIDE if likely or tells else NAMED if named else UNNAMED
    offered = rank_by_words(piece.candidates, own, context, least=least)[:OFFERED]
    if len(offered) == 1:
        offered = (*_likelier(own, offered[0], context), *offered)
    if "hang" in roles and not {"off", *NOT_HUNG} & {*roles} and len(offered) == 1:
        # It hangs on something, and nothing else can be meant.
        meant = WorkWithin(offered[0], 0, 0)
        return _as_conditional_within(own, piece, meant, context, firm=len(context.requests) == 1)
    return replace(piece, candidates=offered)


def _likelier(own: str, than: Candidate, context: RouteContext) -> tuple[Candidate, ...]:
    """The work that a text is most like, where that is another than is offered for its words."""
    near = context.table.candidates(score_piece(own, context).scores, least=FAINT)
    work = next((c for c in near if c.playbook), than)
    return () if (work.playbook, work.request) == (than.playbook, than.request) else (work,)


def _as_conditional_within(
    said: str, piece: Piece, within: WorkWithin, context: RouteContext, *, firm: bool
) -> Piece:
    condition = _condition_beside(said, within, context)
    work = replace(
        piece,
        kind="workflow",
        playbook=within.candidate.playbook,
        request=within.candidate.request,
        confidence=round(min(1.0, within.candidate.score), 2),
        unclear_kind="unknown",
        candidates=(),
    )
    sure = firm and (within.candidate.score >= HUNG or within.end == 0)
    return as_conditional(work, condition or said, firm=sure)


def _condition_beside(said: str, within: WorkWithin, context: RouteContext) -> str:
    """What the work hangs on: the longer side of it, or the condition that it stands in itself."""
    hangs = [m for m in GRAMMAR.marks(level(context.mark(said))) if m.role == "hang"]
    splits = split_condition(said, context.table.request_verbs)
    if any(m.start < within.end and not said[m.end : within.start].strip() for m in hangs):
        for condition, _ in splits:
            return condition
    sides = (slice(0, within.start), slice(within.end, len(said)))
    hung = [side for side in sides if any(side.start <= m.start < side.stop for m in hangs)]
    return max((_without_prelude(said[side]) for side in hung or sides), key=len)


def _without_prelude(said: str) -> str:
    """A condition without what only leads over to what hangs on it: "…，给我"."""
    said = said.strip(_EDGES)
    *kept, last = _PART.split(said)
    return said[: -len(last)].strip(_EDGES) if kept and GRAMMAR.is_prelude(level(last)) else said

"""What holds work back from beside it, and what is offered where nothing is sure."""

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
from engine.understanding.pieces.judge import NOT_HUNG
from engine.understanding.pieces.scoring import score_piece
from engine.understanding.pieces.telling import AGAINST, doubt_form, settle_told
from engine.understanding.pieces.within import WorkWithin, find_work, rank_by_words
from engine.understanding.smalltalk import is_smalltalk

NEAR_START = 16
"""What holds back another sentence stands so near to where its own begins."""

LEANING_WORDS = 6
"""So few words that name nothing may bid what was told of before them."""

LIKELY_STATED = 0.38
"""From this score on what is said of a thing may be told to be put down."""

LEANT_ON = 0.3
"""From this score on what is told before them is of other work."""

MOST_HEADING = 60
"""A heading is no longer than this."""

UNDONE: tuple[Role, ...] = ("undo",)

HUNG = 0.45
"""From this score on it is surely this work that hangs on something: it is not begun."""

_NUMBER = re.compile("[0-9]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_ASKED = re.compile(r"[?？吗]")
_CLAUSE_END = re.compile(r"[,，。;；:：.!]")
_ABOVE_LIST = re.compile(r"[:：]\s*\n")
_COLON = re.compile("[:：]")
_AROUND = " \t\n,，。;；:：.!！?？()（）-—…"
_PROVISO = re.compile(
    r"(?:but |and |though |yet )?(?:only (?:if|when|once|after|with)|subject to|provided"
    r"|providing|on condition|as long as|unless)\b[^,;)]*(?:, ?[^,;)]{1,12})?"
    r"|(?:但|不过|当然)?(?:前提是|条件是|除非|只有)[^,，;；]*"
)
"""A piece that begins so, and is one clause, is the condition of what stands before it."""

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
        is_last = not own.startswith(piece.condition)
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
    if mark.role != "tell" or not _CHINESE.match(before):
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
        held = _as_conditional_within(own, piece, within, firm=firm)
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
        return _as_conditional_within(own, piece, meant, firm=len(context.requests) == 1)
    return replace(piece, candidates=offered)


def _likelier(own: str, than: Candidate, context: RouteContext) -> tuple[Candidate, ...]:
    """The work that a text is most like, where that is another than is offered for its words."""
    near = context.table.candidates(score_piece(own, context).scores, least=FAINT)
    work = next((c for c in near if c.playbook), than)
    return () if (work.playbook, work.request) == (than.playbook, than.request) else (work,)


def _as_conditional_within(said: str, piece: Piece, within: WorkWithin, *, firm: bool) -> Piece:
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
    sure = firm and (within.candidate.score >= HUNG or within.end == 0)
    return as_conditional(work, condition or said, firm=sure)

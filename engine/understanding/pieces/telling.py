"""What only tells, holds off or is talk: surely nothing is begun for it."""

import re
from collections.abc import Collection
from dataclasses import replace

from engine.frames.intents import Candidate
from engine.text import wording
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.grammar.rule import Role
from engine.understanding.pieces.scoring import clauses_of, score_piece

TOLD: frozenset[Role] = frozenset(("off", "tell", "past", "say"))
"""What of a piece says that nothing is bidden in it."""

AGAINST = 0.2
"""How near work is at most that something in its sentence speaks against."""

MOST = 3
"""So many meanings of what tells of trouble are offered."""

DOUBTED: frozenset[Role] = frozenset(("ask", "maybe", "hang", "undo"))

_NUMBER = re.compile(r"[0-9]|[零〇一二三四五六七八九十百千]{2}")
_ASKED = re.compile(r"[?？]$|[吗么] ?[。.!！]?$")
_TO_YOU = re.compile(
    r"\b(?:you|someone|somebody|anyone|anybody) (?:can|could|may|might|would|will)\b"
    r"|\b(?:can|could|may|might|would|will|wouldn't|couldn't)"
    r" (?:you|someone|somebody|anyone|i|it)\b"
    r"|\b(?:thankful|grateful|obliged|appreciate|kindness|kind of you|leave it with you)\b"
    r"|[您你](?:能|可以|看|帮|给|来|把)|劳|烦请|麻烦[您你]|拜托|费心|指点|能不能|可否|能否|可不可以"
)
"""Somebody is spoken to who may do it: that is no mere telling, and no question for its form."""

_UNDECIDED = re.compile(r"\bwhether (?:to|(?:i|we) (?:should|want))\b|要不要|该不该")
"""Work that somebody is in two minds about is asked about."""


def doubt_form(piece: Piece, said: str, roles: Collection[Role], *, stated: bool = False) -> Piece:
    """The piece in doubt, where its form alone makes it a question, or something only told.

    Whoever speaks to somebody, or puts it as a question, may want something done: a favour is
    asked for like a question, and wished for like something told. What is `stated` of a thing, or
    turned to behind a condition, may be meant to be put down.
    """
    if piece.lookup or piece.about_run or piece.reply:
        return piece
    to_you = bool(_TO_YOU.search(said))
    if piece.kind == "qa_query" and piece.firm:
        informs = GRAMMAR.says("seek", said) or wording.checks(said) or "ask" in roles
        return piece if informs or not to_you else replace(piece, firm=False)
    if piece.unclear_kind == "idle" and piece.firm and "say" not in roles:
        meant = stated and not {"past", "tell"} & {*roles}
        meant = meant or bool(_UNDECIDED.search(said))
        if meant or to_you or _ASKED.search(said.rstrip()) or GRAMMAR.says("seek", said):
            return replace(piece, firm=False, unclear_kind="unknown")
    return piece


def settle_told(piece: Piece, said: str, roles: Collection[Role], context: RouteContext) -> Piece:
    """The piece as surely nothing asked for, where it tells or holds off, and wishes nothing.

    What gives values may be meant to be put down, so that it stays in doubt.
    """
    if piece.kind != "unclear" or piece.reply or piece.unclear_kind not in ("unknown", "idle"):
        return piece
    if _NUMBER.search(said) or GRAMMAR.says("wish", said) or DOUBTED & {*roles}:
        return piece
    asked = any(each.kind == "qa_query" for each in piece.candidates)
    bids = any(map(context.table.begins_request, clauses_of(said)))
    if asked or bids or GRAMMAR.says("cancel", said):
        return piece
    if TOLD & {*roles} or (not piece.candidates and GRAMMAR.says("chat", said)):
        against = tuple(
            each.model_copy(update={"score": min(each.score, AGAINST)}) for each in piece.candidates
        )
        why = f"{piece.why}; it only tells"
        return replace(piece, unclear_kind="idle", firm=True, why=why, candidates=against)
    return piece


def offer_report(piece: Piece, context: RouteContext) -> Piece:
    """What tells that something does not work, offered to the requests that take such reports.

    Nobody is told of a broken lift for nothing where lifts are mended.
    """
    said = context.plain(piece.text)
    if not GRAMMAR.says("trouble", said) or not _may_report(piece, said):
        return piece
    groups = [name for name, _ in context.requests if name in context.table.trouble_groups]
    if not groups:
        return piece
    near = score_piece(piece.text, context).scores.groups
    reports = [_candidate(name) for name in groups]
    others = [each for each in piece.candidates if _name_of(each) not in groups]
    if any(map(context.table.begins_request, clauses_of(said))) or GRAMMAR.says("wish", said):
        # What it bids may be nearer than what takes reports of any trouble.
        reports += [each for each in others if each.playbook]
        others = [each for each in others if not each.playbook]
    reports.sort(key=lambda each: -near.get(_name_of(each), 0.0))
    why = f"{piece.why}; it tells of trouble"
    return replace(
        piece,
        kind="unclear",
        unclear_kind="unknown",
        firm=False,
        why=why,
        confidence=0.0,
        candidates=(*reports, *others)[:MOST],
    )


def _may_report(piece: Piece, said: str) -> bool:
    if piece.lookup or piece.about_run or piece.reply:
        return False
    if piece.kind == "qa_query":
        return not wording.asks(said)
    return piece.kind == "unclear" and piece.unclear_kind in ("unknown", "idle", "elsewhere")


def _name_of(candidate: Candidate) -> str:
    return f"{candidate.playbook}/{candidate.request}"


def _candidate(name: str) -> Candidate:
    playbook, _, request = name.partition("/")
    return Candidate(kind="workflow", playbook=playbook, request=request, score=AGAINST)

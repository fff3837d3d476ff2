"""What in a piece wants something by itself: it is cut anew there, or people are asked."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise

from engine.frames.intents import Candidate
from engine.text import wording
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.learned.lessons import tokens
from engine.understanding.pieces.holding.beside import as_unclear
from engine.understanding.pieces.offering import OFFERED
from engine.understanding.pieces.sameness import judge_verbatim
from engine.understanding.pieces.scoring import score_piece
from engine.understanding.pieces.split import FIRM
from engine.understanding.pieces.telling import AGAINST
from engine.understanding.pieces.within import find_work, work_spans
from engine.understanding.pieces.work import START, judge_work

MOST = 16
"""So many stretches of a piece are looked at."""

LONGEST = 300
"""In a longer piece no other wish is looked for."""

OTHER = 0.35
"""From this score on a clause behind work is of other work."""

STOPS = 2
"""A stretch ends before so many "and" at most, or at the end of its clause."""

_CLAUSE = re.compile(
    r"[,，;；:：。!！?？\n(（)）—…]+|\.(?=\s|$)|(?<=[a-z\u3400-\u9fff])\.(?=[\u3400-\u9fff])"
    r"|\s-{1,2}\s|\s(?=i(?:'d| would| want| need)\b)"
)
_JOINT = re.compile(
    r"再|还有|还要|还得|还请|另请|(?<![需重主不])要(?![求点件素])"
    r"|(?<!申)请(?![求假款问])|\s{0,3}[+＋&／]\s{0,3}|\s/\s"
    r"|(?<![0-9])(?P<number>[0-9]{1,2})[)）.、]?\s{0,3}(?=[\u3400-\u9fff])"
    r"|\b(?:and|then|also|plus)\s{1,3}"
)
"""What stands between two wishes where no mark does."""

_STOP = re.compile(r"\binstead of\b|\brather than\b|[和及与]|完了?(?:[之以]后)?")
"""What a wish ends before, too, where it is only offered."""

_LINK = re.compile(r"^\W*(?:(?:and|also|then|plus|but|please)\b\s*|另外|顺便|还有|再|并)*")
_TELL_ME = re.compile(r"(?:let me know|tell me|remind me|get me|give me)\b|告诉我|给我")
_WORD = re.compile(r"[a-z][a-z'-]*")
_EDGES = " \t\n,，;；:：。.!！()（）-—…"

Judge = Callable[[str], Piece]


@dataclass(frozen=True, slots=True)
class Wish:
    """A stretch that by itself surely asks for work, and for which (`playbook/request`).

    `leads`: it begins its clause; `is_listed`: it stands behind what also joins things, as 和 does.
    """

    start: int
    end: int
    playbook: str
    request: str
    confidence: float
    leads: bool
    is_listed: bool

    @property
    def group(self) -> str:
        """Its request, as `playbook/request`."""
        return f"{self.playbook}/{self.request}"

    @property
    def candidate(self) -> Candidate:
        """It as what is offered."""
        return Candidate(
            kind="workflow", playbook=self.playbook, request=self.request, score=AGAINST
        )


def part_anew(
    text: str, pieces: tuple[Piece, ...], judge: Judge, context: RouteContext
) -> tuple[Piece, ...]:
    """The pieces, those cut in two that are sure and in which something else is wanted.

    Where one half is not sure by itself, people are asked which of both is meant; a question is
    answered in any case.
    """
    made: list[Piece] = []
    for piece in pieces:
        if piece.kind == "workflow" and not piece.condition and piece.firm:
            made += _part_work(text, piece, judge, context)
        elif piece.lookup:
            made += _part_look_up(text, piece, judge, context)
        elif piece.kind == "qa_query" or piece.unclear_kind in ("unknown", "idle"):
            halves = _part_question(text, piece, judge, context)
            made += halves if len(halves) > 1 else _part_wishes(text, halves[0], judge, context)
        else:
            made += _part_wishes(text, piece, judge, context)
    return tuple(made)


def _part_work(text: str, piece: Piece, judge: Judge, context: RouteContext) -> list[Piece]:
    own = text[piece.start : piece.end]
    if judge_verbatim(own, context):
        return [piece]
    group = f"{piece.playbook}/{piece.request}"
    for other in find_wishes(own, context, parting=True):
        if other.group == group or (other.leads and other.confidence < FIRM):
            continue
        at_head = not own[: other.start].strip(_EDGES)
        at = other.end if at_head else other.start
        halves = _cut(text, piece, (at,), judge)
        sure = all(half.is_request and half.is_sure for half in halves)
        if len(halves) == 2 and sure and other.confidence >= FIRM:
            return halves
        behind = at_head and other.confidence >= FIRM and own[other.end :]
        if behind and any(w.group == group for w in find_wishes(behind, context, parting=True)):
            at_head = False
        if at_head or (not sure and other.is_listed):
            continue  # what follows says more of it
        meant = as_unclear(piece, f"in it stands {own[other.start : other.end]!r}")
        return [replace(meant, candidates=(*meant.candidates, other.candidate)[:OFFERED])]
    return _part_else(text, piece, judge, context)


def _part_else(text: str, piece: Piece, judge: Judge, context: RouteContext) -> list[Piece]:
    """A clause behind work that bids something else than more of it is a piece of its own."""
    own = text[piece.start : piece.end]
    said = level(context.mark(own))
    told = said.replace("：", ":").find(":")
    group = f"{piece.playbook}/{piece.request}"
    starts = {start for start, _ in _clauses(said) if start}
    starts |= {
        joint.end() for joint in _joints(said, 0, len(said)) if said[joint.start()].isascii()
    }
    for start in sorted(at for at in starts if told < 0 or at <= told)[:MOST]:
        part = _LINK.sub("", said[start:])
        at = len(own) - len(part)
        bids = context.table.begins_request(part) or wording.shows(part) or _TELL_ME.match(part)
        # What gives a value of this work says more of it.
        if not bids or context.table.begins_with_field(group, part):
            continue
        other = judge(own[at:])
        seeks = other.kind == "qa_query" and (wording.asks(part) or bool(_TELL_ME.match(part)))
        first = other.candidates[0] if other.is_likely_work else None
        own_work = (piece.playbook, piece.request)
        differs = first and first.score >= OTHER and (first.playbook, first.request) != own_work
        if seeks or differs or other.unclear_kind == "elsewhere":
            halves = _cut(text, piece, (at,), judge)
            if halves[0].kind == "workflow" and halves[0].request == piece.request:
                return halves
    return [piece]


def _part_look_up(text: str, piece: Piece, judge: Judge, context: RouteContext) -> list[Piece]:
    """A clause of a question that speaks of work is a piece of its own."""
    own = text[piece.start : piece.end]
    clauses = _clauses(own)
    for start, end in clauses[:MOST] if len(clauses) > 1 else ():
        work = find_work(own[start:end], context)
        if work is None or work.candidate.score < START or judge(own[start:end]).lookup:
            continue
        at = end if start == clauses[0][0] else start
        halves = _cut(text, piece, (at,), judge)
        if len(halves) == 2 and any(half.lookup for half in halves):
            return halves
    # To look for bidding words is far less than to compare with examples.
    if wording.shows(context.plain(own)) or not any(
        _bids(own, span, context) for span in work_spans(own, context)
    ):
        return [piece]
    work = find_work(own, context)
    if work is None or work.candidate.score < START:
        return [piece]
    if not _bids(own, (work.start, work.end), context):
        return [piece]
    meant = as_unclear(piece, f"in it stands {own[work.start : work.end]!r}")
    asked = Candidate(kind="qa_query", score=AGAINST)
    return [replace(meant, candidates=(work.candidate, asked))]


def _bids(text: str, span: tuple[int, int], context: RouteContext) -> bool:
    """Whether a text bids to do the work that stands there in it, and asks nothing around it."""
    said = level(context.mark(text))
    core, inquiry = GRAMMAR.core(said), GRAMMAR.asked(said)
    if inquiry and span[0] < inquiry.start:
        # "Remind me …" says that it asks.
        return False
    asked = any(mark.role == "ask" for mark in GRAMMAR.marks(said[core.start : core.end]))
    bid = context.plain(text[slice(*span)])
    reads = wording.reads(bid) or wording.checks(bid) or wording.asks(bid.rstrip("?"))
    return not asked and not reads and context.table.begins_request(bid)


def _part_question(text: str, piece: Piece, judge: Judge, context: RouteContext) -> list[Piece]:
    """A clause that a look-up answers by itself is a piece of its own, and so is one that bids."""
    own = text[piece.start : piece.end]
    clauses = _clauses(own)
    for start, end in clauses[:MOST] if len(clauses) > 1 else ():
        for begin, stop in ((start, end), (start, len(own)), (0, end)):
            part = own[begin:stop]
            if not wording.asks(context.plain(part)) or not (known := judge(part)).lookup:
                continue
            if begin and stop == len(own) and wording.hinged(context.plain(own)):
                # It is one question; whether its condition holds, who asks it can see.
                return [_with_lookup_of(known, piece)]
            return _cut(text, piece, (begin, stop), judge)
        if (
            piece.kind == "qa_query"
            and start
            and not _hangs(own[:start])
            and judge(own[start:]).kind == "workflow"
        ):
            return _cut(text, piece, (start,), judge)
    return [piece]


def _part_wishes(text: str, piece: Piece, judge: Judge, context: RouteContext) -> list[Piece]:
    """Two bids that an "and" joins, each likely work: each is offered by itself."""
    if piece.kind != "unclear" or piece.unclear_kind not in ("unknown", "elsewhere"):
        return [piece]
    own = text[piece.start : piece.end]
    said = level(context.mark(own))
    for joint in _joints(said, 0, len(said))[:MOST]:
        before, behind = said[: joint.start()], said[joint.end() :]
        if not all(_bids_by_itself(half, context) for half in (before, behind)):
            continue
        halves = _cut(text, piece, (joint.start(), joint.end()), judge)
        halves = [half for half in halves if half.start != piece.start + joint.start()]
        if len(halves) == 2 and all(half.is_likely_work or half.is_request for half in halves):
            return halves
    return [piece]


def _bids_by_itself(said: str, context: RouteContext) -> bool:
    """Whether what is said begins like a request, and says of what."""
    core = GRAMMAR.core(said)
    bare = said[core.start : core.end]
    return len(tokens(bare)) > 1 and context.table.begins_request(bare)


def _with_lookup_of(known: Piece, piece: Piece) -> Piece:
    return replace(
        piece,
        kind="qa_query",
        lookups=known.lookups,
        why=known.why,
        firm=True,
        confidence=known.confidence,
        condition="",
        candidates=(),
        unclear_kind="unknown",
    )


def _hangs(text: str) -> bool:
    """Whether what looks like a question is a condition: "when Dr Wu agrees, …"."""
    hangs = any(mark.role == "hang" for mark in GRAMMAR.marks(level(text)))
    return hangs and not text.rstrip().endswith(("?", "？"))


def _cut(text: str, piece: Piece, places: Sequence[int], judge: Judge) -> list[Piece]:
    """What the stretches between these places of a piece are, each by itself."""
    cuts = sorted({piece.start, *(piece.start + at for at in places), piece.end})
    made = []
    for start, end in pairwise(cuts):
        while start < end and text[start] in _EDGES:
            start += 1
        while end > start and text[end - 1] in _EDGES:
            end -= 1
        if any(letter.isalnum() for letter in text[start:end]):
            made.append(replace(judge(text[start:end]), start=start, end=end, boundary="weak"))
    if made:
        made[0] = replace(made[0], boundary=piece.boundary, is_sequel=piece.is_sequel)
    return made


def add_missed(text: str, pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """The pieces, with a card for what one of them, that is begun under a condition or in doubt,
    surely asks for besides.
    """
    taken = {f"{p.playbook}/{p.request}" for p in pieces if p.kind == "workflow"}
    taken |= {f"{c.playbook}/{c.request}" for p in pieces for c in p.candidates}
    made: list[Piece] = []
    for piece in pieces:
        made.append(piece)
        open_ = piece.kind == "unclear" and piece.unclear_kind in ("unknown", "idle")
        if not (open_ and not piece.reply) and not piece.condition:
            continue
        wishes = list(find_wishes(text[piece.start : piece.end], context))
        if piece.unclear_kind == "idle" and any(wish.leads for wish in wishes):
            made[-1] = piece = replace(piece, unclear_kind="unknown")
        missed = list({w.group: w.candidate for w in wishes if w.group not in taken}.values())
        taken |= {f"{c.playbook}/{c.request}" for c in missed}
        if missed and piece.condition:
            own = replace(as_unclear(piece, "it may be asked for besides"), boundary="end")
            made.append(replace(own, candidates=tuple(missed)[:OFFERED]))
        elif missed:
            made[-1] = replace(piece, candidates=(*piece.candidates, *missed)[:OFFERED])
    return tuple(made)


def find_wishes(text: str, context: RouteContext, *, parting: bool = False) -> Iterator[Wish]:
    """Stretches of a text that surely ask for work by themselves, in their order.

    With `parting` only those that begin a clause or stand behind an "and" or its like: to compare
    the others with examples is spared.
    """
    said = level(context.mark(text)) if len(text) <= LONGEST else ""
    # What stands behind a colon tells more of what is before it.
    heads = {start for start, _ in _clauses(said) if said[:start].rstrip()[-1:] not in (":", "：")}
    joints = {found.end() for found in _joints(said, 0, len(said))}
    lists = {found.end() for found in _STOP.finditer(said)}
    for start, end in islice(_stretches(said, context), MOST):
        leads = start in heads
        if parting and not (leads or start in joints or start in lists):
            continue
        core = GRAMMAR.core(said[start:end])
        inner = text[start + core.start : start + core.end]
        found = judge_verbatim(text[start:end], context) or judge_work(
            score_piece(inner, context, polite=core.favour), context
        )
        if found and found.kind == "workflow":
            yield Wish(
                start,
                end,
                found.playbook,
                found.request,
                found.confidence,
                leads,
                start in lists,
            )


def _stretches(said: str, context: RouteContext) -> Iterator[tuple[int, int]]:
    """From each clause or word that bids up to the next "and", or to the end of its clause."""
    verbs = context.table.request_verbs
    for start, end in _clauses(said):
        joints = _joints(said, start, end)
        bids = {start, *(start + at for at in context.table.cue_places(said[start:end]))}
        bids |= {m.start() for m in _WORD.finditer(said, start, end) if m[0] in verbs}
        stops = [m.start() for m in joints] + [m.start() for m in _STOP.finditer(said, start, end)]
        bids |= {m.end() for m in _STOP.finditer(said, start, end)}
        for at in sorted(bids | {joint.end() for joint in joints}):
            behind = sorted(stop for stop in stops if stop > at)[:STOPS]
            for stop in dict.fromkeys((*behind, end)):
                if (at, stop) != (0, len(said)):
                    yield at, stop


def _joints(said: str, start: int, end: int) -> list[re.Match[str]]:
    """What may part two wishes; numbers do in a list, which begins with one."""
    listed = said.lstrip()[:1].isdigit()
    return [m for m in _JOINT.finditer(said, start, end) if listed or not m["number"]]


@lru_cache(maxsize=1024)
def _clauses(said: str) -> tuple[tuple[int, int], ...]:
    start, found = 0, list[tuple[int, int]]()
    for end, behind in (*(mark.span() for mark in _CLAUSE.finditer(said)), (len(said), len(said))):
        if said[start:end].strip(_EDGES):
            found.append((start, end))
        start = behind
    return tuple(found)

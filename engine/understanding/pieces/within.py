"""Work that stands somewhere in a text, whatever is said around it: to be offered, never begun."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from engine.frames.intents import Candidate
from engine.understanding.context import RouteContext
from engine.understanding.grammar.reading import GRAMMAR, Mark, level
from engine.understanding.learned.classifier import DECIMALS
from engine.understanding.learned.lessons import plain_example
from engine.understanding.learned.table import RouteTable
from engine.understanding.pieces.scoring import score_piece
from engine.understanding.pieces.telling import AGAINST

OFFERED = 0.35
"""From this score on what stands in a text may be the work that is meant."""

OF_WORDS = 0.5
"""What a word that one request alone has weighs beside nearness."""

BEYOND = math.inf
"""What no request's words weigh."""

MOST_STARTS = 7
"""So many places where work may begin are tried."""

VERBATIM, MOST_LIKE = 1.0, 0.99
"""How near an example word for word is, and how near anything else at most."""

_CLAUSE = re.compile(
    r"(?:[，;；：。!！?？\n(（)）\"“”「」—…]|(?<![0-9])[,.:]|[,.:](?![0-9])){1,9}|\s-{1,2}\s"
)
"""What parts clauses, and no number: neither 1,310.25 nor 10:30."""

_WORD = re.compile(r"[a-z][a-z'-]*")
_EDGES = ' \t\n,，;；:：。.!！?？"“”「」（）()-—…'


@dataclass(frozen=True, slots=True)
class WorkWithin:
    """The work that a text speaks of, where it stands, and how near it is."""

    candidate: Candidate
    start: int
    end: int


def find_work(text: str, context: RouteContext) -> WorkWithin | None:
    """What of the text is most like work of a playbook, if anything is like it."""
    best: WorkWithin | None = None
    for start, end in work_spans(text, context):
        work = _work_of(text[start:end], context)
        if work is None:
            continue
        if best is None or (work.score, start - end) > (
            best.candidate.score,
            best.start - best.end,
        ):
            best = WorkWithin(work, start, end)
        if work.score >= VERBATIM:
            break
    return best


def work_spans(text: str, context: RouteContext) -> Iterator[tuple[int, int]]:
    """Where in the text work may stand, whatever is there."""
    said = level(context.mark(text))
    marks = list(GRAMMAR.marks(said))
    # What was taken back is not what is meant.
    undone = (m.end for m in marks if m.role == "undo" and _trim(said, m.end, len(said)))
    return _windows(said, max(undone, default=0), marks, context.table)


def rank_by_words(
    candidates: Sequence[Candidate], text: str, context: RouteContext, *, least: float
) -> tuple[Candidate, ...]:
    """The candidates, and the requests that a text has words of, the likeliest first.

    Few examples say too little of how else their work is asked for; names and fields say more.
    `least` is what the words of a request weigh together that is no candidate yet.
    """
    shares = context.table.word_shares(context.plain(text))
    near = {f"{c.playbook}/{c.request}" for c in candidates}
    others = tuple(
        Candidate(kind="workflow", playbook=name, request=request, score=AGAINST)
        for group in shares.keys() - near
        if shares[group] >= least
        for name, _, request in (group.partition("/"),)
    )
    scores = score_piece(text, context).scores.groups if others else {}

    def rank(each: Candidate) -> tuple[float, str, str]:
        group = f"{each.playbook}/{each.request}"
        score = each.score if group in near else scores[group]
        weight = score + OF_WORDS * shares.get(group, 0.0)
        return -round(weight, DECIMALS), each.playbook, each.request

    return tuple(sorted((*candidates, *others), key=rank))


def rank_requests(text: str, context: RouteContext) -> tuple[Candidate, ...]:
    """Every request that the person may start, the likeliest by what a text says first."""
    scores = score_piece(text, context).scores.groups
    every = [
        Candidate(kind="workflow", playbook=playbook, request=request, score=scores[name])
        for name, _ in context.requests
        for playbook, _, request in (name.partition("/"),)
    ]
    return rank_by_words(every, text, context, least=BEYOND)


def _work_of(text: str, context: RouteContext) -> Candidate | None:
    """The nearest request of a playbook, where it is near and the text has a word of its own."""
    table = context.table
    said = plain_example(context.plain(text))
    groups = table.verbatim.get(said) or table.verbatim.get(said.rstrip("了"), frozenset())
    work = [group for group in groups if table.playbook(group.partition("/")[0])]
    if len(work) == 1:
        playbook, _, request = work[0].partition("/")
        return Candidate(kind="workflow", playbook=playbook, request=request, score=VERBATIM)
    scored = score_piece(text, context)
    near = [c for c in table.candidates(scored.scores, least=OFFERED) if c.kind == "workflow"]
    if not near or not table.anchor_words(scored.known, near[0].playbook):
        return None
    return near[0].model_copy(update={"score": min(near[0].score, MOST_LIKE)})


def _windows(
    said: str, behind: int, marks: Sequence[Mark], table: RouteTable
) -> Iterator[tuple[int, int]]:
    """Stretches that may be what is asked for: from a verb or a clause, up to a clause or mark."""
    seen: set[tuple[int, int]] = set()
    for start in islice(dict.fromkeys(_starts(said, behind, marks, table)), MOST_STARTS):
        ends = [m.start() for m in _CLAUSE.finditer(said, start + 1)]
        ends += [mark.start for mark in marks if mark.start > start + 1]
        for end in {len(said): 0, min(ends, default=len(said)): 0}:
            span = _trim(said, start, end)
            if span and span not in seen:
                seen.add(span)
                yield span


def _starts(said: str, behind: int, marks: Sequence[Mark], table: RouteTable) -> Iterator[int]:
    """Where what is asked for may begin, the likeliest places first."""
    yield behind
    clauses = {found.end() for found in _CLAUSE.finditer(said)}
    verbs = {m.start() for m in _WORD.finditer(said) if m[0] in table.request_verbs}
    cues = set(table.cue_places(said))
    bids = verbs | cues
    places = {*clauses, *bids, *(mark.end for mark in marks)}
    after = sorted(place for place in places if behind < place < len(said))
    yield from (place for place in after if place in bids)
    yield from (place for place in after if place not in bids)


def _trim(said: str, start: int, end: int) -> tuple[int, int] | None:
    core = GRAMMAR.core(said[start:end])
    start, end = start + core.start, start + core.end
    while start < end and said[start] in _EDGES:
        start += 1
    while end > start and said[end - 1] in _EDGES:
        end -= 1
    return (start, end) if end - start > 1 else None

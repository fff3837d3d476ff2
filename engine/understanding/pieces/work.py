"""Whether a piece surely asks for work, and for which: never on a guess (promise 4)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from engine.frames.intents import Candidate
from engine.text import wording
from engine.text.readers.find import find_readings
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.learned.classifier import DECIMALS
from engine.understanding.learned.lessons import first_word
from engine.understanding.learned.shared_words import tell_unanchored
from engine.understanding.learned.table import RouteTable
from engine.understanding.lookups.find import cue_found
from engine.understanding.pieces.conditions import without_days
from engine.understanding.pieces.holding.held_back import held_back
from engine.understanding.pieces.scoring import (
    ScoredPiece,
    bids,
    clauses_of,
    forbids,
    holds_off,
    is_terse,
    score_piece,
)

START = 0.52
"""From this score on a piece may start a workflow."""

CLAUSE = 0.6
"""The same for a single clause of it, when the whole piece scores at least NEAR."""

TERSE_FROM = 0.6
"""From this score on a few words are work that nobody bids in so many words."""

UNBIDDEN = 0.65
"""Work that nothing bids is no surer than this: beside a comma it may be a thing of a list."""

NEAR = 0.3
"""So near must the whole piece be to the route of its clause."""

HANGING = 0.35
"""The same for work under a condition."""

MARGIN = 0.15
"""How far any other route must be behind."""

MOST_CLAUSES = 8
"""Of more clauses than so many none is looked for that asks for work by itself."""

ASIDE = 0.25
"""How far any other playbook must be behind."""

AWAY = 0.35
"""How far work that nobody here does, and what asks for nothing, must be behind."""

GROUP_MARGIN = 0.09
"""How far another request of the playbook must be behind that goes another way, or none."""

GROUP_FAR = 0.3
"""The same where nothing that bids is of the nearest."""

GROUP_CUED = 0.15
"""The same where a cue of the text is of another, and not of the nearest."""

FAINT = 0.25
"""A request whose words bid, but that scores less, is asked about where another is nearer."""

SETTLED = 2
"""With so many words of a playbook's own, a strange one says nothing."""

WELL_KNOWN, LIKE_ONE = 0.7, 0.35
"""What the examples have less of has to be so near to one request, and not only to a playbook."""

DENIES = ("不", "没", "未")
"""What denies the Chinese word behind it."""

KNOWN = 0.55
"""How much of a request the examples must have."""

_ANY_DAY = date(2000, 1, 1)


def judge_work(
    scored: ScoredPiece, context: RouteContext, *, least: float = START, whole: bool = False
) -> Piece | None:
    """The piece as work of a playbook; None when that is not sure."""
    route = context.table.playbook(scored.route)
    if route is None:
        return None
    if work_fault(scored, context.table, least=least):
        return _by_clause(scored, context) if whole else None
    return _as_work(scored, scored, context)


def _as_work(scored: ScoredPiece, judged: ScoredPiece, context: RouteContext) -> Piece:
    """The piece as work that `judged` (it, or a clause of it) asks for.

    Where requests are as near to each other of which one cannot be done, or that go different
    ways, the person is asked which, unless the words that bid are of one of them.
    """
    playbook = judged.route
    groups = _groups(judged, playbook, context)
    nearest = groups[0]
    near = [name for name, score in groups if score > groups[0][1] - GROUP_MARGIN]
    table = context.table
    if not table.matches_request(near[0], judged.bare) or not _has_cue(
        near[0], judged, groups, table
    ):
        # What bids in it may be of another.
        far = [name for name, score in groups if score > groups[0][1] - GROUP_FAR]
        cued = [n for n in far if table.has_cue(n, judged.bare)]
        near = cued or [n for n in far if table.matches_request(n, judged.bare)] or near
        groups = sorted(groups, key=lambda group: group[0] != near[0])
    if len(bidden := _requested_groups(judged, near, context.table)) < len(near):
        near, groups = bidden, [group for group in groups if group[0] in bidden]
    why = _why(judged, groups[0][0], context.table)
    faint = groups[0][1] < FAINT and nearest[1] > groups[0][1] + GROUP_MARGIN
    ways = len({context.table.phases_of(name) for name in near})
    if rival := _bidden_otherwise(groups, judged, table) or (nearest if faint else None):
        near, ways = [rival[0], groups[0][0]], 2
        groups = [rival, *(group for group in groups if group is not rival)]
    if ways > 1:
        offered = tuple(
            Candidate(kind="workflow", playbook=playbook, request=name.partition("/")[2], score=s)
            for name, s in groups[:3]
        )
        why = f"{why}; {', '.join(near)} are as near"
        return Piece(
            scored.text,
            "unclear",
            why,
            confidence=0.0,
            unclear_kind="asks_which",
            candidates=offered,
        )
    is_bidden = _bids(judged, context.table)
    return Piece(
        scored.text,
        "workflow",
        why,
        playbook=playbook,
        request=groups[0][0].partition("/")[2],
        confidence=round(min(1.0 if is_bidden else UNBIDDEN, judged.score), 2),
    )


def _bidden_otherwise(
    groups: Sequence[tuple[str, float]], judged: ScoredPiece, table: RouteTable
) -> tuple[str, float] | None:
    """The near request that alone is asked for by the verb that bids, where the first never is:
    "remove edit access" is no request to give it.
    """
    verb = first_word(judged.bare)
    if verb not in table.request_verbs or table.has_word(groups[0][0], verb):
        return None
    named = [group for group in groups if table.has_word(group[0], verb)]
    return named[0] if len(named) == 1 and named[0][1] > groups[0][1] - GROUP_FAR else None


def _has_cue(
    name: str, judged: ScoredPiece, groups: list[tuple[str, float]], table: RouteTable
) -> bool:
    """Whether an example of a request has a cue of the text, if one of any near request has."""
    close = [each for each, score in groups if score > groups[0][1] - GROUP_CUED]
    cued = [each for each in close if table.has_cue(each, judged.bare)]
    return name in cued or not cued


def _requested_groups(scored: ScoredPiece, near: list[str], table: RouteTable) -> list[str]:
    """Those of the requests, all of which can be done, that the words that bid go with."""
    ways = {table.phases_of(name) for name in near}
    if len(ways) < 2 or None in ways:
        return near
    return [name for name in near if table.matches_request(name, scored.bare)] or near


def _by_clause(scored: ScoredPiece, context: RouteContext) -> Piece | None:
    """The work that one clause asks for; the others only say more about it."""
    clauses = [clause for clause in clauses_of(scored.folded) if clause.strip()]
    if not 2 <= len(clauses) <= MOST_CLAUSES or wording.reports(scored.folded) or holds_off(scored):
        return None
    if held_back(scored, context.table, scored.bare):
        return None
    for clause in clauses:
        alone = score_piece(clause, context)
        route = context.table.playbook(alone.route)
        nearest = scored.scores.routes[alone.route] >= NEAR
        if _verb_of_others(scored, alone.route, context.table):
            continue
        if route and nearest and not work_fault(alone, context.table, least=CLAUSE):
            return _as_work(scored, alone, context)
    return None


def work_fault(scored: ScoredPiece, table: RouteTable, *, least: float = START) -> str:
    """What speaks against a workflow; "" when nothing does. In the order of what they cost."""
    if scored.score < least:
        return f"its score {_apart(scored.score, least)} is below {least}"
    if least != HANGING and scored.margin_to_playbooks < ASIDE:
        return f"another playbook is within {scored.margin_to_playbooks:.2f}"
    if scored.margin < MARGIN or scored.margin_to_idle < (MARGIN if least == HANGING else AWAY):
        return f"another route is within {min(scored.margin, scored.margin_to_idle):.2f}"
    if least != HANGING and (why := _words_against(scored, table)):
        return why
    if scored.scores.known < KNOWN:
        return f"only {scored.scores.known:.2f} of it is known from examples"
    groups = [s for n, s in scored.scores.groups.items() if n.startswith(f"{scored.route}/")]
    if least != HANGING and scored.scores.known < WELL_KNOWN and max(groups) < LIKE_ONE:
        return f"it is like none of its requests, and only {scored.scores.known:.2f} of it is known"
    if least != HANGING and (verb := _verb_of_others(scored, scored.route, table)):
        return f"{verb} asks for another playbook's work"
    if fault := form_fault(scored, table, hangs=least == HANGING):
        return fault
    if not _bids(scored, table) and not (
        scored.score >= TERSE_FROM and (is_terse(scored) or GRAMMAR.says("wish", scored.folded))
    ):
        return "nothing in it is bidden"
    return ""


def _verb_of_others(scored: ScoredPiece, playbook: str, table: RouteTable) -> str:
    """The verb that bids, where examples of other playbooks alone have it; else ""."""
    verb, own = first_word(scored.bare), f"{playbook}/"
    if verb not in table.request_verbs:
        return ""
    having = [name for name in scored.scores.groups if table.has_word(name, verb)]
    return verb if having and not any(name.startswith(own) for name in having) else ""


def _apart(score: float, least: float) -> str:
    """The score with as many digits as it needs to differ from what it is held against."""
    digits = next((n for n in range(2, DECIMALS) if round(score, n) < least), DECIMALS)
    return f"{score:.{digits}f}"


def form_fault(
    scored: ScoredPiece, table: RouteTable, *, hangs: bool = False, asked: bool = False
) -> str:
    """What speaks against work in how it is put, whatever work it is; "" when nothing does.

    Less of it has to be understood where it stands under a condition (`hangs`), or is known to be
    asked for, be it without a verb (`asked`).
    """
    if wording.reports(scored.folded):
        return "it gives what somebody else said"
    if _hangs(scored, table):
        return "it hangs on a condition"
    if forbids(scored):
        return "it holds something off"
    if not hangs and (
        held := held_back(scored, table, _without_days(scored, scored.bare, table), asked=asked)
    ):
        return held
    if wording.asks(scored.bare) and not scored.polite:
        return "it asks"
    return ""


def _hangs(scored: ScoredPiece, table: RouteTable) -> bool:
    """Whether it waits for something; a day that the request meant asks for by this cue is none."""
    if not any(mark.role == "hang" for mark in GRAMMAR.marks(scored.folded)):
        return False
    return wording.hangs(scored.folded) and wording.hangs(
        _without_days(scored, scored.folded, table)
    )


def _without_days(scored: ScoredPiece, said: str, table: RouteTable) -> str:
    """The text without the days that the requests meant ask for by a cue."""
    if not wording.hangs(said):
        return said
    groups = {n: s for n, s in scored.scores.groups.items() if n.startswith(f"{scored.route}/")}
    least = max(groups.values(), default=0.0) - GROUP_MARGIN
    cues = [table.day_cues.get(name, frozenset()) for name, s in groups.items() if s > least]
    common = frozenset.intersection(*cues) if cues else frozenset()
    return without_days(
        said,
        common,
        lambda clause: _bids(replace(scored, folded=clause), table),
    )


def _bids(scored: ScoredPiece, table: RouteTable) -> bool:
    """One of its clauses bids, and neither tells nor denies; to cancel is bidden where a request
    is to do that.
    """

    def speaks_against(clause: str) -> bool:
        denied = wording.denies(clause) and not (table.undoes and wording.retracts(clause))
        return wording.tells(clause) or denied

    return bids(scored, table, speaks_against)


def _is_denied(word: str, scored: ScoredPiece, table: RouteTable) -> bool:
    """Whether a Chinese word of the work stands right behind a "not" that no example has."""
    at = scored.known.find(word)
    said = scored.known[max(0, at - 1) : at + len(word)]
    return said[:1] in DENIES and len(said) > len(word) and not table.says_like(said, scored.route)


def _words_against(scored: ScoredPiece, table: RouteTable) -> str:
    """What speaks against the work in its words; its days and times are read only where one may."""
    against = _words_of_others(scored, scored.known, table)
    return against and _words_of_others(scored, _without_times(scored.known), table)


def _words_of_others(scored: ScoredPiece, said: str, table: RouteTable) -> str:
    # Somebody may ask by a cue for what nobody here does as well.
    anchors = table.anchor_words(said, scored.route) or table.asking_cues(said, scored.route)
    if not anchors:
        told = tell_unanchored(scored.known, scored.route, table)
        return f"nothing in it is of that work alone: {told}"
    if denied := next((w for w in anchors if _is_denied(w, scored, table)), ""):
        return f"{denied} is denied"
    if rivals := table.rival_words(said, scored.route):
        return f"{', '.join(rivals[:3])} is of another playbook's work"
    strange = table.foreign_words(said) if len(anchors) < SETTLED else ()
    return f"{', '.join(strange[:3])} is for work that nobody here does" if strange else ""


def _without_times(said: str) -> str:
    """A folded text without its days and times, which are nobody's work: "friday"."""
    for reading in reversed(find_readings(said, _ANY_DAY)):
        if reading.kind in ("date", "time"):
            said = f"{said[: reading.start]} {said[reading.end :]}"
    return said


def _groups(scored: ScoredPiece, playbook: str, context: RouteContext) -> list[tuple[str, float]]:
    """The playbook's requests with their scores, the nearest first.

    The clause that bids counts as much as the whole, whose values may point anywhere.
    """
    scores = scored.scores.groups
    bidding = next((c for c in clauses_of(scored.folded) if context.table.begins_request(c)), "")
    if bidding and bidding.strip() != scored.folded.strip():
        head = score_piece(bidding, context).scores.groups
        scores = {name: (score + head[name]) / 2 for name, score in scores.items()}
    own = [(name, score) for name, score in scores.items() if name.startswith(f"{playbook}/")]
    return sorted(own, key=lambda item: -item[1])


def _why(scored: ScoredPiece, group: str, table: RouteTable) -> str:
    cues = list(dict.fromkeys(cue_found(scored.bare, table.cues)))
    like = table.nearest(scored.known, group)
    told = f"{group} {scored.score:.2f}, next {scored.score - scored.margin:.2f}; like {like!r}"
    return f"{told}; says {', '.join(cues[:3])}" if cues else told

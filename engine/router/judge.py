"""What one piece of a message is, and whether that is sure: never a workflow on a guess."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from engine import wording
from engine.entities import fold, subject_ids
from engine.intents import Candidate, Lookup
from engine.lookup import cue_found, find
from engine.router.classifier import Scores
from engine.router.conditions import parted
from engine.router.model import RouteContext
from engine.router.open_forms import address
from engine.router.plea import plea
from engine.router.smalltalk import smalltalk, thanks
from engine.router.table import ELSEWHERE, QUESTION, SMALLTALK, STATEMENT, RouteTable
from engine.values import without_values

START = 0.45
"""From this score on a piece may start a workflow."""

CLAUSE = 0.6
"""The same for a single clause of it, when the whole piece scores at least NEAR."""

NEAR = 0.3

HANGING = 0.35
"""The same for work under a condition."""

MARGIN = 0.15
"""How far any other route must be behind."""

ASIDE = 0.25
"""How far any other playbook must be behind."""

AWAY = 0.35
"""How far work that nobody here does, and what asks for nothing, must be behind."""

GROUP_MARGIN = 0.08
"""How far another request of the playbook must be behind, where only one of them can be done."""

SETTLED = 2
"""With so many words of a playbook's own, a strange one says nothing."""

KNOWN = 0.55
"""How much of a request the examples must have."""

ASKED = 0.35
"""From this score on a piece without the form of a question is one."""

ELSE = 0.25
"""From this score on a piece asks for what nobody here does, when no route is nearer."""

FIRM = 0.4
"""From this score on a question may be another route's by its words."""

SHOWN = 0.3
"""So much may another route be before questions when the piece bids to show something."""

LEAST = 0.2
"""What scores less is not offered as what may have been meant."""

_LISTED = re.compile(
    r"[Pp][0-9]{3}(?:\s*(?:,\s*and\b|,|，|、|和|与|及|&|\band\b)\s*[Pp][0-9]{3}){1,4}(?![0-9])"
)
CLAUSES = re.compile(r"[,;:。!?\n]|\.\s|(?<![a-z])-(?![a-z])")
_LINK = re.compile(r"^\W*(?:so|and|also|then|but)\b")
_LATIN = re.compile(r"[a-z][a-z'-]*")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
THANKS_CHARS = 60
_IDLE_ROUTES = (SMALLTALK, STATEMENT, ELSEWHERE)
_FAVOUR = re.compile(
    r"\W*(?:所以)?(?:能否|能不能|可以|可否|可不可以)(?:请|麻烦|帮|劳烦)"
    r"|\W*(?:so )?(?:can|could|would|will) you\b"
)
_EDGES = " ,.;:!?。"
_MARKED = re.compile(r"[?吗]\s*$")
_BID = re.compile(
    r"[把给帮请]|一[下份条]|改[掉成为]|[吧哈下]$|[出写做起弄交打递][来去上好个份一包]"
)

_WORDS = re.compile(r"[a-z0-9][a-z0-9'-]*|[\u3400-\u9fff]{1,2}")
_LETTERS = re.compile(r"[a-z]{2}|[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the message and what it surely is; `kind` is `unclear` when that is nothing.

    Not `firm`: by its form, while its words speak for something else. `told` is what to say where
    that is known already; `idle` pieces surely ask for nothing, and `elsewhere` ones for what
    nobody here does; `asks_which` ones for one of a playbook's requests.
    """

    text: str
    kind: str
    why: str
    playbook: str = ""
    request: str = ""
    condition: str = ""
    confidence: float = 1.0
    lookup: Lookup | None = None
    more: tuple[Lookup, ...] = ()
    joint: str = "end"
    then: bool = False
    start: int = 0
    end: int = 0
    about_run: bool = False
    card: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    told: str = ""
    firm: bool = True
    idle: bool = False
    holds_off: bool = False
    elsewhere: bool = False
    asks_which: bool = False
    candidates: tuple[Candidate, ...] = ()

    @property
    def work(self) -> bool:
        """It is most likely work, but not surely."""
        return self.kind == "unclear" and any(c.kind == "workflow" for c in self.candidates[:1])

    @property
    def wants(self) -> bool:
        """The piece surely wants something of the bot."""
        return self.kind in ("workflow", "qa_query", "card_reply")


@dataclass(frozen=True, slots=True)
class _Said:
    """A piece as it is looked at: folded, without quotations; and without politeness."""

    text: str
    said: str
    bare: str
    polite: bool
    scores: Scores

    @property
    def route(self) -> str:
        return max(self.scores.routes, key=lambda name: self.scores.routes[name])

    @property
    def score(self) -> float:
        return self.scores.routes[self.route]

    @property
    def beyond(self) -> float:
        """How far it is from what asks for nothing here."""
        scores = self.scores.routes
        return self.score - max(scores.get(STATEMENT, 0.0), scores.get(ELSEWHERE, 0.0))

    @property
    def aside(self) -> float:
        """How far it is from the other playbooks."""
        beside = (SMALLTALK, STATEMENT, ELSEWHERE, QUESTION, self.route)
        others = [s for name, s in self.scores.routes.items() if name not in beside]
        return self.score - max(others, default=0.0)

    @property
    def margin(self) -> float:
        others = [s for name, s in self.scores.routes.items() if name != self.route]
        return self.score - max(others, default=0.0)


def judge(text: str, context: RouteContext, *, whole: bool = True) -> Piece:
    """The piece, by the first rule that is sure. `whole`: no connective parts it."""
    if smalltalk(text):
        return Piece(text, "smalltalk", "a greeting or thanks")
    if not _LETTERS.search(fold(text)) and not subject_ids(text):
        return Piece(text, "unclear", "there is no word in it", confidence=0.0)
    said = _look_at(text, context)
    if context.running and wording.after_run(said.said):
        return Piece(text, "qa_query", "it asks after what goes on here", about_run=True)
    # A polite question may ask for work, which a look-up would miss.
    found = None if said.polite else _look_up(said, context)
    answer = None if found else address(text, context)
    if answer and answer.sure:
        return Piece(text, "card_reply", "values for an open form", card=answer.card)
    if found is None and wording.hinged(said.said):
        return _hanging(said, context)
    found = found or _held(said, context)
    if found:
        return found
    if len(_WORDS.findall(said.bare)) < 2 and not wording.writes(said.said):
        return _fragment(said, context)
    return (
        _workflow(said, context, whole=whole)
        or _look_up(said, context)
        or _question(said, context)
        or _rest(said, context)
    )


def _look_at(text: str, context: RouteContext) -> _Said:
    said = fold(wording.unquoted(text))
    bare, polite = plea(said)
    bare = context.table.mended(bare)
    # The favour may be asked for in the end, after what it is about.
    polite = polite or any(_FAVOUR.match(clause) for clause in CLAUSES.split(said)[1:])
    cues = [cue for tool in context.tools for cue in tool.cues]
    # A value that is to be another is what the piece is about.
    spare = bare if wording.changes(bare) else without_values(bare, [*cues, "bp", "ae"])
    return _Said(text, said, bare, polite, context.table.classifier.scores(spare))


def _held(said: _Said, context: RouteContext) -> Piece | None:
    """A piece that forbids, takes back or only quotes: surely nothing is to be started for it."""
    quoted = fold(said.text) != said.said and len(said.said.strip()) < 0.6 * len(said.text.strip())
    if quoted and not wording.asks(said.said):
        return _idle(said, "most of it is quoted")
    if wording.asks(said.said):
        return None
    off = wording.retracts(said.said) or any(map(wording.forbids, CLAUSES.split(said.said)))
    if off and (wording.retracts(said.said) or not _bids(said, context.table, wording.denies)):
        return replace(_idle(said, "it holds off"), holds_off=True)
    if wording.denies(said.said) and not _bids(said, context.table, wording.denies):
        return _idle(said, "it tells of what is not")
    return None


def _hanging(said: _Said, context: RouteContext) -> Piece:
    """Work under a condition, or what else hangs on one; whether it holds is not ours to say."""
    for condition, rest in parted(said.text, context.table.heads):
        if wording.hinged(fold(rest)):
            continue
        # The person is asked before it starts, so that a near guess is enough.
        work = _workflow(_look_at(rest, context), context, least=HANGING, whole=False)
        if work:
            why = f"if {condition!r}: {work.why}"
            return replace(work, text=said.text, condition=condition, why=why)
    if wording.asks(said.bare) and not said.polite:
        return Piece(said.text, "qa_query", "it asks", confidence=0.5)
    return Piece(said.text, "unclear", "it hangs on a condition", confidence=0.0)


def _fragment(said: _Said, context: RouteContext) -> Piece:
    """A single word is no request; what it may be about is offered."""
    near = context.table.candidates(said.scores, least=LEAST)
    candidates = tuple(c for c in near if c.kind == "workflow")
    return Piece(said.text, "unclear", "a single word", confidence=0.0, candidates=candidates)


def _idle(said: _Said, why: str) -> Piece:
    firm = said.route in _IDLE_ROUTES
    return Piece(said.text, "unclear", why, confidence=0.0, idle=True, firm=firm)


def _workflow(
    said: _Said, context: RouteContext, *, least: float = START, whole: bool = False
) -> Piece | None:
    route = context.table.playbook(said.route)
    if route is None:
        return None
    if _fault(said, context.table, least=least):
        return _by_clause(said, context) if whole else None
    return _work(said, said, context, which=least == START)


def _work(said: _Said, judged: _Said, context: RouteContext, *, which: bool = True) -> Piece:
    """The piece as work that `judged` (it, or a clause of it) asks for.

    Where a request that can be done is as near as one that cannot, the person is asked `which`.
    """
    playbook = judged.route
    groups = _groups(judged, playbook, context)
    why = _why(judged, groups[0][0], context.table)
    near = [name for name, score in groups if score > groups[0][1] - GROUP_MARGIN]
    able = {context.table.able(name) for name in near}
    if which and len(able) > 1:
        offered = tuple(
            Candidate(kind="workflow", playbook=playbook, request=name.partition("/")[2], score=s)
            for name, s in groups[:3]
        )
        why = f"{why}; {', '.join(near)} are as near"
        return Piece(said.text, "unclear", why, confidence=0.0, candidates=offered, asks_which=True)
    return Piece(
        said.text,
        "workflow",
        why,
        playbook=playbook,
        request=groups[0][0].partition("/")[2],
        confidence=round(min(1.0, judged.score), 2),
    )


def _by_clause(said: _Said, context: RouteContext) -> Piece | None:
    """The work that one clause asks for; the others only say more about it."""
    clauses = [clause for clause in CLAUSES.split(said.said) if clause.strip()]
    off = wording.retracts(said.said) or any(map(wording.forbids, CLAUSES.split(said.said)))
    if len(clauses) < 2 or wording.reports(said.said) or off:
        return None
    for clause in clauses:
        alone = _look_at(clause, context)
        route = context.table.playbook(alone.route)
        nearest = said.scores.routes[alone.route] >= NEAR
        if route and nearest and not _fault(alone, context.table, least=CLAUSE):
            return _work(said, alone, context)
    return None


def _fault(said: _Said, table: RouteTable, *, least: float = START) -> str:
    """What speaks against a workflow; "" when nothing does. In the order of what they cost."""
    if said.score < least:
        return f"its score {said.score:.2f} is below {least}"
    if least != HANGING and said.aside < ASIDE:
        return f"another playbook is within {said.aside:.2f}"
    if said.margin < MARGIN or said.beyond < (MARGIN if least == HANGING else AWAY):
        return f"another route is within {min(said.margin, said.beyond):.2f}"
    anchors = table.anchors(said.bare, said.route) if least != HANGING else said.bare
    if not anchors:
        return "nothing in it is of that work alone"
    if len(anchors) < SETTLED and (strange := table.foreign(said.bare)):
        return f"{', '.join(strange[:3])} is for work that nobody here does"
    if said.scores.known < KNOWN:
        return f"only {said.scores.known:.2f} of it is known from examples"
    if wording.reports(said.said):
        return "it gives what somebody else said"
    if wording.hangs(said.said):
        return "it hangs on a condition"
    if any(map(wording.forbids, CLAUSES.split(said.said))):
        return "it holds something off"
    if not _bids(said, table, lambda clause: wording.tells(clause) or wording.denies(clause)):
        return "nothing in it is bidden"
    if wording.asks(said.bare) and not said.polite:
        return "it asks"
    return ""


def _bids(said: _Said, table: RouteTable, unless: Callable[[str], bool]) -> bool:
    """One of its clauses bids: by its first word, a cue, or a turn of phrase that asks for work."""
    for clause in CLAUSES.split(table.mended(said.said)):
        bare, _ = plea(_LINK.sub("", clause))
        chinese = bool(_CHINESE.search(bare))
        bidden = table.begins(bare) or (
            chinese and (_BID.search(bare) or cue_found(bare, table.cues))
        )
        if bidden and not unless(bare):
            return True
    return False


def _groups(said: _Said, playbook: str, context: RouteContext) -> list[tuple[str, float]]:
    """The playbook's requests with their scores, the nearest first.

    The clause that bids counts as much as the whole, whose values may point anywhere.
    """
    scores = said.scores.groups
    bidding = next((c for c in CLAUSES.split(said.said) if context.table.begins(c)), "")
    if bidding and bidding.strip() != said.said.strip():
        head = _look_at(bidding, context).scores.groups
        scores = {name: (score + head[name]) / 2 for name, score in scores.items()}
    own = [(name, score) for name, score in scores.items() if name.startswith(f"{playbook}/")]
    return sorted(own, key=lambda item: -item[1])


def _why(said: _Said, group: str, table: RouteTable) -> str:
    cues = cue_found(said.bare, table.cues)
    told = f"{group} {said.score:.2f}, next {said.score - said.margin:.2f}"
    return f"{told}; says {', '.join(cues[:3])}" if cues else told


def _look_up(said: _Said, context: RouteContext) -> Piece | None:
    """A question that look-ups answer: one, or one for each of several subjects."""
    found = find(said.text, context.tools, today=context.today, recent=context.recent)
    if found:
        return Piece(said.text, "qa_query", found[1], lookup=found[0])
    listed = _LISTED.search(said.text)
    if listed is None:
        return None
    texts = [
        f"{said.text[: listed.start()]}{who}{said.text[listed.end() :]}"
        for who in subject_ids(listed[0])
    ]
    each = [find(text, context.tools, today=context.today) for text in texts]
    every = [one for one in each if one]
    if len(every) < len(each) or any(len(subject_ids(text)) > 1 for text in texts):
        return None
    lookups = [lookup for lookup, _ in every]
    why = "; ".join(reason for _, reason in every)
    return Piece(said.text, "qa_query", why, lookup=lookups[0], more=tuple(lookups[1:]))


def _question(said: _Said, context: RouteContext) -> Piece | None:
    """A question that no look-up answers: reading cannot do harm, so its form is enough."""
    asks = wording.asks(said.bare) and not said.polite
    close = said.route == QUESTION and said.score >= ASKED and said.margin >= MARGIN / 2
    if wording.shows(said.bare) and said.score - said.scores.routes[QUESTION] < SHOWN:
        close = True
    if not (asks or close):
        return None
    if wording.reports(said.said) and not (asks and _MARKED.search(said.said)):
        return None
    if asks and said.route in (SMALLTALK, ELSEWHERE) and said.score >= START:
        return None
    why = "it asks" if asks else f"like a question ({said.score:.2f})"
    confidence = max(said.scores.routes.get(QUESTION, 0.0), 0.5 if asks else 0.0)
    near = said.route == QUESTION or said.scores.routes[QUESTION] >= FIRM
    # Behind its commas may stand what nobody saw.
    firm = near and len([c for c in CLAUSES.split(said.said) if c.strip(_EDGES)]) == 1
    return Piece(said.text, "qa_query", why, confidence=round(min(1.0, confidence), 2), firm=firm)


def _rest(said: _Said, context: RouteContext) -> Piece:
    """Talk, things told, work that nobody here does; or what may have been meant."""
    if said.route == SMALLTALK and said.score >= START and said.margin >= MARGIN:
        return Piece(said.text, "smalltalk", f"like talk ({said.score:.2f})")
    if thanks(said.text) and len(said.text) <= THANKS_CHARS and said.route in _IDLE_ROUTES:
        return Piece(said.text, "smalltalk", "it says thanks")
    elsewhere = said.route == ELSEWHERE and said.score >= ELSE
    tells = any(map(wording.tells, CLAUSES.split(said.said)))
    bids = said.polite or wording.pleads(said.said) or _bids(said, context.table, wording.tells)
    if wording.reports(said.said) or (tells and not bids and not elsewhere):
        return _idle(said, "it tells of something")
    statement = said.score >= START and said.margin >= MARGIN and said.route == STATEMENT
    if statement and not bids:
        return _idle(said, f"it asks for nothing ({said.score:.2f})")
    candidates = context.table.candidates(said.scores, least=LEAST)
    if elsewhere:
        candidates = ()
    route = context.table.playbook(said.route)
    why = f"nearest is {said.route} ({said.score:.2f})"
    if route:
        why = f"{why}; {_fault(said, context.table)}"
    return Piece(
        said.text, "unclear", why, confidence=0.0, candidates=candidates, elsewhere=elsewhere
    )

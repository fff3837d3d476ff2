"""Looking at a piece of a message: what it says, how near that is to what, and what it bids."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.text import wording
from engine.text.language import HAN
from engine.text.values import remove_values
from engine.understanding.context import RouteContext
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.learned.classifier import DECIMALS, Scores
from engine.understanding.learned.lessons import ELSEWHERE, QUESTION, SMALLTALK, STATEMENT
from engine.understanding.learned.politeness import strip_politeness
from engine.understanding.learned.table import RouteTable
from engine.understanding.lookups.cues import index_cues
from engine.understanding.lookups.find import cue_found

_CLAUSE_END = re.compile(
    r"[,;:。!?\n]|(?<!\bv)(?<!\bvs)(?<!\b[md]r)(?<!\bms)(?<!\bmrs)\.\s|(?<![a-z])-(?![a-z])"
)

_LINK = re.compile(r"^\W*(?:(?:so|and|also|then|but)\b|(?:但是?|不过|可是|然后))")
_FAVOUR = re.compile(
    r"\W*(?:所以)?(?:能否|能不能|可以|可否|可不可以)(?:请|麻烦|帮|劳烦)"
    r"|\W*(?:so )?(?:can|could|would|will) you\b"
)
_FAVOUR_MARK = re.compile(r"(?<![什怎多])[吗么]\s*\??(?=[,。]|$)|\?")
_BID = re.compile(
    r"[把给帮请]|一[下份条]|改[掉成为]|[吧哈下]$|[出写做起弄交打递][来去上好个份一包]"
)


_TOKENS = re.compile(r"[a-z][a-z'-]*|[\u3400-\u9fff]{2}")
_TOLD = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|will|would|should|could|can|do|does|did|i|we|he|she"
    r"|they|you|it|my|our|his|her|their|got)\b|'|[我他她你您了过在是有]"
)
TERSE = 12
"""So many words at most ask by their brevity."""


@dataclass(frozen=True, slots=True)
class ScoredPiece:
    """A piece as it is looked at: marked, folded, without quotations; and without politeness.

    `known` is `bare` in the form that the examples know best, the one that is scored: they are
    learned with what lists name as it is written, be that an id or a name.
    `quotes`: something in it is quoted.
    """

    text: str
    folded: str
    bare: str
    polite: bool
    scores: Scores
    quotes: bool = False
    known: str = ""

    @property
    def route(self) -> str:
        """The nearest route."""
        return self.scores.nearest

    @property
    def score(self) -> float:
        """How near that is."""
        return self.scores.routes[self.route]

    @property
    def margin_to_idle(self) -> float:
        """How far it is from what asks for nothing here."""
        scores = self.scores.routes
        return self._ahead_of([scores.get(STATEMENT, 0.0), scores.get(ELSEWHERE, 0.0)])

    @property
    def margin_to_playbooks(self) -> float:
        """How far it is from the other playbooks."""
        beside = {SMALLTALK, STATEMENT, ELSEWHERE, QUESTION, self.route}
        return self._ahead_of([s for n, s in self.scores.routes.items() if n not in beside])

    @property
    def margin(self) -> float:
        """How far it is from the second nearest."""
        own = self.route
        return self._ahead_of([s for n, s in self.scores.routes.items() if n != own])

    def _ahead_of(self, others: Sequence[float]) -> float:
        return round(self.score - max(others, default=0.0), DECIMALS)


@lru_cache(maxsize=1024)
def clauses_of(said: str) -> tuple[str, ...]:
    """The clauses of a folded text, without what parts them."""
    return tuple(_CLAUSE_END.split(said))


def score_piece(text: str, context: RouteContext, *, polite: bool = False) -> ScoredPiece:
    """The text made ready, and scored; `polite` where it was asked for as a favour."""
    said, taught = context.plain(text), context.taught(text)
    every = (said, taught) if said == taught else (said, taught, context.taught_by_id(text))
    polite = polite or asks_for_favour(said)
    forms = [_bare(each, context, polite=polite) for each in dict.fromkeys(every)]
    scores = [_score(each, context) for each in forms]
    best = max(range(len(forms)), key=lambda at: scores[at].known)
    return ScoredPiece(
        text,
        said,
        forms[0],
        polite,
        scores[best],
        wording.unquoted(text) != text,
        forms[best],
    )


def _bare(said: str, context: RouteContext, *, polite: bool) -> str:
    bare = strip_politeness(said)[0]
    # The question of a favour is none, wherever its mark stands.
    return context.table.correct_typos(_FAVOUR_MARK.sub("", bare) if polite else bare)


def _score(bare: str, context: RouteContext) -> Scores:
    cues = index_cues(context.tools).every
    # A value that is to be another is what the piece is about.
    spare = bare if wording.changes(bare) else remove_values(bare, cues)
    return context.table.classifier.scores(spare)


def asks_for_favour(said: str) -> bool:
    """A folded text asks for a favour, in its question or after what that is about."""
    return strip_politeness(said)[1] or any(
        _FAVOUR.match(clause) for clause in clauses_of(said)[1:]
    )


def forbids(scored: ScoredPiece) -> bool:
    """One of its clauses holds something off."""
    clauses = clauses_of(scored.folded)
    return any(wording.forbids(_LINK.sub("", clause)) for clause in clauses)


def holds_off(scored: ScoredPiece) -> bool:
    """It forbids something, or takes it back."""
    return forbids(scored) or wording.retracts(scored.folded)


def is_terse(scored: ScoredPiece) -> bool:
    """A few words and a number that name work: nobody acts in it, and no time is told."""
    if not any(letter.isdigit() for letter in scored.bare):
        return False
    short = len(_TOKENS.findall(scored.bare)) <= TERSE
    if not short or _TOLD.search(scored.bare) or wording.asks(scored.bare):
        return False
    return not any(mark.role != "reason" for mark in GRAMMAR.marks(scored.bare))


def bids(scored: ScoredPiece, table: RouteTable, unless: Callable[[str], bool]) -> bool:
    """One of its clauses bids: by its first word, a cue, or a turn of phrase that asks for work."""
    for clause in clauses_of(table.correct_typos(scored.folded)):
        bare, _ = strip_politeness(_LINK.sub("", clause))
        chinese = bool(HAN.search(bare))
        bidden = table.begins_request(bare) or (
            chinese and (_BID.search(clause) or cue_found(bare, table.cues))
        )
        if bidden and not unless(bare):
            return True
    return False

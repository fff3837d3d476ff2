"""Each threshold of the router, held between the last score on one side and the first on the other.

Texts are real, their scores are given. `make mutate` moves each threshold: a test here must fail.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from engine.understanding.context import RouteContext
from engine.understanding.learned.classifier import DECIMALS, Scores
from engine.understanding.learned.lessons import ELSEWHERE, QUESTION, SMALLTALK, STATEMENT
from engine.understanding.learned.table import RouteTable
from engine.understanding.pieces import judge, work
from engine.understanding.pieces.scoring import ScoredPiece
from tests.engine.understanding.routes import CONTEXT, TABLE
from tests.fakes.tables import table

ROUTE, OTHER = (route.playbook for route in TABLE.routes)
TICK = 10**-DECIMALS
WORK = "record today's visit"
VISIT, CORRECTION = f"{ROUTE}/visit-entry", f"{ROUTE}/audit-export"
GROUPS = [f"{r.playbook}/{request.id}" for r in TABLE.routes for request in r.requests]


def said(
    text: str = WORK, *, known: float = 1.0, like: float | None = None, **near: float
) -> ScoredPiece:
    """A text that is so near to `work`, `other`, and the routes beside the playbooks.

    It is as near to one request as to its playbook, unless `like` says how near.
    """
    names = {"work": ROUTE, "other": OTHER}
    routes = dict.fromkeys((ROUTE, OTHER, QUESTION, SMALLTALK, STATEMENT, ELSEWHERE), 0.0)
    routes |= {names.get(name, name): score for name, score in near.items()}
    groups = dict.fromkeys(TABLE.lessons.question_groups | set(GROUPS), 0.0)
    groups[VISIT] = near.get("work", 0.0) if like is None else like
    return ScoredPiece(text, text, text, False, Scores(routes, groups, known), known=text)


def may_start(one: ScoredPiece, *, least: float = work.START) -> bool:
    return work.work_fault(one, TABLE, least=least) == ""


def test_a_score_is_told_with_as_many_digits_as_tell_it_from_what_is_needed() -> None:
    for score, told in ((0.3, "0.30"), (0.519, "0.519"), (work.START - TICK, "0.519999")):
        assert work.work_fault(said(work=score), TABLE) == f"its score {told} is below 0.52"


class GivenScores(RouteTable):
    """A table that gives the scores of certain texts, and of no others."""

    def __init__(self, scores: Mapping[str, Scores]) -> None:
        self.routes, self.talk, self.cues = TABLE.routes, TABLE.talk, TABLE.cues
        self._tools, self.entity_kinds = TABLE._tools, TABLE.entity_kinds
        self.day_cues, self._given = TABLE.day_cues, scores

    @property
    def classifier(self) -> "GivenScores":  # type: ignore[override]
        return self

    def scores(self, text: str) -> Scores:
        return self._given[text]


def by_clause(whole: float, clause: float) -> bool:
    """Work of a sentence whose second clause asks for it."""
    text = "the weather, record today's visit"
    weather, own = said(elsewhere=1.0).scores, said(work=clause).scores
    table = GivenScores({"the weather": weather, WORK: own, f" {WORK}": own})
    return work._by_clause(said(text, work=whole), replace(CONTEXT, table=table)) is not None


def by_one_of(clauses: int) -> bool:
    """Work of a sentence of so many clauses, the last of which asks for it."""
    weather, own = said(elsewhere=1.0).scores, said(work=1.0).scores
    scores = {"the weather": weather, " the weather": weather, f" {WORK}": own, WORK: own}
    text = ", ".join(["the weather"] * (clauses - 1) + [WORK])
    context = replace(CONTEXT, table=GivenScores(scores))
    return work._by_clause(said(text, work=work.NEAR), context) is not None


def asked_which(second: float) -> bool:
    """Whether the person is asked which of two requests is meant, one of which cannot be done."""
    one = said(work=1.0)
    ways = {name: TABLE.phases_of(name) for name in GROUPS if name.startswith(f"{ROUTE}/")}
    later = next(name for name, way in ways.items() if way is None)
    scores = replace(one.scores, groups={**one.scores.groups, VISIT: 1.0, later: second})
    return (
        work._as_work(
            replace(one, scores=scores), replace(one, scores=scores), CONTEXT
        ).unclear_kind
        == "asks_which"
    )


def begun_by_its_cue(score: float) -> bool:
    """Whether the request begins whose cue a text has, while another is nearer to it."""
    one = said(work=1.0)
    groups = {**one.scores.groups, VISIT: score, CORRECTION: score + 0.15}
    scored = replace(one, scores=replace(one.scores, groups=groups))
    return work._as_work(scored, scored, CONTEXT).kind == "workflow"


def is_question(one: ScoredPiece) -> bool:
    return judge._judge_question(one, CONTEXT) is not None


def is_firm(one: ScoredPiece) -> bool:
    found = judge._judge_question(one, CONTEXT)
    assert found
    return found.firm


def rest(one: ScoredPiece) -> str:
    """What is left to be said of a piece."""
    piece = judge._judge_rest(one, CONTEXT)
    return piece.unclear_kind if piece.unclear_kind in ("elsewhere", "idle") else piece.kind


def offered(score: float) -> bool:
    one = said("the blue elephant")
    scores = replace(one.scores, groups={**one.scores.groups, VISIT: score})
    piece = judge._judge_rest(replace(one, scores=scores), CONTEXT)
    return [c.request for c in piece.candidates] == ["visit-entry"]


def thanked(length: int) -> bool:
    text = f"thanks {'x' * (length - 7)}"
    assert len(text) == length
    return rest(said(text, smalltalk=0.3)) == "smalltalk"


ABOVE: list[tuple[str, float, Callable[[float], bool]]] = [
    ("START: a request", 0.52, lambda s: may_start(said(work=s))),
    ("TALK: that asks", 0.45, lambda s: not is_question(said("what is it?", smalltalk=s))),
    ("TALK", 0.45, lambda s: rest(said("the blue elephant", smalltalk=s)) == "smalltalk"),
    ("TALK: a statement", 0.45, lambda s: rest(said("the elephant", statement=s)) == "idle"),
    ("HANGING", 0.35, lambda s: may_start(said(work=s), least=work.HANGING)),
    ("CLAUSE", 0.6, lambda s: by_clause(0.44, s)),
    ("NEAR", 0.3, lambda s: by_clause(s, 1.0)),
    ("KNOWN", 0.55, lambda s: may_start(said(work=1.0, known=s))),
    ("WELL_KNOWN", 0.7, lambda s: may_start(said(work=1.0, known=s, like=0.34))),
    ("LIKE_ONE", 0.35, lambda s: may_start(said(work=1.0, known=0.69, like=s))),
    ("GROUP_MARGIN", 1 - 0.09 + TICK, asked_which),
    ("FAINT", 0.25, begun_by_its_cue),
    ("ASKED", 0.35, lambda s: is_question(said("the elephant", qa_query=s))),
    ("FIRM", 0.4, lambda s: is_firm(said("what is it?", work=1.0, qa_query=s))),
    (
        "SHOWN",
        0.7 + TICK,
        lambda s: is_question(said("show me the elephant", work=1.0, qa_query=s)),
    ),
    ("ELSE", 0.25, lambda s: rest(said("the elephant", elsewhere=s)) == "elsewhere"),
    ("LEAST", 0.2, offered),
]
BELOW: list[tuple[str, float, Callable[[float], bool]]] = [
    ("ASIDE", 0.75, lambda s: may_start(said(work=1.0, other=s))),
    ("MARGIN", 0.85, lambda s: may_start(said(work=1.0, qa_query=s))),
    ("MARGIN: hanging", 0.85, lambda s: may_start(said(work=1.0, statement=s), least=work.HANGING)),
    ("MARGIN: half", 0.925, lambda s: is_question(said("the elephant", qa_query=1.0, work=s))),
    (
        "MARGIN: talk",
        0.85,
        lambda s: rest(said("the elephant", smalltalk=1.0, work=s)) != "unclear",
    ),
    ("AWAY", 0.65, lambda s: may_start(said(work=1.0, statement=s))),
]


@table(("edge", "holds"), [row[1:] for row in ABOVE], ids=[r[0] for r in ABOVE])
def test_a_score_at_the_threshold_is_enough(edge: float, holds: Callable[[float], bool]) -> None:
    assert holds(round(edge, DECIMALS))
    assert not holds(round(edge - TICK, DECIMALS))


@table(("edge", "holds"), [row[1:] for row in BELOW], ids=[r[0] for r in BELOW])
def test_another_score_as_far_behind_as_the_threshold_does_not_disturb(
    edge: float, holds: Callable[[float], bool]
) -> None:
    assert holds(round(edge, DECIMALS))
    assert not holds(round(edge + TICK, DECIMALS))


def test_a_strange_word_weighs_beside_one_word_of_the_work_and_not_beside_two() -> None:
    for text, anchors in (("录机票访视", 1), ("weight visit 机票", 2)):
        assert (len(TABLE.anchor_words(text, ROUTE)), TABLE.foreign_words(text)) == (
            anchors,
            ("机票",),
        )
    assert work._words_against(said("录机票访视", work=1.0), TABLE)
    assert not work._words_against(said("weight visit 机票", work=1.0), TABLE)


def test_one_of_eight_clauses_may_ask_for_work_and_of_nine_none() -> None:
    assert work.MOST_CLAUSES == 8
    assert by_one_of(8)
    assert not by_one_of(9)


def test_thanks_of_sixty_characters_are_thanks_and_longer_ones_may_be_more() -> None:
    assert thanked(60)
    assert not thanked(61)


def test_the_table_that_gives_scores_is_otherwise_the_real_one(context: RouteContext) -> None:
    given = GivenScores({})
    assert given.request_verbs == context.table.request_verbs
    assert given.begins_request(WORK) == context.table.begins_request(WORK)

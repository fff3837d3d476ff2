"""Each number by which pieces are parted, joined, held back and offered, at its edge.

`make mutate` moves each of them: a test here, or one of the thresholds, must fail.
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from engine.frames.intents import Candidate
from engine.understanding.context import Piece, RouteContext
from engine.understanding.learned.classifier import Scores
from engine.understanding.pieces import (
    boundaries,
    joining,
    message,
    offering,
    parting,
    telling,
    work,
)
from engine.understanding.pieces.holding import beside
from engine.understanding.pieces.scoring import is_terse
from engine.understanding.pieces.within import WorkWithin, rank_by_words
from tests.engine.understanding.routes import CONTEXT
from tests.engine.understanding.test_thresholds import (
    CORRECTION,
    GROUPS,
    ROUTE,
    TICK,
    VISIT,
    WORK,
    GivenScores,
    said,
)

TERSE_WORK = "visit weight 61"


class GivenWords(GivenScores):
    """A table in which the words of every text weigh the same."""

    def __init__(self, scores: Mapping[str, Scores], shares: Mapping[str, float]) -> None:
        super().__init__(scores)
        self._shares = shares

    def word_shares(self, said: str) -> Mapping[str, float]:
        return self._shares


def knowing(text: str, shares: Mapping[str, float]) -> RouteContext:
    scores = {text: said(text).scores, CONTEXT.plain(text): said(text).scores}
    return replace(CONTEXT, table=GivenWords(scores, shares))


def asked(group: str, score: float) -> Candidate:
    playbook, _, request = group.partition("/")
    return Candidate(kind="workflow", playbook=playbook, request=request, score=score)


def offered(text: str, share: float, *near: Candidate) -> bool:
    """Whether the visit is offered by the share of its words, beside what is near."""
    piece = Piece(text, "unclear", "", candidates=near, end=len(text))
    found = offering._offer_by_words(piece, text, (), knowing(text, {VISIT: share}))
    return VISIT in {f"{c.playbook}/{c.request}" for c in found.candidates}


def test_twelve_words_and_a_number_are_few_and_thirteen_are_not() -> None:
    twelve = "toner " * 12 + "63"
    assert is_terse(said(twelve))
    assert not is_terse(said(f"toner {twelve}"))


def test_a_few_words_begin_work_from_their_own_score_on_and_are_never_surer_than_a_bid() -> None:
    assert work.work_fault(said(TERSE_WORK, work=0.6), CONTEXT.table) == ""
    short = work.work_fault(said(TERSE_WORK, work=0.6 - TICK), CONTEXT.table)
    assert short == "nothing in it is bidden"
    for text, confidence in ((TERSE_WORK, 0.65), (WORK, 1.0)):
        one = said(text, work=1.0)
        one = replace(one, scores=replace(one.scores, groups={**one.scores.groups, VISIT: 1.0}))
        assert work._as_work(one, one, CONTEXT).confidence == confidence


@pytest.mark.parametrize(("score", "firm"), [(0.45, True), (0.45 - TICK, False)])
def test_what_hangs_on_something_is_surely_that_work_from_a_score_on(
    score: float, *, firm: bool
) -> None:
    within = WorkWithin(asked(VISIT, score), 0, 5)
    piece = Piece("visit if Wu agrees", "unclear", "")
    found = offering._as_conditional_within(piece.text, piece, within, CONTEXT, firm=True)
    assert found.firm is firm


def test_two_numbers_may_be_the_values_of_work_that_is_hardly_near_and_one_is_not() -> None:
    near = {VISIT: 0.2}
    for text, likely in (("61 and 72", (ROUTE, "visit-entry")), ("61 and more", None)):
        scores = replace(said(text).scores, groups={**said(text).scores.groups, **near})
        table = GivenScores({text: scores, "and": scores, "and more": scores, "": scores})
        assert message._likely_work(text, replace(CONTEXT, table=table)) == likely


def test_eight_words_without_a_name_only_bid_and_nine_say_more() -> None:
    eight = "aa bb cc dd ee ff gg hh"
    assert joining._is_bare(Piece(eight, "workflow", ""), CONTEXT)
    assert not joining._is_bare(Piece(f"{eight} ii", "workflow", ""), CONTEXT)


def test_ten_is_an_amount_and_nine_counts_things() -> None:
    assert joining._is_amount("10")
    assert not joining._is_amount("9")
    assert joining._is_amount("9.50")


def test_no_other_wish_is_looked_for_in_more_than_three_hundred_letters() -> None:
    long = f"{WORK}, ".ljust(300, "x")
    assert list(parting.find_wishes(long, CONTEXT))
    assert not list(parting.find_wishes(f"{long}x", CONTEXT))


def test_sixteen_stretches_of_a_piece_are_looked_at() -> None:
    sixteenth, seventeenth = f"{'aa, ' * 15}{WORK}", f"{'aa, ' * 16}{WORK}"
    assert list(parting.find_wishes(sixteenth, CONTEXT))
    assert not list(parting.find_wishes(seventeenth, CONTEXT))


def test_a_stretch_ends_before_one_of_the_next_two_joints_or_at_the_end_of_its_clause() -> None:
    text = "aa and bb and cc and dd"
    ends = [end for start, end in parting._stretches(text, CONTEXT) if start == 0]
    assert [text[:end].strip() for end in ends] == ["aa", "aa and bb"]


def test_words_of_thirty_letters_beside_a_boundary_are_seen_whole() -> None:
    for length, seen in ((30, 30), (31, 30)):
        text = f"{'a' * length}, {'b' * length}"
        (match,) = [m for m in boundaries._BOUNDARY.finditer(text) if m["weak"]]
        assert boundaries._around(text, match) == f"{'a' * seen}, {'b' * seen}"


def test_a_word_of_one_request_alone_weighs_half_as_much_as_being_surely_near() -> None:
    text = "the blue elephant"
    context = knowing(text, {VISIT: 1.0})
    for score, first in ((0.5 + TICK, CORRECTION), (0.5 - TICK, VISIT)):
        every = (asked(CORRECTION, score), asked(VISIT, 0.0))
        ranked = rank_by_words(every, text, context, least=2.0)
        assert f"{ranked[0].playbook}/{ranked[0].request}" == first


@pytest.mark.parametrize(("text", "least"), [("the blue elephant", 0.5), ("elephant P003", 0.1)])
def test_what_the_words_weigh_from_which_on_work_is_offered(text: str, least: float) -> None:
    assert offered(text, least)
    assert not offered(text, least - TICK)


def test_beside_work_that_is_near_its_words_have_to_be_its_own() -> None:
    text = "the blue elephant"
    assert offered(text, 1.0, asked(CORRECTION, 0.45))
    assert not offered(text, 1.0 - TICK, asked(CORRECTION, 0.45))
    assert offered(text, 1.0 - TICK, asked(CORRECTION, 0.45 - TICK))


def test_three_meanings_are_offered() -> None:
    text = "the blue elephant"
    shares = dict.fromkeys(GROUPS[:4], 1.0)
    piece = Piece(text, "unclear", "", end=len(text))
    found = offering._offer_by_words(piece, text, (), knowing(text, shares))
    assert len(found.candidates) == 3


@pytest.mark.parametrize("most", [16, 60])
def test_what_holds_back_stands_in_the_first_letters_of_what_is_beside(most: int) -> None:
    held = {16: beside.NEAR_START, 60: beside.MOST_HEADING}[most]
    near = Piece(f"{'x' * (most - 2)} if Wu agrees", "unclear", "")
    far = Piece(f"x{near.text}", "unclear", "")
    assert beside._mark_in(near, CONTEXT, ("hang",), most=held)
    assert not beside._mark_in(far, CONTEXT, ("hang",), most=held)


@pytest.mark.parametrize(
    ("bid", "joined"), [("put it all in", True), ("put it all in those", False)]
)
def test_a_bid_of_few_words_belongs_to_what_is_told_before_it(bid: str, joined: bool) -> None:
    assert len(bid.split()) - joining.BID_TOKENS == (0 if joined else 1)
    text = f"P003 had a headache on 3 May. Please {bid}"
    told = Piece(text[:28], "unclear", "", confidence=0.0, end=28)
    own = Piece(text[30:], "unclear", "", confidence=0.0, start=30, end=len(text))
    made = joining.join_continuations(text, (told, own), CONTEXT)
    assert len(made) == (1 if joined else 2)


def test_three_meanings_of_what_tells_of_trouble_are_offered() -> None:
    class Reporting(GivenScores):
        trouble_groups = frozenset((VISIT,))

    text = "mend it, it is offline"
    scores = {text: said(text).scores, CONTEXT.plain(text): said(text).scores}
    context = replace(CONTEXT, table=Reporting(scores))
    near = (asked(CORRECTION, 0.1), asked("other/one", 0.1), asked("other/two", 0.1))
    piece = Piece(text, "unclear", "", candidates=near, end=len(text))
    found = telling.offer_report(piece, context)
    assert len(found.candidates) == 3

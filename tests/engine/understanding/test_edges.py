"""Each number by which messages are cut, and work in them is held and offered, at its edge.

As `test_constants.py`; `make mutate` moves each of them.
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from engine.frames.intents import Candidate
from engine.understanding.context import Piece, RouteContext, Stretch
from engine.understanding.form_answers import group_form_answers
from engine.understanding.grammar.reading import Mark
from engine.understanding.grammar.rule import Role
from engine.understanding.pieces import boundaries, conditions, offering, split, telling, within
from engine.understanding.pieces.boundaries import find_stretches
from engine.understanding.pieces.holding import beside, held_back, later
from engine.understanding.pieces.message import read_message
from engine.understanding.pieces.sameness import judge_repeat
from tests.engine.understanding.routes import CONTEXT, TABLE
from tests.engine.understanding.test_constants import asked, knowing
from tests.engine.understanding.test_route_card_replies import LI, clarify
from tests.engine.understanding.test_thresholds import (
    CORRECTION,
    ROUTE,
    TICK,
    VISIT,
    WORK,
    GivenScores,
    said,
)
from tests.fakes.tables import table

TEXT = "the blue elephant"
FORM = replace(CONTEXT, open_cards=(clarify(),), principal=LI)


def near(groups: Mapping[str, float], text: str = TEXT) -> RouteContext:
    """A context in which a text is so near to these requests."""
    scores = replace(said(text).scores, groups={**said(text).scores.groups, **groups})
    return replace(CONTEXT, table=WithWords({text: scores}))


class WithWords(GivenScores):
    """The same, in which each word is of the work, and no example says anything."""

    def __init__(self, scores: Mapping[str, object]) -> None:
        super().__init__(scores)  # type: ignore[arg-type]
        self.asked: list[str] = []

    @property
    def verbatim(self) -> Mapping[str, frozenset[str]]:  # type: ignore[override]
        return {}

    def anchor_words(self, said: str, playbook: str) -> tuple[str, ...]:
        return (said,)

    def word_shares(self, said: str) -> Mapping[str, float]:
        return {}

    def says_like(self, said: str, playbook: str) -> bool:
        self.asked.append(said)
        return False


def stretches(count: int, length: int = 1) -> list[Stretch]:
    return [Stretch(start=n * length, end=(n + 1) * length) for n in range(count)]


def test_behind_a_comma_a_hundred_letters_are_looked_at() -> None:
    seen: list[int] = []

    def begins(text: str) -> bool:
        seen.append(len(text))
        return False

    find_stretches(f"aa, {'b' * 200}", begins, lambda _: False)
    assert seen == [100]


def test_a_stretch_opens_with_a_condition_in_its_first_four_letters() -> None:
    assert boundaries._begins_with_condition("ab if Wu agrees")
    assert not boundaries._begins_with_condition("abc if Wu agrees")


def test_a_message_of_more_than_eight_hundred_letters_is_too_long() -> None:
    why = [read_message("x" * length, CONTEXT)[0].why for length in (800, 801)]
    assert [each == "it is too long" for each in why] == [False, True]


def test_one_of_more_than_fifteen_hundred_is_no_answer_to_a_form() -> None:
    kinds = [read_message("ECOG 1".ljust(length), FORM)[0].kind for length in (1500, 1501)]
    assert kinds == ["card_reply", "unclear"]


@table(
    ("count", "length", "most"),
    [(5, 1, 6), (15, 1, 1), (16, 1, 0), (1, 1500, 6), (1, 1501, 0)],
)
def test_fifteen_pieces_of_fifteen_hundred_letters_are_judged(
    count: int, length: int, most: int
) -> None:
    assert split.max_stretches(stretches(count, length)) == most


def test_what_a_comma_parts_off_as_work_has_to_be_sure() -> None:
    piece = Piece(TEXT, "workflow", "", boundary="weak", confidence=0.68)
    assert split._score(piece, first=False) > 0
    assert split._score(replace(piece, confidence=0.68 - TICK), first=False) < 0


def test_how_sure_a_piece_is_weighs_a_fifth_and_what_asks_for_nothing_nothing() -> None:
    question = Piece(TEXT, "qa_query", "", confidence=1.0)
    assert split._score(question, first=True) == 1.2
    idle = Piece(TEXT, "unclear", "", unclear_kind="idle", confidence=0.0)
    assert split._score(idle, first=True) == 0
    assert split._score(replace(idle, unclear_kind="unknown"), first=True) == -1


@table(
    ("role", "clause", "counts"),
    [
        ("off", "xxx not", True),
        ("off", "xxxx not", False),
        ("say", "she said it was aaa", True),
        ("say", "she said it was aaaa", False),
    ],
)
def test_what_stands_behind_the_work_counts_in_a_short_clause_or_at_its_head(
    role: Role, clause: str, *, counts: bool
) -> None:
    text = f"record it. {clause}"
    at = text.index({"off": "not", "say": "said"}[role])
    mark = Mark(role, at, at + 3)
    assert held_back._counts(mark, text, 0, polite=False) is counts


@pytest.mark.parametrize(("many", "known"), [(6, True), (5, False)])
def test_a_heading_has_a_word_that_more_than_five_examples_have(many: int, *, known: bool) -> None:
    every = TABLE.lessons.tokens[ROUTE].items()
    word = next(w for w, n in sorted(every) if n == many and w.isascii() and len(w) > 3)
    text = f"{word}: record it"
    assert (held_back._heading(text, text.index("record"), ROUTE, TABLE) == "") is known


def test_words_beside_a_mark_are_looked_at_in_twenty_letters() -> None:
    text = f"{'x' * 30} not {'y' * 30}"
    words = WithWords({})
    held_back._is_known(Mark("off", 31, 34), text, ROUTE, words)
    assert words.asked == [f"{'x' * 19} not {'y' * 20}"]


def test_six_words_that_name_nothing_lean_on_what_was_told_before_them() -> None:
    before = Piece(TEXT, "unclear", "")
    six = Piece("aa bb cc dd ee ff", "workflow", "", playbook=ROUTE, request="visit-entry")
    context = near({CORRECTION: 0.3})
    assert beside._leant_on(six, before, context)
    assert not beside._leant_on(replace(six, text=f"{six.text} gg"), before, context)
    assert not beside._leant_on(six, before, near({CORRECTION: 0.3 - TICK}))


def test_a_sentence_of_twenty_four_words_leans_on_what_was_asked_before_it() -> None:
    words = [f"w{letter}" for letter in "abcdefghijklmnopqrstuvw"]
    assert later.takes_back(" ".join(["never", "mind", *words[:22]]), CONTEXT)
    assert not later.takes_back(" ".join(["never", "mind", *words[:23]]), CONTEXT)


def test_what_is_said_of_a_thing_may_be_meant_to_be_put_down_from_a_score_on() -> None:
    assert offering._likely_stated(TEXT, near({VISIT: 0.38}))
    assert not offering._likely_stated(TEXT, near({VISIT: 0.38 - TICK}))


def test_what_is_faintly_near_is_offered_where_nothing_else_is_known() -> None:
    piece = Piece(TEXT, "unclear", "", end=len(TEXT))
    for score, many in ((0.12, 1), (0.12 - TICK, 0)):
        assert len(offering._offer_likely(TEXT, piece, near({VISIT: score})).candidates) == many


@table(("score", "found"), [(0.35, 0.35), (0.35 - TICK, None), (1.2, 0.99)])
def test_what_stands_in_a_text_may_be_work_from_a_score_on_and_is_never_as_an_example(
    score: float, found: float | None
) -> None:
    work = within._work_of(TEXT, near({VISIT: score}))
    assert (work.score if work else None) == found


def test_an_example_word_for_word_is_as_near_as_can_be() -> None:
    example = within._work_of(WORK, CONTEXT)
    assert example
    assert example.score == 1


def test_work_is_looked_for_from_seven_places_on() -> None:
    text = "aa, bb, cc, dd, ee, ff, gg, hh, ii"
    assert len({start for start, _ in within._windows(text, 0, (), TABLE)}) == 7


def test_work_that_something_speaks_against_is_hardly_near() -> None:
    piece = Piece(TEXT, "unclear", "", candidates=(asked(VISIT, 0.9),))
    settled = telling.settle_told(piece, TEXT, {"tell"}, knowing(TEXT, {}))
    assert [each.score for each in settled.candidates] == [0.2]


def test_two_words_make_a_condition_that_nothing_ends_and_six_readings_are_tried() -> None:
    assert list(conditions.split_condition("once signed record it", ("record",)))
    assert not list(conditions.split_condition("signed record it", ("record",)))
    assert len(list(conditions.split_condition(", ".join("abcdefghij"), ()))) == 6


def test_what_was_asked_of_something_else_before_is_half_sure() -> None:
    earlier = replace(CONTEXT, recent=("record the visit of P003", "hello"))
    work = Piece("", "workflow", "", playbook=ROUTE, request="visit-entry")
    found = judge_repeat("and P004 too", earlier, lambda *_: work)
    assert found
    assert [each.score for each in found.candidates] == [0.5]


@table(("score", "taken"), [(0.5, False), (0.5 - TICK, True)])
def test_from_a_score_on_a_value_beside_a_name_is_likelier_other_work(
    score: float, *, taken: bool
) -> None:
    candidate = Candidate(kind="workflow", playbook="x", request="y", score=score)
    text = "I would rather report an adverse event for P004"
    piece = Piece(text, "unclear", "", candidates=(candidate,), end=len(text))
    (found,) = group_form_answers(text, (piece,), FORM)
    assert (found.kind == "card_reply") is taken

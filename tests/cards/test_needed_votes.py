"""A card that needs votes of different people: each serves once, and only who is missing votes."""

from datetime import UTC, datetime
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.deciding.decision import (
    DecidedCard,
    DecisionRefusal,
    RepeatedVote,
    Verdict,
    VotedCard,
    decide,
)
from cards.deciding.lapsed import drop_lapsed_votes, open_seats
from cards.deciding.needed import can_reach_quorum, count_given
from cards.model import Card, NeededVote, Principal, Review
from engine.reviews.clocks import awaited_voters
from tests.fakes.review_desk import CHOICES

NOW = datetime(2026, 11, 21, 2, 32, tzinfo=UTC)
FIN = Principal(id="fin", name="Fin", roles=("finance",))
FAY = Principal(id="fay", name="Fay", roles=("finance",))
DIRK = Principal(id="dirk", name="Dirk", roles=("director",))
BOTH = Principal(id="both", name="Both", roles=("finance", "director"))
LATE = Principal(id="late", name="Late", roles=("director",))
MIA = Principal(id="mia", name="Mia")
PEOPLE = (FIN, FAY, DIRK, BOTH)
FINANCE = NeededVote(roles=("finance",), approvers=("fin", "fay", "both"))
DIRECTOR = NeededVote(roles=("director",), approvers=("dirk", "both"))


def card(*needed: NeededVote) -> Card:
    needed = needed or (FINANCE, DIRECTOR)
    review = Review(
        roles=("finance", "director"),
        persons=tuple(each for vote in needed for each in vote.persons),
        quorum=len(needed),
        four_eyes=True,
        approvers=tuple(p.id for p in PEOPLE),
        needed=needed,
    )
    return Card(
        kind="confirm",
        token="0-abcdefgh",
        run="r1",
        conversation="web::c1",
        lang="en",
        title="Pay it",
        choices=CHOICES,
        review=review,
        requester="mia",
    )


def tap(subject: Card, person: Principal, choice: str = "approve") -> Verdict:
    values = {"reason": "no"} if choice == "reject" else None
    return decide(subject, person, choice, NOW, revision=1, values=values)


def voted(subject: Card, *people: Principal) -> Card:
    for person in people:
        verdict = tap(subject, person)
        assert isinstance(verdict, VotedCard), verdict
        subject = verdict.card
    return subject


def refusal(verdict: Verdict) -> str:
    assert isinstance(verdict, DecisionRefusal), verdict
    return verdict.reason


@pytest.mark.parametrize(
    "pair", [(FIN, DIRK), (DIRK, FAY), (BOTH, DIRK), (DIRK, BOTH), (BOTH, FIN)]
)
def test_one_of_each_decides_in_any_order(pair: tuple[Principal, Principal]) -> None:
    first, second = pair
    verdict = tap(voted(card(), first), second)
    assert isinstance(verdict, DecidedCard)
    assert verdict.decision.choice == "approve"


def test_a_vote_that_is_there_is_not_taken_twice() -> None:
    after = voted(card(), FIN)
    assert refusal(tap(after, FAY)) == "not_needed"
    assert isinstance(tap(after, FIN), RepeatedVote)
    assert refusal(tap(after, MIA)) == "own_request"
    assert refusal(tap(after, LATE)) == "not_approver"
    assert awaited_voters(after) == ("dirk", "both")
    assert open_seats(after, PEOPLE) == (DIRK, BOTH)


def test_one_rejection_rejects() -> None:
    verdict = tap(voted(card(), FIN), DIRK, "reject")
    assert isinstance(verdict, DecidedCard)
    assert verdict.decision.choice == "reject"


def test_who_holds_one_role_no_more_gives_only_the_other_vote() -> None:
    demoted = BOTH.model_copy(update={"roles": ("finance",)})
    after = voted(card(), FIN)
    assert refusal(tap(after, demoted)) == "not_needed"
    assert isinstance(tap(after, BOTH), DecidedCard)


def test_a_vote_lapses_with_the_role_by_which_it_was_needed() -> None:
    after = voted(card(), DIRK)
    moved = DIRK.model_copy(update={"roles": ("finance",)})
    people = (FIN, FAY, moved, BOTH)
    today = drop_lapsed_votes(after, holders=people, people=people, now=NOW)
    assert [each.why for each in today.lapsed] == ["no_role"]
    assert today.votes == ()
    assert drop_lapsed_votes(after, holders=PEOPLE, people=PEOPLE, now=NOW) is after


def test_a_vote_that_could_be_either_stays_as_the_other() -> None:
    after = voted(card(), BOTH)
    demoted = BOTH.model_copy(update={"roles": ("finance",)})
    people = (FIN, FAY, DIRK, demoted)
    today = drop_lapsed_votes(after, holders=people, people=people, now=NOW)
    assert today.lapsed == ()
    assert refusal(tap(today, FIN)) == "not_needed"
    assert isinstance(tap(today, DIRK), DecidedCard)


def test_a_named_person_and_a_role() -> None:
    named = card(NeededVote(persons=("fin",), approvers=("fin",)), FINANCE)
    assert refusal(tap(voted(named, FAY), BOTH)) == "not_needed"
    assert isinstance(tap(voted(named, FAY), FIN), DecidedCard)
    assert isinstance(tap(voted(named, FIN), FAY), DecidedCard)


def test_whether_people_are_enough_counts_each_once() -> None:
    assert can_reach_quorum(card(), (FIN, DIRK))
    assert not can_reach_quorum(card(), (FIN, FAY))
    assert not can_reach_quorum(card(), (BOTH,))


def test_a_card_without_such_votes_is_stored_as_before() -> None:
    plain = card().model_copy(
        update={"review": Review(roles=("finance",), quorum=2, approvers=("fin", "fay"))}
    )
    stored = voted(plain, FIN).stored()
    assert "needed" not in stored
    assert "gives" not in stored
    assert Card.model_validate_json(voted(card(), FIN).stored()) == voted(card(), FIN)


@given(st.lists(st.lists(st.integers(0, 3), unique=True).map(tuple), max_size=4))
def test_as_many_votes_serve_as_can(votes: list[tuple[int, ...]]) -> None:
    best = max(
        sum(number in vote for vote, number in zip(votes, order, strict=False))
        for order in permutations(range(4))
    )
    assert count_given(votes) == best

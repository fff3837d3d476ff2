from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cards.deciding.decision import (
    DecidedCard,
    DecisionRefusal,
    InvalidForm,
    MissingForm,
    Reason,
    VotedCard,
    decide,
    votes_needed,
)
from cards.deciding.seats import may_decide
from cards.model import Card, Choice, Decision, Field, Principal, Review, Vote
from tests.fakes.tables import table

NOW = datetime(2026, 11, 21, 2, 32, tzinfo=UTC)
REASON = Field(name="reason", label="Reason")
LIN = Principal(id="lin", name="林一", roles=("crc", "reviewer"))
CHEN = Principal(id="chen", name="陈博", roles=("reviewer",))
WU = Principal(id="wu", name="吴双", roles=("reviewer", "pi"))
ZHAO = Principal(id="zhao", name="赵六", roles=("crc",))
STRANGER = Principal(id="slack:T1:U9", name="someone")
CHOICES = (
    Choice(id="approve", label="批准", style="primary"),
    Choice(id="reject", label="驳回", style="danger", form=(REASON,)),
    Choice(id="postpone", label="推迟"),
)


def card(**changes: Any) -> Card:
    plain: dict[str, Any] = {
        "kind": "confirm",
        "token": "0-abcdefgh",
        "run": "r1",
        "conversation": "web::c1",
        "lang": "zh",
        "title": "录入访视",
        "choices": CHOICES,
        "review": Review(roles=("reviewer",), four_eyes=True),
        "requester": "lin",
        "revision": 2,
        "version": 7,
        "deadline": NOW + timedelta(hours=1),
    }
    return Card.model_validate({**plain, **changes})


def vote(person: Principal, choice: str = "approve") -> Vote:
    return Vote(person=person.id, name=person.name, choice=choice, at=NOW)


TWO_OF_THREE = Review(roles=("reviewer", "crc"), quorum=2, four_eyes=True)
CLOSED = Decision(choice="approve", person="wu", name="吴双", at=NOW)


def reason(
    subject: Card, person: Principal, choice: str = "approve", *, revision: int = 2, late: int = 0
) -> Reason:
    verdict = decide(
        subject, person, choice, NOW + timedelta(minutes=late), revision=revision, values=None
    )
    assert isinstance(verdict, DecisionRefusal)
    assert (verdict.card, verdict.person) == (subject, person.id)
    return verdict.reason


def test_an_approver_decides_and_the_card_is_closed() -> None:
    open_card = card()
    verdict = decide(open_card, CHEN, "approve", NOW, revision=2)
    decision = Decision(choice="approve", person="chen", name="陈博", at=NOW)
    # Its forms are of no use any more.
    choices = tuple(choice.model_copy(update={"form": ()}) for choice in open_card.choices)
    changes = {"status": "decided", "decision": decision, "version": 8, "choices": choices}
    assert verdict == DecidedCard(open_card.model_copy(update=changes), decision)
    assert open_card.status == "open"


def test_what_was_decided_is_stored_and_read_back_the_same() -> None:
    verdict = decide(card(), CHEN, "reject", NOW, revision=2, values={"reason": " 体重不对 "})
    assert isinstance(verdict, DecidedCard)
    assert verdict.decision.values == {"reason": "体重不对"}
    assert Card.model_validate_json(verdict.card.model_dump_json()) == verdict.card


@table(
    ("subject", "person", "expected"),
    [
        (card(status="decided", decision=CLOSED), CHEN, "not_open"),
        (card(status="expired"), CHEN, "not_open"),
        (card(status="cancelled"), CHEN, "not_open"),
        (card(status="superseded"), CHEN, "not_open"),
        (card(deadline=NOW), CHEN, "expired"),
        (card(deadline=NOW - timedelta(milliseconds=1)), CHEN, "expired"),
        (card(revision=3), CHEN, "stale"),
        (card(revision=1), CHEN, "stale"),
        (card(), LIN, "own_request"),
        (card(review=Review(persons=("lin",), four_eyes=True)), LIN, "own_request"),
        (card(), ZHAO, "not_approver"),
        (card(), STRANGER, "not_approver"),
        (card(review=Review(persons=("wu",))), CHEN, "not_approver"),
        (card(review=Review()), CHEN, "not_approver"),
        (card(review=Review()), Principal(id="", name=""), "not_approver"),
        (card(review=TWO_OF_THREE, votes=(vote(CHEN, "postpone"),)), CHEN, "already_voted"),
    ],
)
def test_a_tap_without_right_is_refused(subject: Card, person: Principal, expected: Reason) -> None:
    assert reason(subject, person) == expected


def test_the_first_of_several_reasons_is_told() -> None:
    faults: list[tuple[Reason, dict[str, Any]]] = [
        ("not_open", {"status": "cancelled"}),
        ("expired", {"deadline": NOW}),
        ("stale", {"revision": 9}),
        ("own_request", {"requester": "zhao"}),
        ("not_approver", {"review": Review(roles=("pi",), quorum=2, four_eyes=True)}),
        ("already_voted", {"votes": (vote(ZHAO, "postpone"),), "review": TWO_OF_THREE}),
    ]
    assert reason(card(status="cancelled", deadline=NOW), CHEN, "nonsense") == "unknown_choice"
    for at, (expected, _) in enumerate(faults):
        # A later fault's review would undo an earlier one's, so the earlier is merged last.
        changes = {key: value for _, each in reversed(faults[at:]) for key, value in each.items()}
        assert reason(card(**changes), ZHAO) == expected
        assert reason(card(**changes), ZHAO, "reject") == expected


def test_a_form_is_asked_for_only_from_who_may_decide() -> None:
    assert decide(card(), CHEN, "reject", NOW, revision=2) == MissingForm(CHOICES[1])
    assert reason(card(), LIN, "reject") == "own_request"
    assert reason(card(), ZHAO, "reject") == "not_approver"


def test_a_faulty_form_decides_nothing_and_says_why_in_the_cards_language() -> None:
    for lang, sentence in (("zh", "请填写"), ("en", "Please fill this in")):
        verdict = decide(card(lang=lang), CHEN, "reject", NOW, revision=2, values={"reason": " "})
        assert verdict == InvalidForm({"reason": sentence})
        empty = decide(card(lang=lang), CHEN, "reject", NOW, revision=2, values={})
        assert empty == InvalidForm({"reason": sentence})


def test_values_are_taken_only_where_the_choice_has_a_form() -> None:
    verdict = decide(card(), CHEN, "approve", NOW, revision=2, values={"reason": "x"})
    assert isinstance(verdict, InvalidForm)
    assert list(verdict.errors) == ["reason"]
    verdict = decide(card(), CHEN, "approve", NOW, revision=2, values={})
    assert isinstance(verdict, DecidedCard)
    assert verdict.decision.values == {}


def test_a_late_form_is_refused_even_when_the_tap_was_in_time() -> None:
    assert isinstance(decide(card(), CHEN, "reject", NOW, revision=2), MissingForm)
    late = decide(card(), CHEN, "reject", NOW + timedelta(hours=1), revision=2, values={})
    assert isinstance(late, DecisionRefusal)
    assert late.reason == "expired"


def test_a_requester_answers_their_own_card_without_four_eyes() -> None:
    own = card(review=Review(persons=("lin",)))
    assert isinstance(decide(own, LIN, "approve", NOW, revision=2), DecidedCard)
    assert isinstance(decide(card(deadline=None), CHEN, "approve", NOW, revision=2), DecidedCard)


def test_an_approver_is_named_or_holds_a_role() -> None:
    review = Review(roles=("pi", "reviewer"), persons=("zhao",))
    able = [p.id for p in (CHEN, WU, ZHAO, STRANGER) if may_decide(card(review=review), p)]
    assert able == ["chen", "wu", "zhao"]


def test_votes_are_recorded_until_the_quorum_is_reached() -> None:
    review = TWO_OF_THREE.model_copy(update={"quorum": 3})
    stored = card(review=review)
    for person, needed in ((CHEN, 2), (WU, 1)):
        verdict = decide(stored, person, "approve", NOW, revision=2)
        assert isinstance(verdict, VotedCard)
        assert verdict.votes_needed == needed == votes_needed(verdict.card)
        assert verdict.card.version == stored.version + 1
        assert verdict.card.votes[-1] == vote(person)
        assert (verdict.card.status, verdict.card.revision) == ("open", 2)
        stored = verdict.card
    verdict = decide(stored, ZHAO, "approve", NOW, revision=2)
    assert isinstance(verdict, DecidedCard)
    assert verdict.decision.person == "zhao"
    assert verdict.card.votes == (vote(CHEN), vote(WU))


def test_a_rejection_wins_at_once_and_so_does_every_other_choice() -> None:
    voted = card(review=TWO_OF_THREE, votes=(vote(CHEN),))
    for choice in ("reject", "postpone"):
        values = {"reason": "no"} if choice == "reject" else {}
        verdict = decide(voted, WU, choice, NOW, revision=2, values=values)
        assert isinstance(verdict, DecidedCard)
        assert verdict.decision.choice == choice


PEOPLE = st.sampled_from([LIN, CHEN, WU, ZHAO, STRANGER])
TAPS = st.lists(
    st.tuples(
        PEOPLE,
        st.sampled_from(["approve", "approve", "reject", "postpone", "nonsense"]),
        st.integers(0, 70),
        st.sampled_from([2, 2, 2, 1]),
        st.sampled_from([None, {"reason": ""}, {"reason": "no"}]),
    ),
    max_size=12,
)


@given(TAPS, st.integers(1, 3))
def test_whatever_is_tapped_one_decision_wins_with_an_exact_quorum(
    taps: list[tuple[Principal, str, int, int, dict[str, str] | None]], quorum: int
) -> None:
    stored = card(review=Review(roles=("reviewer", "crc"), quorum=quorum, four_eyes=True))
    won: list[DecidedCard] = []
    for person, choice, minutes, revision, values in taps:
        at = NOW + timedelta(minutes=minutes)
        verdict = decide(stored, person, choice, at, revision=revision, values=values)
        if isinstance(verdict, DecidedCard | VotedCard):
            assert verdict.card.version == stored.version + 1
            assert person.id not in ("lin", STRANGER.id)
            assert (minutes < 60, revision) == (True, 2)
            stored = verdict.card
        if isinstance(verdict, DecidedCard):
            won.append(verdict)
    assert len(won) <= 1
    assert (stored.status == "decided") == bool(won)
    voters = [vote.person for vote in stored.votes]
    assert len(set(voters)) == len(voters) < quorum
    if won and won[0].decision.choice == "approve":
        assert len({*voters, won[0].decision.person}) == quorum

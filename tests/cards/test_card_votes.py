"""How votes count: repeats, majorities, seats that were given, and what a card shows of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.deciding.decision import (
    DecidedCard,
    DecisionRefusal,
    MissingForm,
    RepeatedVote,
    Verdict,
    VotedCard,
    decide,
    votes_needed,
)
from cards.deciding.handover import HAND_OVER, HandedOverCard, HandOverRefusal, hand_over
from cards.deciding.names import decider_names
from cards.deciding.texts import refusal_text, repeated_text
from cards.model import Card, Principal, Review
from cards.showing.show import describe_decision, show
from tests.fakes.review_desk import CHOICES
from tests.fakes.tables import table

NOW = datetime(2026, 11, 21, 2, 32, tzinfo=UTC)
LIN = Principal(id="lin", name="Lin", roles=("reviewer",))
ANA = Principal(id="ana", name="Ana", roles=("reviewer",))
BO = Principal(id="bo", name="Bo")
CARA = Principal(id="cara", name="Cara", roles=("reviewer",))
DAN = Principal(id="dan", name="Dan", roles=("reviewer",))
EVA = Principal(id="eva", name="Eva", roles=("reviewer",))
MEMBERS = ("ana", "cara", "dan", "eva", "lin")


def standing_in(person: Principal, *givers: Principal) -> Principal:
    return person.model_copy(update={"stands_for": givers})


def card(**review: Any) -> Card:
    usual = {"roles": ("reviewer",), "four_eyes": True, "quorum": 2, "approvers": MEMBERS}
    return Card(
        kind="confirm",
        token="0-abcdefgh",
        run="r1",
        conversation="web::c1",
        lang="en",
        title="Write it",
        choices=CHOICES,
        review=Review.model_validate({**usual, **review}),
        requester="lin",
        requester_name="Lin",
        waiting_for="reviewers",
        deadline=NOW + timedelta(hours=1),
    )


def tap(subject: Card, person: Principal, choice: str = "approve", why: str = "no") -> Verdict:
    values = {"reason": why} if choice == "reject" else None
    return decide(subject, person, choice, NOW, revision=1, values=values)


def after(subject: Card, *taps: tuple[Principal, str]) -> Card:
    for person, choice in taps:
        verdict = tap(subject, person, choice, f"{person.name} says no")
        assert isinstance(verdict, DecidedCard | VotedCard), verdict
        subject = verdict.card
    return subject


def test_an_identical_tap_is_a_success_that_changes_nothing() -> None:
    voted = after(card(), (ANA, "approve"))
    again = tap(voted, ANA)
    assert again == RepeatedVote(voted, "ana")
    assert isinstance(again, RepeatedVote)
    text = repeated_text(again, "en", zone="UTC")
    assert text == "Already recorded: you chose Approve on 11-21 02:32; 1 more needed."
    closed = after(voted, (CARA, "approve"))
    mine, others = tap(closed, CARA), tap(closed, ANA)
    assert isinstance(mine, RepeatedVote)
    assert isinstance(others, RepeatedVote)
    assert repeated_text(mine, "en", zone="UTC").startswith("Already recorded: you chose Approve")
    told = repeated_text(others, "en", zone="UTC")
    assert told.endswith("The outcome: Already decided by Ana, Cara on 11-21 02:32: Approve.")


def test_everybody_who_chose_it_is_named_and_nobody_who_did_not() -> None:
    three = after(card(quorum=3, decides="majority"), (ANA, "approve"), (CARA, "reject"))
    closed = after(three, (DAN, "approve"))
    late = tap(closed, EVA)
    assert isinstance(late, DecisionRefusal)
    text = refusal_text(late, "en", zone="UTC")
    assert text == "Already decided by Ana, Dan on 11-21 02:32: Approve."
    decision = closed.decision
    assert decision is not None
    assert [each.person for each in decision.votes] == ["ana", "cara", "dan"]
    assert [each.person for each in decision.deciders] == ["ana", "dan"]
    assert describe_decision(closed, decision, "UTC") == "Ana, Dan: Approve (11-21 02:32)"
    # What an earlier version decided has its votes on the card alone.
    older = decision.model_copy(update={"votes": ()})
    assert older.deciders == [older]
    assert decider_names(closed.model_copy(update={"decision": older}), "en") == "Ana, Dan"
    alone = after(card(quorum=1), (ANA, "approve"))
    assert alone.decision is not None
    assert (alone.decision.votes, alone.decision.deciders) == ((), [alone.decision])


def test_a_note_counts_reminders_as_people_do() -> None:
    notes = [show(card().model_copy(update={"reminded": n}), "UTC").note for n in (0, 1, 2)]
    assert "reminded" not in notes[0]
    assert notes[1].endswith("reminded once")
    assert notes[2].endswith("reminded 2 times")


def test_who_answers_what_another_was_asked_is_told_whose_it_is() -> None:
    own = card(roles=(), persons=("lin",), approvers=None, four_eyes=False, quorum=1)
    told = []
    for kind in ("clarify", "select"):
        asked = own.model_copy(update={"kind": kind, "waiting_for": "Lin"})
        refused = tap(asked, ANA)
        assert isinstance(refused, DecisionRefusal)
        told.append(refusal_text(refused, "en", zone="UTC"))
    assert told == ["This form is for Lin to fill in.", "This is for Lin to answer."]


def test_another_choice_than_before_is_refused_and_what_stands_is_told() -> None:
    voted = after(card(), (ANA, "approve"))
    refused = tap(voted, ANA, "reject")
    assert refused == DecisionRefusal("already_voted", voted, "ana")
    assert isinstance(refused, DecisionRefusal)
    text = refusal_text(refused, "en", zone="UTC")
    assert text == "You chose Approve on 11-21 02:32, and that stands; 1 more needed."


def test_a_repeat_after_the_deadline_or_on_other_content_is_none() -> None:
    voted = after(card(), (ANA, "approve"))
    late = decide(voted, ANA, "approve", NOW + timedelta(hours=1), revision=1)
    assert late == DecisionRefusal("expired", voted, "ana")
    changed = voted.model_copy(update={"revision": 2})
    assert decide(changed, ANA, "approve", NOW, revision=1) == DecisionRefusal(
        "stale", changed, "ana"
    )


def test_a_majority_decides_for_either_side_with_more_than_half_of_the_seats() -> None:
    three = card(quorum=3, decides="majority")
    split = after(three, (ANA, "approve"), (CARA, "reject"))
    assert (split.status, votes_needed(split), votes_needed(split, "reject")) == ("open", 1, 1)
    for choice in ("approve", "reject"):
        won = tap(split, DAN, choice)
        assert isinstance(won, DecidedCard)
        assert (won.decision.choice, won.decision.person) == (choice, "dan")
    early = after(three, (ANA, "reject"), (CARA, "reject"))
    assert early.status == "decided"
    assert early.decision is not None
    assert [vote.person for vote in early.decision.votes] == ["ana", "cara"]
    assert [vote.reason for vote in early.decision.votes] == ["Ana says no", "Cara says no"]
    assert early.decision.values == {"reason": "Ana says no; Cara says no"}


def test_a_rejection_by_majority_is_a_vote_with_its_reason() -> None:
    three = card(quorum=3, decides="majority")
    assert isinstance(decide(three, ANA, "reject", NOW, revision=1), MissingForm)
    recorded = tap(three, ANA, "reject", "too heavy")
    assert isinstance(recorded, VotedCard)
    assert recorded.votes_needed == 1
    (vote,) = recorded.card.votes
    assert (vote.choice, vote.reason) == ("reject", "too heavy")


@given(
    st.lists(
        st.tuples(st.sampled_from([ANA, CARA, DAN, EVA]), st.sampled_from(["approve", "reject"])),
        max_size=12,
    ),
    st.sampled_from([1, 3]),
)
def test_a_majority_is_decided_once_and_by_the_side_that_has_more(
    taps: list[tuple[Principal, str]], seats: int
) -> None:
    stored, counted = card(quorum=seats, decides="majority"), {"approve": 0, "reject": 0}
    for person, choice in taps:
        verdict = tap(stored, person, choice)
        if isinstance(verdict, DecidedCard | VotedCard):
            counted[choice] += 1
            stored = verdict.card
    ahead = max(counted, key=lambda choice: counted[choice])
    assert (stored.status == "decided") == (counted[ahead] > seats / 2)
    assert sum(counted.values()) <= seats
    if stored.decision:
        assert stored.decision.choice == ahead


def test_a_delegate_votes_in_the_seat_and_both_are_recorded() -> None:
    recorded = tap(card(), standing_in(BO, ANA))
    assert isinstance(recorded, VotedCard)
    (vote,) = recorded.card.votes
    assert (vote.person, vote.seat, vote.seat_owner) == ("bo", "ana", "ana")
    taken = tap(recorded.card, ANA)
    assert isinstance(taken, DecisionRefusal)
    assert (taken.reason, taken.vote) == ("seat_taken", vote)
    text = refusal_text(taken, "en", zone="UTC")
    assert text.startswith("The seat of Ana has voted: Approve, by Bo on 11-21 02:32.")
    assert "Bo for Ana" in show(recorded.card, "UTC").note


def test_a_person_has_one_vote_whatever_seats_they_could_take() -> None:
    both = standing_in(CARA, ANA, DAN)
    first = after(card(quorum=3), (both, "approve"))
    assert first.votes[0].seat_owner == "cara"
    assert tap(first, both) == RepeatedVote(first, "cara")
    assert tap(first, both, "reject") == DecisionRefusal("already_voted", first, "cara")
    # The seats that they did not take are still free for whose they are.
    assert after(first, (ANA, "approve")).votes[-1].seat_owner == "ana"


@pytest.mark.parametrize(
    ("person", "expected"),
    [
        (standing_in(BO, LIN), "not_approver"),
        (standing_in(LIN, ANA), "own_request"),
        (standing_in(BO, ANA.model_copy(update={"roles": ()})), "not_approver"),
        (standing_in(BO, Principal(id="new", name="New", roles=("reviewer",))), "not_approver"),
        (BO, "not_approver"),
    ],
)
def test_no_seat_is_lent_by_the_requester_or_by_who_has_none(
    person: Principal, expected: str
) -> None:
    refused = tap(card(), person)
    assert isinstance(refused, DecisionRefusal)
    assert refused.reason == expected


def test_where_seats_cannot_be_given_a_delegate_is_nobody() -> None:
    closed = card(delegable=False)
    refused = tap(closed, standing_in(BO, ANA))
    assert isinstance(refused, DecisionRefusal)
    assert refused.reason == "not_approver"
    assert hand_over(closed, ANA, BO, NOW) == HandOverRefusal("not_delegable")


def test_who_holds_the_role_only_since_the_card_opened_cannot_decide_it() -> None:
    new = Principal(id="new", name="New", roles=("reviewer",))
    refused = tap(card(), new)
    assert isinstance(refused, DecisionRefusal)
    assert refused.reason == "not_approver"
    # A card of an earlier build has no such list.
    assert isinstance(tap(card(approvers=None), new), VotedCard)


def test_a_seat_that_was_handed_over_is_shown_and_no_button_becomes_stale() -> None:
    before = card()
    done = hand_over(before, ANA, BO, NOW)
    assert isinstance(done, HandedOverCard)
    assert (done.card.revision, done.card.version) == (before.revision, before.version + 1)
    view = show(done.card, "UTC")
    assert "Ana handed over to Bo" in view.note
    assert [b.data for b in view.buttons] == [b.data for b in show(before, "UTC").buttons]
    assert isinstance(tap(done.card, standing_in(BO, ANA)), VotedCard)
    assert isinstance(tap(done.card, ANA), VotedCard)


@table(
    ("giver", "receiver", "why"),
    [
        (BO, CARA, "no_seat"),
        (LIN, BO, "no_seat"),
        (standing_in(BO, ANA), BO, "no_seat"),
        (ANA, ANA, "to_self"),
        (ANA, LIN, "to_requester"),
        (ANA, CARA, "to_reviewer"),
    ],
)
def test_a_seat_goes_only_from_whose_it_is_to_who_has_none(
    giver: Principal, receiver: Principal, why: str
) -> None:
    assert hand_over(card(), giver, receiver, NOW) == HandOverRefusal(why)  # type: ignore[arg-type]


def test_a_seat_is_not_handed_over_twice_nor_once_it_voted_nor_on_a_closed_card() -> None:
    done = hand_over(card(), ANA, BO, NOW)
    assert isinstance(done, HandedOverCard)
    assert hand_over(done.card, ANA, BO, NOW) == HandOverRefusal("handed_before")
    voted = after(card(), (ANA, "approve"))
    assert hand_over(voted, ANA, BO, NOW) == HandOverRefusal("seat_taken")
    late = NOW + timedelta(hours=1)
    assert hand_over(card(), ANA, BO, late) == HandOverRefusal("not_open")


def test_the_hand_over_button_is_no_choice_and_cannot_decide() -> None:
    verdict = tap(card(quorum=1), ANA, HAND_OVER)
    assert isinstance(verdict, DecisionRefusal)
    assert verdict.reason == "unknown_choice"
    assert "Hand over" in [button.label for button in show(card(), "UTC").buttons]
    assert "Hand over" not in [b.label for b in show(card(delegable=False), "UTC").buttons]
    own = card().model_copy(update={"review": Review(persons=("ana",))})
    assert "Hand over" not in [button.label for button in show(own, "UTC").buttons]


def test_votes_are_shown_while_the_card_waits_and_when_it_is_closed() -> None:
    one = after(card(), (ANA, "approve"))
    assert show(one, "UTC").note.endswith("1 of 2 so far: Ana")
    two = after(one, (CARA, "approve"))
    assert show(two, "UTC").outcome.endswith("All votes: Ana: Approve, Cara: Approve")
    split = after(card(quorum=3, decides="majority"), (ANA, "approve"), (CARA, "reject"))
    assert "Votes (3 seats, more than half decide): Ana: Approve, Cara: Reject" in (
        show(split, "UTC").note
    )
    assert "All votes" not in show(after(card(quorum=1), (ANA, "approve")), "UTC").outcome

"""What a form that a program sends means: names it does not have, names it leaves out, repeats."""

from datetime import UTC, datetime, timedelta

import pytest

from cards.deciding.decision import (
    DecidedCard,
    DecisionRefusal,
    InvalidForm,
    RepeatedVote,
    Verdict,
    decide,
)
from cards.deciding.texts import refusal_text
from cards.model import Card, Choice, Field, Principal, Review

NOW = datetime(2026, 11, 21, 2, 32, tzinfo=UTC)
LIN = Principal(id="lin", name="Lin", roles=("reviewer",))
ANA = Principal(id="ana", name="Ana", roles=("reviewer",))
NO_FIELD = "This form has no field of that name"
FORM = (
    Field(name="title", label="Title", value="Fix the sign-in"),
    Field(name="notes", label="Notes", type="file", required=False, value="notes.md"),
    Field(name="day", label="Day", type="date"),
)
ASKED = Card(
    kind="clarify",
    token="0-abcdefgh",
    run="r1",
    conversation="web::c1",
    lang="en",
    title="Deploy",
    choices=(Choice(id="submit", label="Submit", form=FORM), Choice(id="stop", label="Stop")),
    review=Review(persons=("lin", "ana")),
    requester="lin",
    deadline=NOW + timedelta(hours=1),
)


def send(card: Card, values: dict[str, str] | None, choice: str = "submit") -> Verdict:
    return decide(card, LIN, choice, NOW, revision=card.revision, values=values)


def decided(values: dict[str, str]) -> DecidedCard:
    verdict = send(ASKED, values)
    assert isinstance(verdict, DecidedCard)
    return verdict


def test_a_name_that_the_form_does_not_have_is_a_fault_of_that_name() -> None:
    sent = {"day": "2026-12-05", "release": "R-9999"}
    assert send(ASKED, sent) == InvalidForm({"release": NO_FIELD})
    assert send(ASKED, {"comment": "fine"}, "stop") == InvalidForm({"comment": NO_FIELD})
    told = send(ASKED, {"nonsense": "1", "day": "soon"})
    assert isinstance(told, InvalidForm)
    assert list(told.errors) == ["nonsense", "day"]


def test_what_stands_in_a_field_stays_unless_it_is_named() -> None:
    values = decided({"day": "2026-12-05"}).decision.values
    assert values == {"title": "Fix the sign-in", "notes": "notes.md", "day": "2026-12-05"}
    emptied = decided({"day": "2026-12-05", "notes": ""}).decision.values
    assert emptied == {"title": "Fix the sign-in", "day": "2026-12-05"}
    told = send(ASKED, {"day": "2026-12-05", "title": " "})
    assert isinstance(told, InvalidForm)
    assert list(told.errors) == ["title"]


def test_the_same_form_again_is_a_repeat_and_another_one_is_not() -> None:
    first = {"day": "2026-12-05", "title": "One\nTwo"}
    closed = decided(first).card
    assert send(closed, {"title": " One\r\nTwo ", "day": "2026-12-05"}) == RepeatedVote(
        closed, "lin"
    )
    assert send(closed, None) == RepeatedVote(closed, "lin")
    other = send(closed, {**first, "title": "Three"})
    assert other == DecisionRefusal("other_values", closed, "lin")
    assert isinstance(other, DecisionRefusal)
    told = refusal_text(other, "en", zone="UTC")
    assert "with other values" in told
    assert "“Submit”" in told or "Submit" in told


def test_of_what_an_earlier_version_recorded_any_form_is_a_repeat() -> None:
    closed = decided({"day": "2026-12-05"}).card
    assert closed.decision is not None
    before = closed.decision.model_copy(update={"form_digest": ""})
    closed = closed.model_copy(update={"decision": before})
    assert send(closed, {"day": "2026-12-06"}) == RepeatedVote(closed, "lin")


@pytest.mark.parametrize(("why", "repeats"), [("too early", True), ("too late", False)])
def test_a_vote_with_another_reason_is_no_repeat(why: str, repeats: bool) -> None:
    reject = Choice(id="reject", label="Reject", form=(Field(name="reason", label="Reason"),))
    review = Review(roles=("reviewer",), quorum=3, decides="majority")
    card = ASKED.model_copy(
        update={"kind": "confirm", "requester": "bo", "choices": (reject,), "review": review}
    )
    voted = decide(card, ANA, "reject", NOW, revision=1, values={"reason": "too early"})
    again = decide(voted.card, ANA, "reject", NOW, revision=1, values={"reason": why})  # type: ignore[union-attr]
    assert isinstance(again, RepeatedVote) is repeats

"""What the clocks of an open review do, and that they never move the run."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from cards.deciding.needed import votes_given_by
from cards.model import Card, Choice, HandOver, NeededVote, Principal, Review, Vote
from cards.policy import Escalation, Hours, Reminders
from engine.mail import CardExpired, ReviewDue, parse_mail
from engine.ports.storage.store import Effects
from engine.reviews.clocks import (
    apply_clock,
    awaited_voters,
    card_timers,
    replace_cards,
    stop_timers,
)
from tests.fakes.tables import table
from tests.fakes.unlogged_cards import unlogged_cards

NOW = datetime(2026, 11, 20, 10, 30, tzinfo=UTC)
"""A Friday evening in Shanghai."""
TODAY = date(2026, 11, 20)
HUI = Principal(id="hui", name="Hui", roles=("lead",))


class Homes:
    """Everybody is reached at home; Ana holds the first role, Hui the other."""

    def __init__(self, leads: Sequence[Principal] = (HUI,)) -> None:
        self._leads = leads

    def holders(self, roles: Sequence[str]) -> Sequence[Principal]:
        """Who leads."""
        return self._leads if "lead" in roles else ()

    def reviewer_homes(self, review: Review) -> Sequence[str]:
        """Not asked here."""
        raise AssertionError

    def person_homes(self, persons: Sequence[str], today: date) -> Sequence[str]:
        """One home each."""
        assert today == TODAY
        return [f"web:local:{person}" for person in persons]

    def with_valid_votes(self, card: Card, now: datetime) -> Card:
        """All votes count."""
        return card

    def role_name(self, role: str, lang: str) -> str:
        """As people call it."""
        return f"the {role}"


def card(**changes: Any) -> Card:
    review: dict[str, Any] = {
        "roles": ("reviewer",),
        "four_eyes": True,
        "quorum": 2,
        "approvers": ("lin", "ana", "cara"),
        "remind": Reminders(after_s=3600, every_s=7200, at_most=2),
        "escalate": Escalation(role="lead", after_s=86_400),
    }
    review |= changes.pop("review", {})
    base = Card(
        kind="confirm",
        token="00-abcdefgh",
        run="00-run1",
        conversation="web:local:room",
        lang="en",
        title="Write it",
        choices=(Choice(id="approve", label="Approve"),),
        review=Review.model_validate(review),
        requester="lin",
        waiting_for="the reviewer",
        deadline=NOW + timedelta(days=3),
    )
    return base.model_copy(update=changes)


def comes_due(
    subject: Card, what: str, *, after: timedelta = timedelta(0), **people: Any
) -> Effects:
    mail = ReviewDue.model_validate({"card": subject.token, "what": what})
    assert parse_mail(mail.model_dump_json()) == mail
    effects = apply_clock(mail, subject, Homes(**people), now=NOW + after, today=TODAY)
    assert unlogged_cards(effects) == ()
    return effects


def test_a_card_that_opens_sets_its_clocks_and_they_can_be_taken_away() -> None:
    found = card_timers(card(), NOW)
    assert [(each.id, each.at) for each in found] == [
        ("expire:00-abcdefgh", NOW + timedelta(days=3)),
        ("remind:00-abcdefgh", NOW + timedelta(hours=1)),
        ("escalate:00-abcdefgh", NOW + timedelta(days=1)),
    ]
    assert {each.lane for each in found} == {"run:00-run1"}
    assert isinstance(parse_mail(found[0].mail), CardExpired)
    gone = stop_timers("00-abcdefgh", "run:00-run1")
    assert [(each.id, each.at) for each in gone] == [(each.id, None) for each in found]
    assert card_timers(card(deadline=None, review={"remind": None, "escalate": None}), NOW) == ()


def test_a_reminder_edits_the_card_pings_once_and_sets_the_next_clock() -> None:
    before = card()
    effects = comes_due(before, "remind")
    (write,) = effects.cards
    assert write.expect == before.version
    assert write.card == before.model_copy(update={"reminded": 1, "version": 2})
    assert [(p.kind, p.conversation, p.ref) for p in effects.posts] == [
        ("ping", "web:local:ana", before.token),
        ("ping", "web:local:cara", before.token),
    ]
    assert [(t.id, t.at) for t in effects.timers] == [
        ("remind:00-abcdefgh", NOW + timedelta(hours=2))
    ]
    ((run, entry),) = effects.log
    told = json.loads(entry)
    assert (run, told["event"], told["by"], told["number"], told["of"]) == (
        "00-run1",
        "reminded",
        "signoff",
        1,
        2,
    )
    assert [each["reminded"] for each in told["changed_cards"]] == [1]
    # The run, its part and its session stay as they are.
    assert (effects.runs, effects.parts, effects.session, effects.mails) == ((), (), None, ())


def test_the_last_reminder_sets_no_clock_and_there_is_none_after_it() -> None:
    last = comes_due(card(reminded=1), "remind")
    assert (len(last.cards), last.timers) == (1, ())
    assert comes_due(card(reminded=2), "remind") == Effects()


def test_a_late_reminder_counts_the_next_pause_from_now() -> None:
    effects = comes_due(card(), "remind", after=timedelta(hours=40))
    assert [t.at for t in effects.timers] == [NOW + timedelta(hours=42)]
    assert len(effects.cards) == 1


def test_a_reminder_that_comes_due_outside_of_working_hours_waits_for_them() -> None:
    remind = Reminders(after_s=3600, hours=Hours(zone="Asia/Shanghai"))
    effects = comes_due(card(review={"remind": remind}), "remind")
    monday = datetime(2026, 11, 23, 1, 0, tzinfo=UTC)
    assert [(t.id, t.at) for t in effects.timers] == [("remind:00-abcdefgh", monday)]
    assert (effects.cards, effects.posts) == ((), ())


@table("what", ["remind", "escalate"])
@table("status", ["decided", "expired", "cancelled", "superseded"])
def test_a_clock_of_a_closed_card_does_nothing(what: str, status: str) -> None:
    assert comes_due(card(status=status), what) == Effects()


@pytest.mark.parametrize("what", ["remind", "escalate"])
def test_a_clock_that_comes_due_with_the_deadline_leaves_it_to_the_expiry(what: str) -> None:
    assert comes_due(card(), what, after=timedelta(days=3)) == Effects()


def test_an_escalation_adds_the_roles_holders_and_changes_no_button() -> None:
    before = card()
    effects = comes_due(before, "escalate")
    (write,) = effects.cards
    after = write.card
    assert after.review.roles == ("reviewer", "lead")
    assert after.review.approvers == ("lin", "ana", "cara", "hui")
    assert (after.revision, after.status, after.votes) == (1, "open", ())
    assert (after.escalated, after.waiting_for) == ("the lead", "the reviewer, the lead")
    assert [(p.row, p.kind) for p in effects.posts] == [("00-abcdefgh@web:local:hui", "card")]
    ((_, entry),) = effects.log
    assert json.loads(entry)["added"] == ["hui"]
    assert json.loads(entry)["changed_cards"][0]["review"]["roles"] == ["reviewer", "lead"]
    assert comes_due(after, "escalate") == Effects()


def test_who_comes_by_escalation_may_give_any_vote_that_is_needed() -> None:
    needed = (
        NeededVote(roles=("reviewer",), approvers=("ana", "cara")),
        NeededVote(persons=("dan",), approvers=("dan",)),
    )
    (write,) = comes_due(card(review={"needed": needed, "persons": ("dan",)}), "escalate").cards
    assert [vote.roles for vote in write.card.review.needed] == [("reviewer", "lead"), ("lead",)]
    assert votes_given_by(write.card, HUI) == (0, 1)


def test_an_escalation_to_a_role_that_nobody_holds_any_more_is_written_down() -> None:
    effects = comes_due(card(), "escalate", leads=())
    assert effects.posts == ()
    ((_, entry),) = effects.log
    assert json.loads(entry)["added"] == []


def test_awaited_are_those_whose_vote_can_still_come() -> None:
    voted = Vote(person="ana", name="Ana", choice="approve", at=NOW)
    lent = Vote(person="bo", name="Bo", choice="approve", at=NOW, seat="ana", seat_name="Ana")
    given = HandOver(by="cara", by_name="Cara", to="bo", to_name="Bo", at=NOW)
    assert awaited_voters(card()) == ("ana", "cara")
    assert awaited_voters(card(votes=(voted,))) == ("cara",)
    assert awaited_voters(card(votes=(lent,))) == ("cara",)
    assert awaited_voters(card(handed=(given,))) == ("ana", "cara", "bo")
    assert awaited_voters(card(review={"four_eyes": False})) == ("lin", "ana", "cara")


def test_an_older_card_of_the_same_key_is_closed_with_its_clocks_and_others_are_left() -> None:
    older = card(token="00-older0000", task_key="confirm:x", version=4)
    other = card(token="00-other0000", task_key="confirm:y")
    keyless = card(token="00-keyless00")
    effects = replace_cards([older, other, keyless], [card(task_key="confirm:x")], NOW)
    ((write),) = effects.cards
    assert (write.card.token, write.card.status, write.expect) == (older.token, "superseded", 4)
    assert {each.id for each in effects.timers} == {
        f"{clock}:{older.token}" for clock in ("expire", "remind", "escalate")
    }
    assert [json.loads(entry)["event"] for _, entry in effects.log] == ["superseded"]
    assert unlogged_cards(effects) == ()
    assert replace_cards([older], [keyless], NOW) == Effects()

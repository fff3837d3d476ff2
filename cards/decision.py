"""The one rule of who decides a card, and when (design §7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from cards.forms import check_form
from cards.model import Card, Choice, Decision, Principal, Vote

Reason = Literal[
    "unknown_choice",
    "not_open",
    "expired",
    "stale",
    "own_request",
    "not_approver",
    "already_voted",
]


@dataclass(frozen=True, slots=True)
class Won:
    """The decision that closed the card; `card` is the state to store."""

    card: Card
    decision: Decision


@dataclass(frozen=True, slots=True)
class Recorded:
    """A vote short of the quorum; `card` is the state to store, `votes_needed` more to come."""

    card: Card
    votes_needed: int


@dataclass(frozen=True, slots=True)
class NeedsForm:
    """The person may decide so, but has to fill in the choice's form first."""

    choice: Choice


@dataclass(frozen=True, slots=True)
class Invalid:
    """The form has faults: a sentence per field, in the card's language. Nothing was decided."""

    errors: dict[str, str]


@dataclass(frozen=True, slots=True)
class Refused:
    """The tap changes nothing; `card` as it stands, and `person` who tapped (principal id)."""

    reason: Reason
    card: Card
    person: str


Verdict = Won | Recorded | NeedsForm | Invalid | Refused


def decide(
    card: Card,
    principal: Principal,
    choice: str,
    now: datetime,
    *,
    revision: int,
    values: Mapping[str, str] | None = None,
) -> Verdict:
    """What this tap (or sent form, with `values`) means for the card as it stands.

    `approve` counts towards the quorum, one per person; every other choice decides at once, so a
    `reject` always wins. At the deadline itself the card has expired.
    """
    chosen = card.choice(choice)
    if chosen is None:
        return Refused("unknown_choice", card, principal.id)
    if reason := refusal(card, principal, now, revision):
        return Refused(reason, card, principal.id)
    if chosen.form and values is None:
        return NeedsForm(chosen)
    typed, errors = check_form(chosen.form, values or {}, card.lang)
    if errors:
        return Invalid(errors)
    needed = votes_needed(card) - 1 if choice == "approve" else 0
    if needed > 0:
        vote = Vote(person=principal.id, name=principal.name, choice=choice, at=now)
        return Recorded(_next(card, votes=(*card.votes, vote)), needed)
    decision = Decision(
        choice=choice, person=principal.id, name=principal.name, at=now, values=typed
    )
    return Won(_decided(card, decision), decision)


def may_decide(card: Card, principal: Principal) -> bool:
    """Whether the person is an approver of this card; with nobody named, nobody is."""
    review = card.review
    return principal.id in review.persons or not set(review.roles).isdisjoint(principal.roles)


def votes_needed(card: Card) -> int:
    """How many more persons have to approve, at least 1 while the card is open."""
    approved = {vote.person for vote in card.votes if vote.choice == "approve"}
    return max(card.review.quorum - len(approved), 1)


def refusal(card: Card, principal: Principal, now: datetime, revision: int) -> Reason | None:
    """Why a tap of this person on that revision of the card would not count; None when it would."""
    if card.status != "open":
        return "not_open"
    if card.deadline is not None and now >= card.deadline:
        return "expired"
    if revision != card.revision:
        return "stale"
    if card.review.four_eyes and principal.id == card.requester:
        return "own_request"
    if not may_decide(card, principal):
        return "not_approver"
    if any(vote.person == principal.id for vote in card.votes):
        return "already_voted"
    return None


def _decided(card: Card, decision: Decision) -> Card:
    """The card without its forms: nobody fills them in any more, and cards are kept for long."""
    choices = tuple(choice.model_copy(update={"form": ()}) for choice in card.choices)
    return _next(card, status="decided", decision=decision, choices=choices, known=())


def _next(card: Card, **changes: object) -> Card:
    return card.model_copy(update={**changes, "version": card.version + 1})

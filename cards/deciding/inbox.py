"""For whom a card waits: the names that it is listed under, and those of a person (§3, inbox)."""

from datetime import datetime

from cards.deciding.decision import refusal_reason
from cards.model import Card, Principal

EVERYBODY = "all"
"""Every waiting card is listed under this name too, for operators."""


def inbox_names_of_card(card: Card) -> tuple[str, ...]:
    """Return the names that a card is listed under; none for a card that only informs."""
    if card.traits.informs:
        return ()
    roles = (f"role:{role}" for role in card.review.roles)
    handed = (each.to for each in card.handed)
    persons = (f"person:{person}" for person in (*card.review.persons, *handed))
    return tuple(dict.fromkeys((EVERYBODY, *roles, *persons)))


def inbox_names_of_person(principal: Principal) -> tuple[str, ...]:
    """Return the names under which cards may wait for this person or whose seat they may take."""
    people = (principal, *principal.stands_for)
    roles = (f"role:{role}" for each in people for role in each.roles)
    persons = (f"person:{name}" for each in people for name in (each.id, *each.accounts))
    return tuple(dict.fromkeys((*persons, *roles)))


def voters_of(card: Card) -> tuple[str, ...]:
    """Return the ids of whoever voted on a card by its policy, or decided it."""
    if not card.review.by_policy:
        return ()
    decided = (card.decision,) if card.decision else ()
    return tuple(dict.fromkeys(each.person for each in (*card.votes, *decided)))


def is_waiting_for(card: Card, principal: Principal, now: datetime) -> bool:
    """Whether a tap of theirs would count now."""
    return not card.traits.informs and refusal_reason(card, principal, now, card.revision) is None

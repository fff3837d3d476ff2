"""For whom a card waits: the names it is listed under, and whose they are (design §3, inbox)."""

from datetime import datetime

from cards.deciding.decision import refusal_reason
from cards.model import Card, Principal

EVERYBODY = "all"
"""Every card that waits for somebody is listed under this name too, for operators."""


def inbox_names_of_card(card: Card) -> tuple[str, ...]:
    """The names of all who may be asked; none for a card that only tells."""
    if card.traits.informs:
        return ()
    roles = (f"role:{role}" for role in card.review.roles)
    handed = (each.to for each in card.handed)
    persons = (f"person:{person}" for person in (*card.review.persons, *handed))
    return tuple(dict.fromkeys((EVERYBODY, *roles, *persons)))


def inbox_names_of_person(principal: Principal) -> tuple[str, ...]:
    """Under which names cards may wait for this person, or for those whose seat they may take."""
    whole = (principal, *principal.stands_for)
    roles = (f"role:{role}" for each in whole for role in each.roles)
    persons = (f"person:{name}" for each in whole for name in (each.id, *each.accounts))
    return tuple(dict.fromkeys((*persons, *roles)))


def is_waiting_for(card: Card, principal: Principal, now: datetime) -> bool:
    """Whether a tap of theirs would count now: nobody is shown what they may not decide."""
    return not card.traits.informs and refusal_reason(card, principal, now, card.revision) is None

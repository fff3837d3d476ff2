"""Somebody else decides for a named approver who is none of the people any more (design §7)."""

from collections.abc import Mapping
from datetime import datetime

from cards.deciding.seats import is_own_request, may_decide
from cards.model import Card, Principal, Review
from cards.texts import say
from engine.ports.people import People


def find_leavers(card: Card, people: People) -> tuple[str, ...]:
    """The ids of those whom the open card's review names and who are nobody any more."""
    if card.status != "open" or not card.review.by_policy:
        return ()
    scope = people.scope_of(card)
    return tuple(each for each in card.review.persons if scope.find_listed(each) is None)


def can_nobody_decide(card: Card, people: People) -> bool:
    """Whether all who could decide the open card have left, or hold its roles no more.

    Who holds a role only since it was asked for may not decide it.
    """
    if card.status != "open" or not card.review.by_policy:
        return False
    deciders = people.scope_of(card).deciders(card.review)
    return not any(may_decide(card, each) and not is_own_request(card, each) for each in deciders)


def can_replace(card: Card, taker: Principal, now: datetime) -> bool:
    """Whether the person may decide in the place of who has left."""
    is_over = card.deadline is not None and now >= card.deadline
    wrote = card.review.four_eyes and not taker.ids.isdisjoint(card.authors.values())
    return not (is_over or wrote or is_own_request(card, taker) or may_decide(card, taker))


def replace_approver(card: Card, leaver: str, taker: Principal, people: People) -> Card:
    """The card as if it had named that person instead; what is shown for approval stays."""
    place = {leaver: taker.id}
    review = _with_places(card.review, place)
    names = [people.role_name(role, card.lang) for role in review.roles]
    found = {each: people.find_listed(each) for each in review.persons}
    names += [known.name if known else each for each, known in found.items()]
    update = {
        "review": review,
        "waiting_for": say("list.items", card.lang).join(names),
        "version": card.version + 1,
    }
    return card.model_copy(update=update)


def _with_places(review: Review, place: Mapping[str, str]) -> Review:
    needed = tuple(
        vote.model_copy(
            update={
                "persons": _put(vote.persons, place),
                "approvers": _put(vote.approvers, place),
            }
        )
        for vote in review.needed
    )
    update = {
        "persons": _put(review.persons, place),
        "approvers": _put(review.approvers or (), place),
        "needed": needed,
    }
    return review.model_copy(update=update)


def _put(ids: tuple[str, ...], place: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place.get(each, each) for each in ids))

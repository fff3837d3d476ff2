"""Seats on a card: a person's own, and those given to them (runs-and-reviews §1.9)."""

from cards.deciding.needed import adds_vote, votes_given_by
from cards.model import Card, Principal


def may_decide(card: Card, principal: Principal) -> bool:
    """Whether the person is an approver of this card: when it opened, and now."""
    review, ids = card.review, principal.ids
    if not ids.isdisjoint(review.persons):
        return True
    was_approver = review.approvers is None or not ids.isdisjoint(review.approvers)
    return was_approver and not set(review.roles).isdisjoint(principal.roles)


def seats_of(card: Card, principal: Principal) -> tuple[Principal, ...]:
    """Return the seats in which this person may vote, their own first, never the requester's.

    Seats of those they stand in for count only where the review is delegable.
    """
    own = (principal,) if may_decide(card, principal) else ()
    lent = principal.stands_for if card.review.delegable else ()
    given = tuple(each for each in lent if each.id != principal.id and may_decide(card, each))
    return tuple(each for each in (*own, *given) if not is_own_request(card, each))


def may_answer(card: Card, principal: Principal) -> bool:
    """Whether the person, or somebody whose seat they may take, is an approver of this card."""
    lent = principal.stands_for if card.review.delegable else ()
    return any(may_decide(card, each) for each in (principal, *lent))


def is_own_request(card: Card, principal: Principal) -> bool:
    """Whether four eyes are needed and this person asked for the card."""
    return card.review.four_eyes and card.is_requested_by(principal)


def has_voted(card: Card, principal: Principal) -> bool:
    """Whether the person gave a vote, or had one given in their seat."""
    return any({vote.seat_owner, vote.person} & principal.ids for vote in card.votes)


def first_free_seat(card: Card, seats: tuple[Principal, ...]) -> Principal | None:
    """Return the first of the seats that has not voted and whose vote is needed."""
    free = (seat for seat in seats if not has_seat_voted(card, seat))
    return next((seat for seat in free if adds_vote(card, votes_given_by(card, seat))), None)


def has_seat_voted(card: Card, seat: Principal) -> bool:
    """Whether somebody voted in this person's seat."""
    return any(vote.seat_owner in seat.ids for vote in card.votes)

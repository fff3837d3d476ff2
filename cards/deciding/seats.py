"""Whose vote a tap is: one's own seat, or that of somebody who gave it (runs-and-reviews §1.9)."""

from cards.model import Card, Principal


def may_decide(card: Card, principal: Principal) -> bool:
    """Whether the person is an approver of this card; with nobody named, nobody is.

    They must have been one when it opened, and be one now.
    """
    review, ids = card.review, principal.ids
    if not ids.isdisjoint(review.persons):
        return True
    were = review.approvers is None or not ids.isdisjoint(review.approvers)
    return were and not set(review.roles).isdisjoint(principal.roles)


def seats_of(card: Card, principal: Principal) -> tuple[Principal, ...]:
    """The seats in which this person may vote, their own first; the requester's is no seat.

    Whoever stands in for others is offered their seats only where the review lets seats be given.
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
    """Whether four eyes are needed and these two are the person who asked."""
    return card.review.four_eyes and card.is_requested_by(principal)


def has_voted(card: Card, principal: Principal) -> bool:
    """Whether the person gave a vote, or had one given in their seat."""
    return any({vote.held, vote.person} & principal.ids for vote in card.votes)


def first_free_seat(card: Card, found: tuple[Principal, ...]) -> Principal | None:
    """The first of the seats that has not voted."""
    voted = {vote.held for vote in card.votes}
    return next((seat for seat in found if voted.isdisjoint(seat.ids)), None)

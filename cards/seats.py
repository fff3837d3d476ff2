"""Whose vote a tap is: one's own seat, or that of somebody who gave it (runs-and-reviews §1.9)."""

from cards.model import Card, Principal


def may_decide(card: Card, principal: Principal) -> bool:
    """Whether the person is an approver of this card; with nobody named, nobody is.

    They must have been one when it opened, and be one now.
    """
    review = card.review
    if principal.id in review.persons:
        return True
    were = review.approvers is None or principal.id in review.approvers
    return were and not set(review.roles).isdisjoint(principal.roles)


def seats(card: Card, principal: Principal) -> tuple[Principal, ...]:
    """The seats in which this person may vote, their own first; the requester's is no seat.

    Whoever stands in for others is offered their seats only where the review lets seats be given.
    """
    own = (principal,) if may_decide(card, principal) else ()
    lent = principal.stands_for if card.review.delegable else ()
    given = tuple(each for each in lent if each.id != principal.id and may_decide(card, each))
    barred = card.requester if card.review.four_eyes else ""
    return tuple(each for each in (*own, *given) if each.id != barred)


def free(card: Card, found: tuple[Principal, ...]) -> Principal | None:
    """The first of the seats that has not voted."""
    voted = {vote.held for vote in card.votes}
    return next((seat for seat in found if seat.id not in voted), None)

"""Votes that a card needs of different people, such as one of finance and one of a director."""

from collections.abc import Collection, Sequence

from cards.model import Card, Principal

Given = Sequence[tuple[int, ...]]
"""For each vote, the numbers of the needed votes that it may be."""


def votes_given_by(card: Card, principal: Principal) -> tuple[int, ...]:
    """Return which of the needed votes this person may give: when the card opened, and now."""
    ids, roles = principal.ids, set(principal.roles)
    return tuple(
        number
        for number, needed in enumerate(card.review.needed)
        if not ids.isdisjoint(needed.persons)
        or (not ids.isdisjoint(needed.approvers) and not roles.isdisjoint(needed.roles))
    )


def votes_given_by_id(card: Card, person: str) -> tuple[int, ...]:
    """Return which of the needed votes whoever had this id could give when the card opened."""
    return tuple(
        number
        for number, needed in enumerate(card.review.needed)
        if person in needed.persons or person in needed.approvers
    )


def adds_vote(card: Card, gives: tuple[int, ...]) -> bool:
    """Whether a vote that may be these brings the card on; always where all votes are alike."""
    if not card.review.needed:
        return True
    given = [vote.gives for vote in card.votes]
    return count_given([*given, gives]) > count_given(given)


def count_given(given: Given) -> int:
    """Return how many needed votes there are when each vote is the one that serves most."""
    holders: dict[int, int] = {}

    def place(vote: int, tried: set[int]) -> bool:
        for number in given[vote]:
            if number not in tried:
                tried.add(number)
                if number not in holders or place(holders[number], tried):
                    holders[number] = vote
                    return True
        return False

    return sum(place(vote, set()) for vote in range(len(given)))


def can_reach_quorum(card: Card, people: Collection[Principal]) -> bool:
    """Whether votes of these people, each counted once, are enough for an approval."""
    each = {person.id: person for person in people}.values()
    if not card.review.needed:
        return len(each) >= card.review.quorum
    return count_given([votes_given_by(card, p) for p in each]) >= card.review.quorum

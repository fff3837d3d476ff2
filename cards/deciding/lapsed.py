"""Votes that lapse because people or roles have changed (runs-and-reviews A23, A45)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from cards.deciding.needed import adds_vote, count_given, votes_given_by
from cards.deciding.seats import has_voted, is_own_request, may_decide
from cards.model import Card, LapsedVote, Principal, Vote

Why = Literal["no_role", "gone", "same_person"]


def drop_lapsed_votes(
    card: Card, *, holders: Sequence[Principal], people: Sequence[Principal], now: datetime
) -> Card:
    """Return the open card with the votes that count now; the same object when all do.

    `holders` are all who hold a role of its review now, `people` everybody. A lapsed vote does not
    come back with the role: its person votes again.
    """
    if card.status != "open" or not card.votes:
        return card
    left: list[Vote] = []
    lapsed: list[LapsedVote] = []
    for vote in card.votes:
        today = _given_today(card, vote, holders)
        if why := _lapse_reason(card, today, left, holders, people):
            lapsed.append(LapsedVote(vote=vote, at=now, why=why))
        else:
            left.append(today)
    if left == list(card.votes):
        return card
    return card.model_copy(update={"votes": tuple(left), "lapsed": (*card.lapsed, *lapsed)})


def open_seats(card: Card, holders: Sequence[Principal]) -> tuple[Principal, ...]:
    """Return those of the holders whose seat has not voted and still may."""
    free = (p for p in holders if may_decide(card, p) and not has_voted(card, p))
    wanted = (p for p in free if adds_vote(card, votes_given_by(card, p)))
    return tuple(p for p in wanted if not is_own_request(card, p))


def describe_lapsed_votes(card: Card, since: datetime) -> list[dict[str, Any]]:
    """Return the audit's entries of the votes that lapsed at that moment."""
    return [
        {
            "person": each.vote.person,
            **({"for": each.vote.seat} if each.vote.seat else {}),
            "choice": each.vote.choice,
            "why": each.why,
        }
        for each in card.lapsed
        if each.at == since
    ]


def _lapse_reason(
    card: Card,
    vote: Vote,
    before: Sequence[Vote],
    holders: Sequence[Principal],
    people: Sequence[Principal],
) -> Why | None:
    """Return why the vote does not count beside those `before` it; None while it does."""
    everybody = (*holders, *people)
    seat = _ids_of(vote.seat_owner, everybody) | {vote.seat_owner}
    if not _ids_of(vote.seat_owner, holders) and seat.isdisjoint(card.review.persons):
        return "no_role"
    given = [each.gives for each in before]
    if card.review.needed and count_given([*given, vote.gives]) == count_given(given):
        return "no_role"
    person = _ids_of(vote.person, everybody)
    if not person:
        return "gone"
    twice = any({each.seat_owner, each.person} & (seat | person) for each in before)
    return "same_person" if twice else None


def _given_today(card: Card, vote: Vote, holders: Sequence[Principal]) -> Vote:
    """Return the vote with those of the needed votes that its seat may still give."""
    owner = next((each for each in holders if vote.seat_owner in each.ids), None)
    gives = votes_given_by(card, owner) if owner else ()
    return vote if gives == vote.gives else vote.model_copy(update={"gives": gives})


def _ids_of(name: str, people: Sequence[Principal]) -> frozenset[str]:
    """Return every id of the person who has this one; none where nobody has."""
    return next((each.ids for each in people if name in each.ids), frozenset())

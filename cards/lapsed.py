"""Votes that count no more, since whoever gave them has lost the role (runs-and-reviews A23)."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from cards.model import Card, Lapsed, Principal, Vote
from cards.seats import may_decide


def counted(card: Card, *, held: Collection[str], known: Collection[str], now: datetime) -> Card:
    """The open card with the votes that count at this moment; the very same when all do.

    `held` are the ids of all who hold a role of its review now, `known` of everybody there is.
    A vote that fell does not come back with the role: who has it again votes again.
    """
    if card.status != "open" or not card.votes:
        return card
    fallen = {vote: _why(card, vote, held, known) for vote in card.votes}
    lapsed = [Lapsed(vote=vote, at=now, why=why) for vote, why in fallen.items() if why]
    if not lapsed:
        return card
    left = tuple(vote for vote, why in fallen.items() if not why)
    return card.model_copy(update={"votes": left, "lapsed": (*card.lapsed, *lapsed)})


def open_seats(card: Card, holders: Sequence[Principal]) -> tuple[Principal, ...]:
    """Of those who hold a role now, whose seat on the card has not voted and still may."""
    voted = {vote.held for vote in card.votes} | {vote.person for vote in card.votes}
    barred = card.requester if card.review.four_eyes else ""
    return tuple(p for p in holders if may_decide(card, p) and p.id not in {*voted, barred})


def told(card: Card, since: datetime) -> list[dict[str, Any]]:
    """What the audit says of the votes that fell at that moment."""
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


def _why(card: Card, vote: Vote, held: Collection[str], known: Collection[str]) -> str:
    """Why the vote does not count, "" while it does."""
    if vote.held not in held and vote.held not in card.review.persons:
        return "no_role"
    return "" if vote.person in held or vote.person in known else "gone"

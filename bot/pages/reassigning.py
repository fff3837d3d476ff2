"""An operator gives somebody's seat on a review to another: as the rules of hand-over have it.

No other card can be given away: a question is its person's own. Nobody gets a seat who may not
decide: neither the requester under four eyes, nor whoever changed what is to be approved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from bot.people import Directory
from cards.handover import Handed, NotHanded, Reason, hand_over, may_hand_over
from cards.model import Card, Principal
from cards.seats import free, seats
from engine import audit
from engine.ports.store import CardNow, CardWrite, Effects
from engine.reviewing import handed

EVENT: Final = "reassigned"
_TOLD: Final[Mapping[Reason, str]] = {
    "not_open": "pages.said.closed",
    "not_delegable": "pages.said.not_delegable",
    "no_seat": "pages.said.no_seat",
    "seat_taken": "pages.said.no_seat",
    "to_self": "pages.said.may_not",
    "to_requester": "pages.said.may_not",
    "to_reviewer": "pages.said.may_not",
    "handed_before": "pages.said.handed_before",
}


@dataclass(frozen=True, slots=True)
class Seats:
    """Whose seats on a card can be given away, and who could take one of them."""

    givers: tuple[Principal, ...]
    takers: tuple[Principal, ...]


@dataclass(frozen=True, slots=True)
class Reassigning:
    """Judges who may have whose seat; writes nothing itself. `zone` is that of the service."""

    people: Directory
    zone: str

    def seats(self, cards: Sequence[Card], now: datetime) -> Mapping[str, Seats]:
        """By card, for those of which a seat can be given to somebody."""
        found = {card.token: self._seats(card, now) for card in cards}
        return {token: each for token, each in found.items() if each.givers and each.takers}

    def judge(
        self, found: CardNow, giver: str, taker: str, told: Mapping[str, str]
    ) -> str | Effects:
        """What it changes; or the key of the sentence that says why it cannot be.

        `told` is who wants it, and from where, for the run's log.
        """
        card, now = found.card, found.now
        gives = next((each for each in self._holders(card) if each.id == giver), None)
        takes = self.people.person(taker)
        if gives is None or takes is None:
            return "pages.said.nobody"
        verdict = self._given(card, gives, takes, now)
        if isinstance(verdict, NotHanded):
            return _TOLD[verdict.reason]
        today = now.astimezone(ZoneInfo(self.zone)).date()
        facts = {**told, "for": gives.id, "given_to": takes.id}
        entry = audit.about_card(card, now, EVENT, facts, after=verdict.card)
        return Effects(
            cards=(CardWrite(verdict.card, expect=card.version),),
            posts=handed(verdict, self.people.reached([takes.id], today)),
            log=(entry,),
        )

    def _holders(self, card: Card) -> Sequence[Principal]:
        return self.people.holders(card.review.roles) if card.review.roles else ()

    def _seats(self, card: Card, now: datetime) -> Seats:
        givers = [each for each in self._holders(card) if not may_hand_over(card, each, now)]
        takers = [
            taker
            for taker in self.people.everybody
            if any(isinstance(self._given(card, each, taker, now), Handed) for each in givers)
        ]
        return Seats(tuple(givers), tuple(takers))

    def _given(
        self, card: Card, giver: Principal, taker: Principal, now: datetime
    ) -> Handed | NotHanded:
        """As if the giver did it; and the taker must be able to approve with what they get."""
        verdict = hand_over(card, giver, taker, now, ordered=True)
        if isinstance(verdict, NotHanded):
            return verdict
        today = now.astimezone(ZoneInfo(self.zone)).date()
        stands = self.people.standing(taker, verdict.card, today)
        wrote = card.review.four_eyes and taker.id in card.authors.values()
        if wrote or free(verdict.card, seats(verdict.card, stands)) is None:
            return NotHanded("to_requester")
        return verdict

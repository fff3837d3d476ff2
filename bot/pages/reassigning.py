"""An operator gives somebody's seat on a review to another: as the rules of hand-over have it.

No other card can be given away: a question is its person's own. Nobody gets a seat who may not
decide: neither the requester under four eyes, nor whoever changed what is to be approved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from bot.people.directory import Directory
from cards.deciding.handover import Handed, NotHanded, Reason
from cards.model import Card, Principal
from engine.frames import audit
from engine.ports.storage.store import CardNow, Effects
from engine.reviews.card_judge import CardJudge

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
        people = self.people.about(card.conversation)
        takes = people.person(taker)
        if gives is None or takes is None:
            return "pages.said.nobody"
        verdict, effects = self._judge.give(found, gives, takes, ordered=True)
        if isinstance(verdict, NotHanded):
            return _TOLD[verdict.reason]
        facts = {**told, "for": gives.id, "given_to": takes.id}
        entry = audit.about_card(card, now, EVENT, facts, after=verdict.card)
        return replace(effects, log=(entry,))

    @property
    def _judge(self) -> CardJudge:
        return CardJudge(self.people, self.zone)

    def _holders(self, card: Card) -> Sequence[Principal]:
        people = self.people.about(card.conversation)
        return people.holders(card.review.roles) if card.review.roles else ()

    def _seats(self, card: Card, now: datetime) -> Seats:
        found, judge = CardNow(card, now), self._judge
        givers = [each for each in self._holders(card) if not judge.may_give(found, each)]
        takers = [
            taker
            for taker in self.people.about(card.conversation).everybody
            if any(self._could(found, each, taker) for each in givers)
        ]
        return Seats(tuple(givers), tuple(takers))

    def _could(self, found: CardNow, giver: Principal, taker: Principal) -> bool:
        return isinstance(self._judge.give(found, giver, taker, ordered=True)[0], Handed)

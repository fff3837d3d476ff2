"""The language and time zone in which a place is shown what it is shown (design §7)."""

from dataclasses import dataclass

from bot.people.directory import Directory
from cards.model import Card
from cards.translation import translate_card
from engine.frames.replies import ReplyHead


@dataclass(frozen=True, slots=True)
class Localizer:
    """A person's own chat is shown in their language and zone; `zone` is for all others."""

    people: Directory
    zone: str

    def localize_card(self, card: Card, place: str) -> tuple[Card, str]:
        """The card in the language of that place, and the zone of its times.

        In the conversation that it was asked in, it stays in that conversation's language.
        """
        own = self.people.owner_of(place)
        zone = self.people.rules_of(place).zone or (own.zone if own else "") or self.zone
        if self.people.is_within(place, card.conversation):
            asker = self.people.person(card.requester) if self._is_direct(place) else None
            return card, asker.zone if asker and asker.zone and not own else zone
        if own is None:
            return card, zone
        return translate_card(card, own.language, self.people.role_name), zone

    def reply_zone(self, head: ReplyHead) -> str:
        """The zone of a reply's times: the asker's in their direct chat."""
        if zone := self.people.rules_of(head.conversation).zone:
            return zone
        own = self.people.owner_of(head.conversation)
        asker = head.principal.zone if self._is_direct(head.conversation) else ""
        return (own.zone if own else asker) or self.zone

    def _is_direct(self, place: str) -> bool:
        return self.people.rules_of(place).is_direct(place)

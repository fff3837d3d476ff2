"""What a worker does about people who are not admitted: tells them, asks admins, lets them in."""

from dataclasses import dataclass

from cards.markdown import literal
from engine.mail import (
    CardDecided,
    CardExpired,
    CommandArrived,
    MessageArrived,
    ServiceNotice,
    StrangerArrived,
)
from engine.ports.storage.store import Effects
from engine.reviews import admission
from engine.reviews.clocks import close_card, without_timers
from engine.services import Services
from engine.talk import commands
from engine.text.language import detect


@dataclass(frozen=True, slots=True)
class Strangers:
    """As of the services' moment, by the people that there are."""

    services: Services

    def turned_away(self, mail: MessageArrived | CommandArrived) -> Effects:
        """One sentence to whoever was admitted when they wrote, and is not any more."""
        lang = mail.principal.lang or detect(mail.update.text)
        text = literal(self.services.people.stranger_text(mail.principal, lang))
        told = ServiceNotice(id=f"stranger/{mail.update.id}", lang=lang, text=text)
        return commands.notice_effects(told, mail.update.conversation)

    def asked_about(self, mail: StrangerArrived) -> Effects:
        """The card that asks admins."""
        if self.services.people.is_admitted(self.services.people.refresh(mail.stranger)):
            return Effects()
        return admission.ask_admins(
            mail,
            self.services.people.admins(),
            role=self.services.people.role_name,
            new_id=self.services.new_id,
            now=self.services.now,
        )

    async def answered(self, mail: CardDecided | CardExpired) -> Effects | None:
        """The effects of an answer to such a card, or of its expiry; None for any other card.

        Whom an admin lets in is let in before the commit: doing it again changes nothing.
        """
        found = await self.services.decisions.card(mail.card)
        if found is None or not admission.is_admission(found.card):
            return None
        if isinstance(mail, CardExpired):
            is_open = found.card.status == "open"
            return Effects(cards=(close_card(found.card, "expired"),) if is_open else ())
        if entrant := admission.entrant_of(found.card, mail.decision):
            await self.services.admissions.admit(entrant)
        return Effects(timers=without_timers(found.card.token, found.card.lane))

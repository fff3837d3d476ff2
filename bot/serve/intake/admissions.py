"""People beside people.yaml: who was let in, what strangers are told, how admins are asked."""

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog

from bot.people.directory import Directory
from bot.waits import pause
from cards.markdown import literal
from cards.model import Principal
from engine.errors import StoreError
from engine.events import Update
from engine.mail import (
    CardDecided,
    CardExpired,
    CommandArrived,
    MessageArrived,
    ServiceNotice,
    StrangerArrived,
)
from engine.ports.platform import Pace, Rate
from engine.ports.storage.admissions import Admissions
from engine.ports.storage.model_numbers import ModelNumbers
from engine.ports.storage.store import Effects, Mailbox
from engine.reviews import admission
from engine.reviews.clocks import close_card, stop_timers
from engine.services import Services
from engine.talk import commands
from engine.text.language import detect

log = structlog.get_logger()
REFRESH_S: Final = 2.0
ASKED_AGAIN_S: Final = 86_400
ASKED_ABOUT: Final = Pace(every_s=1800.0, burst=10)
"""So many strangers are asked about: no crowd of accounts floods those who let people in."""


class AdmittedAccounts:
    """The accounts that were let in, from memory: nobody who writes waits for it."""

    def __init__(self, admissions: Admissions) -> None:
        self._admissions = admissions
        self._accounts: frozenset[str] = frozenset()

    def has(self, account: str) -> bool:
        """Whether it was let in, as of a few seconds ago."""
        return account in self._accounts

    async def load(self) -> None:
        """Take over what is kept. Raises StoreError."""
        found = await self._admissions.everybody()
        self._accounts = frozenset(entrant.account for entrant in found)

    async def run(self, stop: asyncio.Event) -> None:
        """Keep it fresh until `stop`; while the store is away, nothing is handled anyway."""
        while not stop.is_set():
            try:
                await self.load()
            except StoreError as error:
                log.warning("admissions_store_away", error=str(error))
            await pause(stop, REFRESH_S)


@dataclass(frozen=True, slots=True)
class AdmissionRequests:
    """Has admins asked, once a day for each account, whether a stranger is let in."""

    people: Directory
    mailbox: Mailbox
    numbers: ModelNumbers
    rate: Rate

    async def came(self, update: Update, stranger: Principal) -> None:
        """Best effort: what the stranger is told does not hang on it."""
        admins = self.people.admins()
        if not admins:
            return
        try:
            if not await self.numbers.first(f"stranger:{stranger.id}", within_s=ASKED_AGAIN_S):
                return
            if await self.rate.ask("strangers", ASKED_ABOUT, 1):
                return
            mail = StrangerArrived(stranger=stranger, where=update.conversation, update=update.id)
            lane = f"control:{admins[0][0]}"
            await self.mailbox.put(lane, mail.stored(), update_id=f"stranger/{update.id}")
        except StoreError as error:
            log.warning("stranger_not_told", account=stranger.id, error=str(error))


@dataclass(frozen=True, slots=True)
class StrangerHandler:
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
        return Effects(timers=stop_timers(found.card.token, found.card.lane))

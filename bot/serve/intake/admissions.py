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
from engine.text.language import detect_language

log = structlog.get_logger()
REFRESH_S: Final = 2.0
ASK_AGAIN_S: Final = 86_400
ASK_PACE: Final = Pace(every_s=1800.0, burst=10)
"""How often admins are asked at most, however many strangers write."""


class AdmittedAccounts:
    """The accounts that were let in, in memory, so that no message waits for the store."""

    def __init__(self, admissions: Admissions) -> None:
        self._admissions = admissions
        self._accounts: frozenset[str] = frozenset()

    def has(self, account: str) -> bool:
        """Whether the account was let in, as of a few seconds ago."""
        return account in self._accounts

    async def load(self) -> None:
        """Read the accounts from the store. Raises StoreError."""
        found = await self._admissions.everybody()
        self._accounts = frozenset(entrant.account for entrant in found)

    async def run(self, stop: asyncio.Event) -> None:
        """Read them again every few seconds until `stop`."""
        while not stop.is_set():
            try:
                await self.load()
            except StoreError as error:
                log.warning("admissions_store_away", error=str(error))
            await pause(stop, REFRESH_S)


@dataclass(frozen=True, slots=True)
class AdmissionRequests:
    """Asks admins, once a day for each account, whether to let a stranger in."""

    people: Directory
    mailbox: Mailbox
    numbers: ModelNumbers
    rate: Rate

    async def request(self, update: Update, stranger: Principal) -> None:
        """Ask the admins, unless they were asked lately; a store that is away is only logged."""
        admins = self.people.admins()
        if not admins:
            return
        try:
            if not await self.numbers.first(f"stranger:{stranger.id}", within_s=ASK_AGAIN_S):
                return
            if await self.rate.ask("strangers", ASK_PACE, 1):
                return
            mail = StrangerArrived(stranger=stranger, where=update.conversation, update=update.id)
            lane = f"control:{admins[0][0]}"
            await self.mailbox.put(lane, mail.stored(), update_id=f"stranger/{update.id}")
        except StoreError as error:
            log.warning("stranger_not_told", account=stranger.id, error=str(error))


@dataclass(frozen=True, slots=True)
class StrangerHandler:
    """Handles the mail of people who may not ask, and answers to the card about them."""

    services: Services

    def turn_away(self, mail: MessageArrived | CommandArrived) -> Effects:
        """One sentence to a person who was admitted when they wrote, and no longer is."""
        lang = mail.principal.lang or detect_language(mail.update.text)
        text = literal(self.services.people.stranger_text(mail.principal, lang))
        notice = ServiceNotice(id=f"stranger/{mail.update.id}", lang=lang, text=text)
        return commands.notice_effects(notice, mail.update.conversation)

    def ask_admins(self, mail: StrangerArrived) -> Effects:
        """The card that asks admins whether to let the account in."""
        if self.services.people.is_admitted(self.services.people.refresh(mail.stranger)):
            return Effects()
        return admission.ask_admins(
            mail,
            self.services.people.admins(),
            role=self.services.people.role_name,
            new_id=self.services.new_id,
            now=self.services.now,
        )

    async def apply_answer(self, mail: CardDecided | CardExpired) -> Effects | None:
        """The effects of an answer to such a card, or of its expiry; None for any other card.

        The account is let in before the commit: doing it again changes nothing.
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

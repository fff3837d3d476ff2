"""Who was let in beside people.yaml, as all processes know it; how admins hear of strangers."""

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog

from bot.people.directory import Directory
from bot.stopping import pause
from cards.model import Principal
from engine.errors import StoreError
from engine.events import Update
from engine.mail import StrangerArrived
from engine.ports.platform import Pace, Rate
from engine.ports.storage.admissions import Admissions
from engine.ports.storage.model_numbers import ModelNumbers
from engine.ports.storage.store import Mailbox

log = structlog.get_logger()
REFRESH_S: Final = 2.0
ASKED_AGAIN_S: Final = 86_400
ASKED_ABOUT: Final = Pace(every_s=1800.0, burst=10)
"""So many strangers are asked about: no crowd of accounts floods those who let people in."""


class Entrants:
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
class Doorkeeper:
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

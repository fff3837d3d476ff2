"""Reviews that wait for somebody who has left people.yaml: told, and to whom."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import structlog

from bot.people.directory import Directory
from bot.waits import pause
from cards.deciding.inbox import EVERYBODY
from cards.markdown import literal
from cards.model import Card, Lang
from cards.texts import say
from engine.errors import StoreError
from engine.mail import ServiceNotice
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.model_numbers import ModelNumbers
from engine.ports.storage.store import Mailbox
from engine.reviews.replacement import find_leavers

log = structlog.get_logger()
EVERY_S: Final = 3600.0
QUIET_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class LeaverReports:
    """Tells, at most once a day for each card, that a named approver is nobody any more.

    Who asked for it reads that in the card's conversation, everybody with the role admin where they
    are reached. Nobody else decides until an admin names somebody.
    """

    inbox: Inbox
    numbers: ModelNumbers
    mailbox: Mailbox
    people: Directory

    async def run(self, stop: asyncio.Event) -> None:
        """Look at the start, for that is when people change, and once an hour until `stop`."""
        while not stop.is_set():
            try:
                await self.report()
            except StoreError as error:
                log.warning("leavers_not_told", error=str(error))
            await pause(stop, EVERY_S)

    async def report(self) -> None:
        """Look at all open cards now. Raises StoreError."""
        found = await self.inbox.find_tokens([EVERYBODY])
        for card in await self.inbox.cards(found.tokens):
            for leaver in find_leavers(card, self.people):
                name = f"leaver/{card.token}/{leaver}"
                if await self.numbers.first(name, within_s=QUIET_S):
                    log.warning("approver_gone", card=card.token, run=card.run, person=leaver)
                    await self._tell(card, leaver, name)

    async def _tell(self, card: Card, leaver: str, name: str) -> None:
        for place, lang in self._readers(card):
            text = say("review.leaver", lang, name=literal(leaver), title=literal(card.title))
            mail = ServiceNotice(id=f"{name}/{place}", lang=lang, text=text)
            await self.mailbox.put(f"control:{place}", mail.stored(), update_id=mail.id)

    def _readers(self, card: Card) -> Iterator[tuple[str, Lang]]:
        yield card.conversation, card.lang
        yield from (each for each in self.people.admins() if each[0] != card.conversation)

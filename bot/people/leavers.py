"""Reviews that wait for people who have left people.yaml: told, and to whom."""

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
from engine.reviews.replacement import can_nobody_decide, find_leavers

log = structlog.get_logger()
EVERY_S: Final = 3600.0
LOOK_S: Final = 2.0
"""So often it is looked whether the people have changed."""
QUIET_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class LeaverReports:
    """Tells, at most once a day for each card, that a named approver is nobody any more.

    So it does of a card that nobody at all can decide any more, as after the last of a role left.

    Who asked for it reads that in the card's conversation, everybody with the role admin where they
    are reached. Nobody else decides until an admin names somebody.
    """

    inbox: Inbox
    numbers: ModelNumbers
    mailbox: Mailbox
    people: Directory

    async def run(self, stop: asyncio.Event) -> None:
        """Look at the start, whenever people.yaml has changed, and once an hour until `stop`."""
        while not stop.is_set():
            file = self.people.file
            try:
                await self.report()
            except StoreError as error:
                log.warning("leavers_not_told", error=str(error))
            for _ in range(int(EVERY_S / LOOK_S)):
                if stop.is_set() or self.people.file is not file:
                    break
                await pause(stop, LOOK_S)

    async def report(self) -> None:
        """Look at all open cards now. Raises StoreError."""
        found = await self.inbox.find_tokens([EVERYBODY])
        for card in await self.inbox.cards(found.tokens):
            leavers = find_leavers(card, self.people)
            for leaver in leavers:
                await self._tell(card, f"leaver/{card.token}/{leaver}", leaver)
            if not leavers and self._is_known(card) and can_nobody_decide(card, self.people):
                await self._tell(card, f"undecidable/{card.token}")

    def _is_known(self, card: Card) -> bool:
        """Whether the file alone says who holds its roles; a Slack group may be unknown for now."""
        by_group = {role.id for role in self.people.file.roles if role.slack_group}
        return by_group.isdisjoint(card.review.roles)

    async def _tell(self, card: Card, name: str, leaver: str = "") -> None:
        """Without a `leaver` nobody can decide it."""
        if not await self.numbers.first(name, within_s=QUIET_S):
            return
        log.warning("approver_gone", card=card.token, run=card.run, person=leaver or "everybody")
        key = "review.leaver" if leaver else "review.nobody"
        for place, lang in self._readers(card):
            text = say(key, lang, name=literal(leaver), title=literal(card.title))
            mail = ServiceNotice(id=f"{name}/{place}", lang=lang, text=text)
            await self.mailbox.put(f"control:{place}", mail.stored(), update_id=mail.id)

    def _readers(self, card: Card) -> Iterator[tuple[str, Lang]]:
        yield card.conversation, card.lang
        yield from (each for each in self.people.admins() if each[0] != card.conversation)

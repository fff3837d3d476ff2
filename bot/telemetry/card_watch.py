"""How many open cards this version cannot read, for `/readyz`: after going back to an older one."""

import asyncio
from typing import Final

from bot.waits import pause
from cards.deciding.inbox import EVERYBODY
from engine.errors import StoreError
from engine.ports.storage.inbox import Inbox

EVERY_S: Final = 600.0
"""All open cards are read for it."""
_BATCH: Final = 200


class CardWatch:
    """Looks at the start, for that is when the version changes, and now and then."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self.unreadable = 0

    async def run(self, stop: asyncio.Event) -> None:
        """Look again and again until `stop`; a store that is away says nothing."""
        while not stop.is_set():
            await self.check()
            await pause(stop, EVERY_S)

    async def check(self) -> None:
        """Count them now."""
        try:
            tokens = (await self._inbox.find_tokens([EVERYBODY])).tokens
            batches = [tokens[at : at + _BATCH] for at in range(0, len(tokens), _BATCH)]
            self.unreadable = sum([await self._inbox.unreadable(each) for each in batches])
        except StoreError:
            return

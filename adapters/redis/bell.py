"""The doorbell: wakes workers of all processes, one a ring; only a hint (design §3)."""

import asyncio
from contextlib import suppress

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors
from engine.errors import StoreError

MAIL, SHOWS = "mail", "shows"
# Rings that no worker had the time to hear; what is due is in the store.
_KEPT = 16


class Bell:
    """Rings in the background, once for all rings that are asked for meanwhile.

    A lost ring costs no more than the workers' polling interval.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._due = ""
        self._ringing: asyncio.Task[None] | None = None

    def ring(self, *, shows: bool = False) -> asyncio.Task[None]:
        """Wake a worker: there is mail, and with `shows` something to show as well."""
        self._due = SHOWS if shows or self._due == SHOWS else MAIL
        if self._ringing is None or self._ringing.done():
            self._ringing = asyncio.create_task(self._ring())
        return self._ringing

    async def drain(self) -> None:
        """Wait until no ring is under way."""
        if self._ringing is not None:
            await self._ringing

    async def _ring(self) -> None:
        while self._due:
            due, self._due = self._due, ""
            with suppress(StoreError), translate_errors():
                async with self._client.pipeline(transaction=False) as pipe:
                    pipe.lpush(keys.BELL, due)
                    pipe.ltrim(keys.BELL, 0, _KEPT - 1)
                    await pipe.execute()

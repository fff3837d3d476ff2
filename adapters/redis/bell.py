"""The doorbell: wakes workers of all processes, one a ring; only a hint (design §3)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from adapters.redis import keys
from engine.errors import StoreError

RunCommands = Callable[..., Awaitable[Sequence[Any]]]

MAIL, SHOWS = "mail", "shows"
# Rings that no worker had the time to hear; what is due is in the store.
_KEPT = 16


class Bell:
    """Rings in the background, once for all rings that are asked for meanwhile.

    A ring goes in the round trip of the scripts that are called just then, for which the server
    syncs its file once. A lost ring costs no more than the workers' polling interval.
    """

    def __init__(self, run_commands: RunCommands) -> None:
        self._run_commands = run_commands
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
            with suppress(StoreError):
                await self._run_commands(
                    ("LPUSH", keys.BELL, due), ("LTRIM", keys.BELL, 0, _KEPT - 1)
                )

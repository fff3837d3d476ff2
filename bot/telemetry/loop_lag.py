"""How late the event loop of this process runs its timers."""

import asyncio
from collections import deque

from bot.waits import pause

EVERY_S = 1.0
_KEPT = 60


class LoopLag:
    """Measures the delay of the loop once a second."""

    def __init__(self) -> None:
        self._late_s = deque[float](maxlen=_KEPT)

    @property
    def most_s(self) -> float:
        """The longest delay of the last minute, in seconds."""
        return max(self._late_s, default=0.0)

    async def run(self, stop: asyncio.Event, *, every_s: float = EVERY_S) -> None:
        """Measure until `stop`."""
        loop = asyncio.get_running_loop()
        while not stop.is_set():
            due = loop.time() + every_s
            await pause(stop, every_s)
            self._late_s.append(max(0.0, loop.time() - due))

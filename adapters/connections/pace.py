"""How often a system is asked."""

import asyncio
from collections.abc import Callable


class RequestPace:
    """At most `per_second` turns, evenly; None for no limit. `now` is a clock in seconds."""

    def __init__(self, per_second: float | None, now: Callable[[], float]) -> None:
        self._every_s = 1 / per_second if per_second else 0.0
        self._now = now
        self._next = 0.0

    async def wait(self) -> None:
        """Returns when it is the caller's turn."""
        if not self._every_s:
            return
        now = self._now()
        at = max(now, self._next)
        self._next = at + self._every_s
        if at > now:
            await asyncio.sleep(at - now)

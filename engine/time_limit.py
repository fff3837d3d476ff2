"""A time limit that counts only while the event loop runs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

_STEPS: Final = 20


@asynccontextmanager
async def allow_seconds(seconds: float) -> AsyncIterator[None]:
    """Raise TimeoutError after so long in which answers could be taken.

    Where the loop stood still, or the process had no processor, `asyncio.timeout` comes due at
    once, and what was answered meanwhile is thrown away. Here such a stretch counts as a twentieth
    of the limit, however long it was.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle
    async with asyncio.timeout(None) as limit:

        def step(left: int) -> None:
            nonlocal timer
            if left:
                timer = loop.call_later(seconds / _STEPS, step, left - 1)
            else:
                limit.reschedule(loop.time())

        timer = loop.call_later(seconds / _STEPS, step, _STEPS - 1)
        try:
            yield
        finally:
            timer.cancel()

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
    once, and what was answered meanwhile is thrown away. Here such a stretch counts as a tenth of
    the limit, however long it was, and what came in it is taken before the limit is over.
    """
    loop = asyncio.get_running_loop()
    step, left, at = seconds / _STEPS, seconds, loop.time()
    timer: asyncio.TimerHandle
    async with asyncio.timeout(None) as limit:

        def look() -> None:
            nonlocal left, at, timer
            passed, at = loop.time() - at, loop.time()
            left -= min(passed, 2 * step)
            if left > 0 or passed > 2 * step > 0:
                timer = loop.call_later(step, look)
            else:
                limit.reschedule(loop.time())

        timer = loop.call_later(step, look)
        try:
            yield
        finally:
            timer.cancel()

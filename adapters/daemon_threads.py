"""Functions of others that block, each in a thread of its own that holds nobody up."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import BoundedSemaphore, Thread
from typing import Any

from engine.errors import ToolFailed

MOST = 32
"""So many run at once; those that nobody waits for any more are among them."""

_places = BoundedSemaphore(MOST)


async def run_in_daemon_thread(work: Callable[[], Any]) -> Any:
    """What the work gives or raises. Raises ToolFailed when too many are under way.

    Whoever stops waiting leaves the thread behind; it does not keep the process from ending.
    """
    if not _places.acquire(blocking=False):
        raise ToolFailed("tool.package_busy")
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: Exception | None) -> None:
        if done.cancelled():
            return
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)

    def run() -> None:
        result, failure = None, None
        try:
            result = work()
        except Exception as error:
            failure = error
        finally:
            _places.release()
        with suppress(RuntimeError):
            # The loop may have ended meanwhile.
            loop.call_soon_threadsafe(settle, result, failure)

    Thread(target=run, daemon=True, name="package-tool").start()
    return await done

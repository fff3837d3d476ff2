"""Waits that end in time: for the store at a start, for a stop signal, for tasks to end."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeVar

import structlog

from engine.errors import StoreUnavailable

T = TypeVar("T")
PATIENCE_S = 60.0
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 5.0

log = structlog.get_logger()


class Stopped(Exception):
    """The service was told to stop before it was up; nothing is left open."""


async def run_unless_stopped(stop: asyncio.Event | None, work: Coroutine[Any, Any, T]) -> T:
    """What `work` answers or raises; raises Stopped once `stop` is set, with `work` cancelled."""
    if stop is None:
        return await work
    try:
        async with asyncio.TaskGroup() as tasks:
            working = tasks.create_task(work)
            stopping = tasks.create_task(_cancel_at(stop, working))
            await asyncio.wait([working])
            stopping.cancel()
    except BaseExceptionGroup as failed:
        # Only `work` can fail, so there is one error, and its callers know it by its class.
        raise failed.exceptions[0] from failed.exceptions[0].__cause__
    if working.cancelled():
        raise Stopped
    return working.result()


async def _cancel_at(stop: asyncio.Event, working: asyncio.Task[T]) -> None:
    await stop.wait()
    working.cancel()


async def cancel_tasks(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks until they have ended: a client library may swallow one cancellation."""
    running = [task for task in tasks if not task.done()]
    while running:
        for task in running:
            task.cancel()
        _, still = await asyncio.wait(running, timeout=0.5)
        running = list(still)


async def pause(event: asyncio.Event, seconds: float) -> None:
    """Until the event is set, for at most so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


async def retry_until_available(
    ask: Callable[[], Awaitable[T]], *, patience_s: float = PATIENCE_S
) -> T:
    """What `ask` answers, asked until the store is there; a warning for each try that failed.

    Every question of a start is asked so, for a store that has answered one may be away for the
    next. Raises StoreUnavailable once it has been away for `patience_s`, and at once whatever else
    `ask` raises.
    """
    loop = asyncio.get_running_loop()
    deadline, pause_s = loop.time() + patience_s, _FIRST_PAUSE_S
    while True:
        try:
            return await ask()
        except StoreUnavailable as error:
            if loop.time() + pause_s > deadline:
                raise
            log.warning("store_away", error=str(error), again_in_s=pause_s)
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

"""A stop signal that comes while the service is still being opened."""

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """The service was told to stop before it was up; nothing is left open."""


async def unless(stop: asyncio.Event | None, work: Coroutine[Any, Any, T]) -> T:
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


async def end(tasks: Iterable[asyncio.Task[None]]) -> None:
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

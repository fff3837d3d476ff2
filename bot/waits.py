"""Waits with an end: for the store at the start, for a stop signal, for tasks to end."""

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
    """The service was stopped before it was up; nothing is left open."""


async def run_unless_stopped(stop: asyncio.Event | None, work: Coroutine[Any, Any, T]) -> T:
    """Run `work` and return its result; cancel it and raise Stopped once `stop` is set."""
    if stop is None:
        return await work
    try:
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(work)
            stop_task = tasks.create_task(_cancel_at(stop, task))
            await asyncio.wait([task])
            stop_task.cancel()
    except BaseExceptionGroup as failed:
        # Only `work` can fail, so there is one error; callers catch it by its class.
        raise failed.exceptions[0] from failed.exceptions[0].__cause__
    if task.cancelled():
        raise Stopped
    return task.result()


async def _cancel_at(stop: asyncio.Event, task: asyncio.Task[T]) -> None:
    await stop.wait()
    task.cancel()


async def cancel_tasks(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks until they have ended, since a client library may swallow a cancellation."""
    running = [task for task in tasks if not task.done()]
    while running:
        for task in running:
            task.cancel()
        _, still = await asyncio.wait(running, timeout=0.5)
        running = list(still)


async def pause(event: asyncio.Event, seconds: float) -> None:
    """Wait until the event is set, at most so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


async def retry_until_available(
    ask: Callable[[], Awaitable[T]], *, patience_s: float = PATIENCE_S
) -> T:
    """Call `ask` until the store answers, and return its result; each failed try is logged.

    Raises StoreUnavailable after `patience_s`, and any other error of `ask` at once. Every question
    at the start is asked so, since the store may go away after it has answered one.
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

"""A time limit that counts only while the event loop runs."""

import asyncio
from types import TracebackType
from typing import Any, Final

_STEPS: Final = 20


class RunningTimeLimit:
    """An asynchronous context, as `allow_seconds` says; every command to the store has one."""

    __slots__ = ("_at", "_cancels", "_is_over", "_left", "_loop", "_step", "_task", "_timer")

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._step = seconds / _STEPS
        self._is_over = False

    async def __aenter__(self) -> None:
        task: asyncio.Task[Any] | None = asyncio.current_task()
        assert task is not None
        self._task, self._cancels = task, task.cancelling()
        self._loop = asyncio.get_running_loop()
        self._at = self._loop.time()
        self._timer = self._loop.call_at(self._at + self._step, self._look)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        if not self._is_over:
            return
        # Whoever else cancelled the task meanwhile is not answered with a time limit.
        if self._task.uncancel() <= self._cancels and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def _look(self) -> None:
        now, most_s = self._loop.time(), 2 * self._step
        passed_s, self._at = now - self._at, now
        self._left -= min(passed_s, most_s)
        if self._left > 0 or passed_s > most_s > 0:
            self._timer = self._loop.call_at(now + self._step, self._look)
        else:
            self._is_over = True
            self._task.cancel()


def allow_seconds(seconds: float) -> RunningTimeLimit:
    """Raise TimeoutError after so long in which answers could be taken.

    Where the loop stood still, or the process had no processor, `asyncio.timeout` comes due at
    once, and what was answered meanwhile is thrown away. Here such a stretch counts as a tenth of
    the limit, however long it was, and what came in it is taken before the limit is over.
    """
    return RunningTimeLimit(seconds)

"""The memory that a worker shares with its watchdog: its beats, and the lanes it works on.

A thread that holds the interpreter writes nothing any more, so each lane is named before a step of
its work begins.
"""

import asyncio
import mmap
import threading
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from bot.waits import pause

T = TypeVar("T")

_NAME_BYTES: Final = 1024
_HOLDER_BYTES: Final = 64
_HEAD_BYTES: Final = 8
_NAMES_AT: Final = _HEAD_BYTES + _HOLDER_BYTES
_THREADS: Final = 32
_BYTES: Final = _NAMES_AT + (_THREADS + 1) * _NAME_BYTES
_NOBODY: Final = b"\0"

# The lane that the running code works for, as it is written; tasks and threads inherit it.
_lane: ContextVar[bytes] = ContextVar("lane", default=b"")


class Pulse:
    """A worker's beats, its name as a holder of leases, and the lanes that run just now.

    Made before the worker is forked, so that both processes have it.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _BYTES)
        self._beats = memoryview(self._memory)[:_HEAD_BYTES].cast("Q")
        self._threads = iter(range(1, _THREADS + 1))
        self._own = threading.local()

    @property
    def beats(self) -> int:
        """The number of beats so far; 0 while none is expected."""
        return self._beats[0]

    @property
    def holder(self) -> str:
        """The name under which the worker leases lanes, "" before it does."""
        return self._text(_HEAD_BYTES, _HOLDER_BYTES)

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lane whose step runs, else the lanes whose threads do."""
        names = [self._text(_offset_of(n), _NAME_BYTES) for n in range(_THREADS + 1)]
        return (names[0],) if names[0] else tuple(sorted({*names} - {""}))

    def _text(self, start: int, length: int) -> str:
        return self._memory[start : start + length].partition(b"\0")[0].decode(errors="replace")

    def clear(self) -> None:
        """Forget everything, for the next worker."""
        self._memory[:] = bytes(_BYTES)

    def beat(self) -> None:
        """Show that the event loop turns."""
        self._beats[0] += 1

    async def run(self, holder: str, every_s: float, stop: asyncio.Event) -> None:
        """Beat until `stop`; then no beat is expected any more."""
        self._memory[_HEAD_BYTES:_NAMES_AT] = holder.encode().ljust(_HOLDER_BYTES, b"\0")
        try:
            while not stop.is_set():
                self.beat()
                await pause(stop, every_s)
        finally:
            self._beats[0] = 0

    async def run_named(self, lane: str, work: Coroutine[Any, Any, T]) -> T:
        """Run the work of a lane; each step of it, of its tasks and its threads names the lane."""
        name = lane.encode()[: _NAME_BYTES - 1].ljust(_NAME_BYTES, b"\0")
        # Set for this task alone, which does nothing else.
        _lane.set(name)
        return await _Steps(work, self._memory, name)

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Make tasks and threads that a lane's work starts name it as well."""
        loop.set_task_factory(self._task)
        loop.set_default_executor(_Threads(self._in_thread, thread_name_prefix="asyncio"))

    def _task(self, loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> "asyncio.Task[Any]":
        name = _lane.get()
        return asyncio.Task(_Steps(work, self._memory, name) if name else work, loop=loop, **more)

    def _in_thread(self, call: Callable[..., T], *given: Any, **named: Any) -> Callable[[], T]:
        name = _lane.get()

        def named_call() -> T:
            at = self._thread_offset()
            self._memory[at : at + _NAME_BYTES] = name
            try:
                return call(*given, **named)
            finally:
                self._memory[at : at + 1] = _NOBODY

        return named_call if name else lambda: call(*given, **named)

    def _thread_offset(self) -> int:
        """Where this thread writes; threads without room of their own share the last place."""
        if not hasattr(self._own, "at"):
            self._own.at = _offset_of(next(self._threads, _THREADS))
        place: int = self._own.at
        return place


def _offset_of(number: int) -> int:
    return _NAMES_AT + number * _NAME_BYTES


class _Steps(Coroutine[Any, Any, T]):
    """A coroutine whose steps name their lane while they run."""

    __slots__ = ("_memory", "_name", "_work")

    def __init__(self, work: Coroutine[Any, Any, T], memory: mmap.mmap, name: bytes) -> None:
        self._work, self._memory, self._name = work, memory, name

    def send(self, value: Any) -> Any:
        memory = self._memory
        memory[_NAMES_AT : _NAMES_AT + _NAME_BYTES] = self._name
        try:
            return self._work.send(value)
        finally:
            memory[_NAMES_AT : _NAMES_AT + 1] = _NOBODY

    def throw(self, *raised: Any) -> Any:
        memory = self._memory
        memory[_NAMES_AT : _NAMES_AT + _NAME_BYTES] = self._name
        try:
            return self._work.throw(*raised)
        finally:
            memory[_NAMES_AT : _NAMES_AT + 1] = _NOBODY

    def close(self) -> None:
        self._work.close()

    def __await__(self) -> Generator[Any, Any, T]:
        return self

    def __iter__(self) -> "_Steps[T]":
        return self

    def __next__(self) -> Any:
        return self.send(None)


class _Threads(ThreadPoolExecutor):
    """The event loop's threads, which name the lane that they work for."""

    def __init__(self, marked: Callable[..., Callable[[], Any]], *, thread_name_prefix: str):
        super().__init__(_THREADS, thread_name_prefix)
        self._marked = marked

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return super().submit(self._marked(fn, *args, **kwargs))

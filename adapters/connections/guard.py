"""A connection that costs nobody else anything while its system is away or slow."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import JsonValue

from adapters.breaker import Breaker
from engine.errors import ToolError, ToolFailed, ToolRetry, ToolUnsure
from engine.ports.meter import Meter
from engine.ports.systems.connections import (
    CallRequest,
    CallShape,
    Connection,
    NamedColumnsCall,
    PinnedCall,
    PreparedCall,
)

T = TypeVar("T")

_MOST_AT_ONCE = 16
_PLACE_S = 5.0
_AWAY = frozenset({"connection.away", "connection.slow", "connection.fault", "connection.unsure"})


class GuardedConnection:
    """A connection with a limit of calls at once, which is left alone while it fails again and
    again; its calls are counted.

    A call waits `place_s` for the end of another, and then for nothing more.
    """

    def __init__(
        self, inner: Connection, breaker: Breaker, meter: Meter, *, place_s: float = _PLACE_S
    ) -> None:
        self._inner = inner
        self._place_s = place_s
        self._breaker = breaker
        self._meter = meter
        self._places = asyncio.Semaphore(_MOST_AT_ONCE)

    @property
    def name(self) -> str:
        """What tools call it."""
        return self._inner.name

    @property
    def is_away(self) -> bool:
        """Whether it is left alone at the moment."""
        return not self._breaker.admits()

    def shape(self, body: Mapping[str, Any]) -> CallShape | None:
        """As the connection's own."""
        return self._inner.shape(body)

    def prepare(self, request: CallRequest) -> "GuardedCall":
        """The call, guarded. Raises BadCall."""
        call = self._inner.prepare(request)
        if isinstance(call, PinnedCall):
            return GuardedPinnedCall(self, call)
        return GuardedCall(self, call)

    async def probe(self) -> Sequence[str]:
        """What is wrong with the connection now."""
        return await self._inner.probe()

    async def close(self) -> None:
        """Makes no call from now on."""
        await self._inner.close()

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """What the work gives. Raises ToolError, at once where the system is left alone."""
        await self._take_place()
        try:
            return await self._run_with_permit(work)
        finally:
            self._places.release()

    async def _run_with_permit(self, work: Callable[[], Awaitable[T]]) -> T:
        permit = self._breaker.acquire()
        if permit is None:
            self._count("left_alone")
            raise ToolFailed("connection.away", name=self.name)
        try:
            told = await work()
        except ToolError as error:
            self._count(_result_of(error))
            if _is_away(error):
                self._breaker.record_failure(permit)
            else:
                self._breaker.record_success(permit)
            raise
        else:
            self._count("ok")
            self._breaker.record_success(permit)
            return told
        finally:
            self._breaker.release(permit)

    async def _take_place(self) -> None:
        """Become one of the calls at once. Raises ToolFailed where none ends in time."""
        if self.is_away:
            self._count("left_alone")
            raise ToolFailed("connection.away", name=self.name)
        # A time limit costs more than a place that is free.
        if self._places.locked():
            try:
                async with asyncio.timeout(self._place_s):
                    await self._places.acquire()
            except TimeoutError as error:
                self._count("busy")
                raise ToolFailed("connection.busy", name=self.name) from error
        else:
            await self._places.acquire()

    def _count(self, result: str) -> None:
        self._meter.count("connections", self.name, result)


class GuardedCall:
    """A prepared call of a guarded connection."""

    def __init__(self, connection: GuardedConnection, inner: PreparedCall) -> None:
        self._connection = connection
        self._inner = inner

    @property
    def keyed(self) -> bool:
        """Whether a write may be repeated with the same key, and then counts once."""
        return self._inner.keyed

    @property
    def columns(self) -> Collection[str] | None:
        """As the call's own, where it says them."""
        return self._inner.columns if isinstance(self._inner, NamedColumnsCall) else None

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """What the system answers. Raises ToolError."""
        return await self._connection.run(lambda: self._inner(values, key=key))


class GuardedPinnedCall(GuardedCall):
    """A prepared call of a system that may change what it takes."""

    def __init__(self, connection: GuardedConnection, inner: PinnedCall) -> None:
        super().__init__(connection, inner)
        self._pinned = inner

    async def schema_digest(self) -> str:
        """The digest of what the system says it takes, asked for now. Raises ToolError."""
        return await self._connection.run(self._pinned.schema_digest)


def _is_away(error: ToolError) -> bool:
    return error.key in _AWAY


def _result_of(error: ToolError) -> str:
    match error:
        case ToolRetry():
            return "wrong_arguments"
        case ToolUnsure():
            return "unsure"
        case _:
            return "away" if _is_away(error) else "failed"

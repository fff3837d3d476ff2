"""A system that is away is left alone for a while, and costs nobody a wait."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import JsonValue

from adapters.breaker import FAILURES, OPEN_S, Breaker
from adapters.connections.guard import GuardedConnection
from adapters.connections.http.connection import HttpConnection
from adapters.connections.http.model import HttpSettings
from engine.errors import ToolFailed, ToolRetry
from engine.ports.systems.connections import CallRequest
from tests.adapters.connections.http_server import serve


class Counts(Counter[tuple[str, ...]]):
    """A meter that remembers."""

    def count(self, name: str, *labels: str, amount: float = 1.0) -> None:
        assert name == "connections"
        self[labels] += int(amount)

    def took(self, name: str, seconds: float, *labels: str) -> None:
        raise AssertionError("nothing is timed")


def guarded(
    url: str, counts: Counts, clock: Mapping[str, float], **more: float
) -> tuple[GuardedConnection, Any]:
    settings = HttpSettings(address=url, repeats=0)
    breaker = Breaker(lambda: clock["now"])
    connection = GuardedConnection(HttpConnection("rooms", settings), breaker, counts, **more)
    return connection, connection.prepare(
        CallRequest({"path": "/{id}"}, frozenset({"id"}), writes=False, result="many")
    )


async def test_a_system_that_fails_again_and_again_is_left_alone_then_tried_once() -> None:
    clock, counts = {"now": 0.0}, Counts()
    async with serve(lambda _: {}) as api:
        pass
    connection, call = guarded(api.url, counts, clock)
    for _ in range(FAILURES + 2):
        with pytest.raises(ToolFailed, match="cannot be reached"):
            await call({"id": "x"})
    assert connection.is_away
    assert counts == {("rooms", "away"): FAILURES, ("rooms", "left_alone"): 2}
    clock["now"] = OPEN_S
    assert not connection.is_away
    with pytest.raises(ToolFailed):
        await call({"id": "x"})
    assert connection.is_away
    await connection.close()


async def test_what_is_wrong_with_a_call_says_nothing_about_the_system() -> None:
    counts = Counts()
    async with serve(lambda _: {"ok": 1}) as api:
        connection, call = guarded(api.url, counts, {"now": 0.0})
        for _ in range(FAILURES + 1):
            with pytest.raises(ToolRetry):
                await call({"id": ".."})
        assert await call({"id": "x"}) == {"ok": 1}
        await connection.close()
    assert counts == {("rooms", "wrong_arguments"): FAILURES + 1, ("rooms", "ok"): 1}


async def test_only_so_many_calls_are_under_way_and_the_rest_are_told() -> None:
    counts, go_on = Counts(), asyncio.Event()

    async def slow(_: object) -> JsonValue:
        await go_on.wait()
        return 1

    async with serve(slow) as api:
        connection, call = guarded(api.url, counts, {"now": 0.0}, place_s=0.01)
        calls = [asyncio.create_task(call({"id": str(n)})) for n in range(17)]
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        (refused,) = done
        with pytest.raises(ToolFailed, match="too much to do"):
            refused.result()
        go_on.set()
        told = await asyncio.gather(*calls, return_exceptions=True)
        assert told.count(1) == 16
        await connection.close()


async def test_a_call_waits_for_the_end_of_another() -> None:
    counts, go_on, asked = Counts(), asyncio.Event(), asyncio.Semaphore(0)

    async def slow(_: object) -> JsonValue:
        asked.release()
        await go_on.wait()
        return 1

    async with serve(slow) as api:
        connection, call = guarded(api.url, counts, {"now": 0.0}, place_s=60.0)
        calls = [asyncio.create_task(call({"id": str(n)})) for n in range(40)]
        for _ in range(16):
            await asked.acquire()
        go_on.set()
        assert await asyncio.gather(*calls) == [1] * 40
        await connection.close()
    assert counts == {("rooms", "ok"): 40}

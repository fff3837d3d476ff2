"""A time limit counts only while the loop runs."""

import asyncio
import threading

import pytest

from engine.time_limit import allow_seconds

LIMIT_S = 0.1


async def test_what_never_comes_is_given_up() -> None:
    began = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        async with allow_seconds(LIMIT_S):
            await asyncio.Event().wait()
    assert asyncio.get_running_loop().time() - began >= LIMIT_S


async def test_an_answer_that_came_while_the_loop_stood_still_is_taken() -> None:
    loop, answer = asyncio.get_running_loop(), asyncio.Event()

    def stand_still() -> None:
        threading.Event().wait(3 * LIMIT_S)
        loop.call_soon(answer.set)

    loop.call_soon(stand_still)
    async with allow_seconds(LIMIT_S):
        await answer.wait()
        # Some more turns, as between the store's answer and the end of what waited for it.
        for _ in range(5):
            await asyncio.sleep(0)


async def test_what_is_done_in_time_leaves_nothing_behind() -> None:
    async with allow_seconds(LIMIT_S):
        await asyncio.sleep(0)
    with pytest.raises(TimeoutError):
        async with allow_seconds(0):
            await asyncio.Event().wait()
    with pytest.raises(KeyError):
        async with allow_seconds(LIMIT_S):
            raise KeyError


async def test_whoever_cancels_the_task_finds_it_cancelled() -> None:
    async def wait() -> None:
        async with allow_seconds(60):
            await asyncio.Event().wait()

    task = asyncio.ensure_future(wait())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

"""A task that is cancelled while a command is sent is cancelled, however far the send is."""

import asyncio

import pytest

from adapters.redis.connect import connect
from adapters.redis.server.embedded import EmbeddedServer


async def cancelled_at_every_point(client: object, command: str) -> int:
    """How often a task was cancelled, one turn of the loop later each time; all of them ended so.

    The last one of all was done before.
    """
    for turns in range(200):
        task = asyncio.ensure_future(client.execute_command(*command.split()))
        for _ in range(turns):
            await asyncio.sleep(0)
        if not task.cancel():
            return turns
        with pytest.raises(asyncio.CancelledError):
            await task
    raise AssertionError("it never ended by itself")


async def test_no_cancellation_is_lost(redis_server: EmbeddedServer) -> None:
    client = await connect(redis_server.url)
    await client.ping()
    assert await cancelled_at_every_point(client, "GET nothing") > 2
    assert await client.ping()
    await client.aclose()

"""Opening the store while it comes and goes."""

import asyncio
from contextlib import AsyncExitStack

from redis.asyncio import Redis

from adapters.redis.embedded import EmbeddedServer
from bot.settings import Settings
from bot.store import open_store


class Door:
    """Passes connections on to a unix socket, but shuts those of the given numbers at once."""

    def __init__(self, path: str, shut: range) -> None:
        self.path, self.shut, self.came = path, shut, 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came += 1
        if self.came in self.shut:
            writer.transport.abort()
            return
        inner_reader, inner_writer = await asyncio.open_unix_connection(self.path)
        inward = asyncio.create_task(_copy(reader, inner_writer))
        await _copy(inner_reader, writer)
        await inward


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def test_a_store_that_goes_away_between_two_clients_is_waited_for(
    redis: Redis, redis_server: EmbeddedServer
) -> None:
    # The first is the client for commands; then as often as redis-py tries by itself.
    door = Door(redis_server.url.removeprefix("unix://"), shut=range(2, 5))
    server = await asyncio.start_server(door, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, AsyncExitStack() as stack:
        store = await open_store(Settings(redis_url=f"redis://127.0.0.1:{port}/0"), stack)
        assert await store.blocking.ping()
    assert door.came > 4

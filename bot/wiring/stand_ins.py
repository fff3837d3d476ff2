"""What stands in the place of a service's own parts, where a conversation is only played."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis

from adapters.platform_room import Adapter
from adapters.redis import keys
from adapters.redis.server.embedded import open_server
from bot.definitions.loader import Definitions
from bot.definitions.snapshot import Snapshot
from bot.settings import Settings
from bot.wiring.store import StoreConnection, StorePorts, connect_store
from engine.ports.clock import Clock
from engine.ports.model import Model
from engine.ports.systems.sync import SystemOfRecord


@dataclass(frozen=True, slots=True)
class StandIns:
    """Parts to take instead of those that the settings would open; None for each that is as set.

    `definitions` bring the toolbox through which all tools are called; the `snapshot` is of them.
    The `store` is checked already, and stays open when the service closes.
    """

    clock: Clock | None = None
    store: StoreConnection | None = None
    definitions: Definitions | None = None
    snapshot: Snapshot | None = None
    model: Model | None = None
    platforms: Mapping[str, Adapter] | None = None
    record: SystemOfRecord | None = None


AS_IN_LIFE: Final = StandIns()

_QUEUES = ("q", "due", "outq")
_LONGEST_S = 366 * 86_400.0


class ScratchStore:
    """An embedded server at `url`, which can be emptied; it has one partition.

    With a `connection` the services over it share that, and none has to connect.
    """

    def __init__(self, client: Redis, url: str, connection: StoreConnection | None = None) -> None:
        self._client = client
        self.url = url
        self.connection = connection

    async def empty(self) -> None:
        """Delete everything but what routers have learned of examples, which may be megabytes."""
        learned = keys.learned("").encode()
        found = [name async for name in self._client.scan_iter(count=1000)]
        if gone := [name for name in found if not name.startswith(learned)]:
            await self._client.unlink(*gone)


@asynccontextmanager
async def open_scratch_store(settings: Settings) -> AsyncIterator[ScratchStore]:
    """A server in the data folder, until the block ends. Raises as `connect_store` does."""
    async with AsyncExitStack() as stack:
        server = await open_server(settings.data_dir / "redis")
        stack.callback(server.close)
        client = await stack.enter_async_context(Redis.from_url(server.url))
        await client.config_set("appendonly", "no")
        over = settings.model_copy(update={"redis_url": server.url})
        yield ScratchStore(client, server.url, await connect_store(over, stack))


async def next_due_s(store: StorePorts, clock: Clock) -> float:
    """Seconds until the next lane, timer or message is due, at most a year; of one partition."""
    now_s = clock.now().timestamp()
    found = [
        await store.client.zrange(f"{keys.tag(0)}{queue}", 0, 0, withscores=True)
        for queue in _QUEUES
    ]
    dues = [float(rows[0][1]) / 1000 - now_s for rows in found if rows]
    return max(0.0, min([*dues, _LONGEST_S]))

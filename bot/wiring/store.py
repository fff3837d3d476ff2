"""The store as a process finds it at the start: waited for, connected, checked."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial

import structlog

from adapters.redis.client import Client, translate_errors
from adapters.redis.connect import BLOCK_S, check_server, connect, describe_durability
from adapters.redis.server.embedded import EmbeddedServer, open_server
from bot.settings import Settings
from bot.stopping import patiently

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Store:
    """Clients of one store: `client` for commands, `blocking` for reads that wait.

    `durability` says what its writes survive, `warnings` what about that is unsafe.
    """

    client: Client
    blocking: Client
    durability: str
    warnings: Sequence[str] = ()

    async def close(self) -> None:
        """Close both clients."""
        await self.blocking.aclose()
        await self.client.aclose()


async def open_store(settings: Settings, stack: AsyncExitStack) -> Store:
    """Clients of the store, which close with `stack`; what is unsafe about it is logged.

    Raises DefinitionError for a store that cannot be used, StoreUnavailable for one that does not
    answer within a minute.
    """
    url = settings.redis_url
    if url is None:
        server = await open_own_server(settings)
        stack.callback(server.close)
        url = server.url
    store = await patiently(partial(_opened, url, settings))
    stack.push_async_callback(store.close)
    for warning in store.warnings:
        log.warning("durability", warning=warning)
    log.info("store_opened", durability=store.durability)
    return store


async def open_own_server(settings: Settings) -> EmbeddedServer:
    """The server in the data folder, for where no REDIS_URL is set; whoever opens it closes it."""
    return await open_server(settings.data_dir / "redis")


async def check_store(url: str, settings: Settings) -> None:
    """Waits for the store and checks it, without keeping it; raises as `open_store` does."""
    store = await patiently(partial(_opened, url, settings))
    await store.close()


async def _opened(url: str, settings: Settings) -> Store:
    async with AsyncExitStack() as stack:
        client = await connect(url)
        stack.push_async_callback(client.aclose)
        warnings = await check_server(
            client, allow_unsafe=settings.allow_unsafe_redis, partitions=settings.partitions
        )
        with translate_errors():
            kept = await describe_durability(client)
        blocking = await connect(url, timeout_s=BLOCK_S + 5)
        # Both are the caller's now.
        stack.pop_all()
        return Store(client, blocking, kept, warnings)

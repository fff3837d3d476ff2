"""The store as a process finds it at the start: waited for, connected, checked."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import structlog

from adapters.redis.client import Client, translated
from adapters.redis.connect import BLOCK_S, check, connect, durability
from adapters.redis.embedded import open_server
from bot.settings import Settings
from engine.errors import StoreUnavailable

T = TypeVar("T")

log = structlog.get_logger()
PATIENCE_S = 60.0
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 5.0


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
        server = await open_server(settings.data_dir / "redis")
        stack.callback(server.close)
        url = server.url
    store = await patiently(partial(_opened, url, settings))
    stack.push_async_callback(store.close)
    for warning in store.warnings:
        log.warning("durability", warning=warning)
    log.info("store_opened", durability=store.durability)
    return store


async def check_store(url: str, settings: Settings) -> None:
    """Waits for the store and checks it, without keeping it; raises as `open_store` does."""
    store = await patiently(partial(_opened, url, settings))
    await store.close()


async def _opened(url: str, settings: Settings) -> Store:
    async with AsyncExitStack() as stack:
        client = await connect(url)
        stack.push_async_callback(client.aclose)
        warnings = await check(
            client, allow_unsafe=settings.allow_unsafe_redis, partitions=settings.partitions
        )
        with translated():
            kept = await durability(client)
        blocking = await connect(url, timeout_s=BLOCK_S + 5)
        # Both are the caller's now.
        stack.pop_all()
        return Store(client, blocking, kept, warnings)


async def patiently(ask: Callable[[], Awaitable[T]], *, patience_s: float = PATIENCE_S) -> T:
    """What `ask` answers, asked until the store is there; a warning for each try that failed.

    Every question of a start is asked so, for a store that has answered one may be away for the
    next. Raises StoreUnavailable once it has been away for `patience_s`, and at once whatever else
    `ask` raises.
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

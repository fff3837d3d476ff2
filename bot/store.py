"""The store as a process finds it at the start: waited for, connected, checked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import structlog

from adapters.redis.client import Client, translated
from adapters.redis.connect import BLOCK_S, COMMAND_S, check, connect, durability
from adapters.redis.embedded import open_server
from bot.settings import Settings
from engine.errors import StoreUnavailable

log = structlog.get_logger()
PATIENCE_S = 60.0
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 5.0


@dataclass(frozen=True, slots=True)
class Store:
    """Clients of one store: `client` for commands, `blocking` for reads that wait.

    `durability` says what its writes survive.
    """

    client: Client
    blocking: Client
    durability: str


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
    client, warnings = await stack.enter_async_context(_checked(url, settings))
    blocking = await connect_patiently(url, timeout_s=BLOCK_S + 5)
    stack.push_async_callback(blocking.aclose)
    for warning in warnings:
        log.warning("durability", warning=warning)
    with translated():
        kept = await durability(client)
    log.info("store_opened", durability=kept)
    return Store(client, blocking, kept)


async def check_store(url: str, settings: Settings) -> None:
    """Waits for the store and checks it, without keeping it; raises as `open_store` does."""
    async with _checked(url, settings):
        return


@asynccontextmanager
async def _checked(url: str, settings: Settings) -> AsyncIterator[tuple[Client, list[str]]]:
    client = await connect_patiently(url)
    try:
        yield (
            client,
            await check(
                client, allow_unsafe=settings.allow_unsafe_redis, partitions=settings.partitions
            ),
        )
    finally:
        await client.aclose()


async def connect_patiently(
    url: str, *, patience_s: float = PATIENCE_S, timeout_s: float = COMMAND_S
) -> Client:
    """A client of a store that may just be starting; a warning for each try that failed.

    Raises StoreUnavailable once it has been away for `patience_s`, DefinitionError at once for an
    answer that waiting cannot change.
    """
    loop = asyncio.get_running_loop()
    deadline, pause_s = loop.time() + patience_s, _FIRST_PAUSE_S
    while True:
        try:
            return await connect(url, timeout_s=timeout_s)
        except StoreUnavailable as error:
            if loop.time() + pause_s > deadline:
                raise
            log.warning("store_away", error=str(error), again_in_s=pause_s)
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

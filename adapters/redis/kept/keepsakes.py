"""What platforms keep for themselves: a key for each text, and a set for each list."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Self

from adapters.redis import keys
from adapters.redis.client.client import Client, promptly


class RedisKeepsakes:
    """Those of one platform, over a client that is opened for each look."""

    def __init__(
        self, opened: Callable[[], AbstractAsyncContextManager[Client]], platform: str
    ) -> None:
        self._opened = opened
        self._platform = platform

    @classmethod
    def over(cls, client: Client, platform: str) -> Self:
        """Those over a client that is open as long as they are used."""
        return cls(lambda: nullcontext(client), platform)

    async def get(self, kind: str, name: str) -> str:
        """The text, "" for none."""
        async with self._client() as client:
            return str(await client.get(self._key(kind, name)) or "")

    async def put(self, kind: str, name: str, text: str, *, keep_s: float | None = None) -> None:
        """Keep a text in place of the last one of that name, for so long or for good."""
        px = None if keep_s is None else int(keep_s * 1000)
        async with self._client() as client:
            await client.set(self._key(kind, name), text, px=px)

    async def drop(self, kind: str, name: str) -> bool:
        """Forget the text; whether there was one."""
        async with self._client() as client:
            return bool(await client.delete(self._key(kind, name)))

    async def enlist(self, kind: str, name: str) -> None:
        """Put a name on the list of that kind."""
        async with self._client() as client:
            await client.sadd(keys.platform_list(self._platform, kind), name)

    async def delist(self, kind: str, name: str) -> None:
        """Take a name off the list."""
        async with self._client() as client:
            await client.srem(keys.platform_list(self._platform, kind), name)

    async def listed(self, kind: str) -> Sequence[str]:
        """Every name on the list, in order."""
        async with self._client() as client:
            found = await client.smembers(keys.platform_list(self._platform, kind))
        return sorted(map(str, found))

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        async with self._opened() as client, promptly():
            yield client

    def _key(self, kind: str, name: str) -> str:
        return keys.platform_text(self._platform, kind, name)

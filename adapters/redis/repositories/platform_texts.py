"""What platforms keep for themselves: texts for a while, texts by kind, lists of names."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Self

from adapters.redis import keys
from adapters.redis.client import Client, limit_time
from adapters.redis.scripts import LUA, LuaScript, ScriptCall, Scripts


class RedisExpiringTexts:
    """The expiring texts port: a key for each text; a write names the text that it replaces."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts
        self._client = scripts.client
        self._script = LuaScript(self._client, LUA.joinpath("slate.lua").read_text())

    async def read(self, name: str) -> str:
        """The text under this name, or "" when there is none."""
        async with limit_time():
            found = await self._client.get(keys.slate(name))
        return str(found or "")

    async def write(self, name: str, text: str, *, was: str, keep_s: float) -> bool:
        """Put `text` where `was` stands, for so long; False when something else stands there."""
        async with limit_time():
            args = (was, text, int(keep_s * 1000))
            called = ScriptCall(self._script, (keys.slate(name),), args)
            (written,) = await self._scripts.call_each((called,))
        return bool(int(written))


class RedisPlatformTexts:
    """The texts port of one platform: a key for each text, a set for each list."""

    def __init__(
        self, open_client: Callable[[], AbstractAsyncContextManager[Client]], platform: str
    ) -> None:
        self._open_client = open_client
        self._platform = platform

    @classmethod
    def over(cls, client: Client, platform: str) -> Self:
        """Return the texts over a client that stays open as long as they are used."""
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

    async def names(self, kind: str) -> Sequence[str]:
        """Every name on the list, in order."""
        async with self._client() as client:
            found = await client.smembers(keys.platform_list(self._platform, kind))
        return sorted(map(str, found))

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        async with self._open_client() as client, limit_time():
            yield client

    def _key(self, kind: str, name: str) -> str:
        return keys.platform_text(self._platform, kind, name)

"""Smaller things kept in Redis: leases, paces, what is published."""

import secrets
from contextlib import suppress

from adapters.redis import keys
from adapters.redis.client.client import Client, translated
from adapters.redis.client.lua_script import LuaScript
from adapters.redis.scripts import LUA
from engine.errors import StoreError
from engine.ports.platform import Pace

LEARNED_S = 30 * 24 * 3600
"""How long what was learned is kept after it was last read."""


class RedisLease:
    """Named leases: one process holds each; it comes free 30 seconds after its last hold."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._me = secrets.token_hex(8)

    async def hold(self, name: str) -> bool:
        """Take or renew the lease; True while this process holds it."""
        key = keys.lease(name)
        with suppress(StoreError), translated():
            if await self._client.set(key, self._me, nx=True, px=30_000):
                return True
            if await self._client.get(key) == self._me:
                await self._client.pexpire(key, 30_000)
                return True
        return False


class RedisRate:
    """Paces that all processes share."""

    def __init__(self, client: Client) -> None:
        self._script = LuaScript(client, LUA.joinpath("rate.lua").read_text())

    async def ask(self, name: str, pace: Pace, count: int) -> float:
        """Take `count` messages of the pace and answer 0, or the seconds to wait."""
        arguments = [pace.every_s * 1000, pace.burst, count]
        with translated():
            wait_ms = await self._script(keys=[keys.pace(name)], args=arguments)
        return int(wait_ms) / 1000


class RedisPublished:
    """The published port: a key for each digest, which stays for the runs that need it."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def publish(self, digest: str, body: str) -> None:
        """Keep a body; the same digest is written once."""
        with translated():
            await self._client.set(keys.published(digest), body, nx=True)

    async def load(self, digest: str) -> str | None:
        """The body, or None when it was never published here."""
        with translated():
            found = await self._client.get(keys.published(digest))
        return None if found is None else str(found)

    async def point(self, pointer: str) -> None:
        """Say for all processes what is current."""
        with translated():
            await self._client.set(keys.CURRENT, pointer)

    async def pointer(self) -> str | None:
        """What is current, or None before anybody has said so."""
        with translated():
            found = await self._client.get(keys.CURRENT)
        return None if found is None else str(found)

    async def save_learned(self, digest: str, body: bytes) -> None:
        """Keep what was learned from the examples of that digest; it goes when nobody reads it."""
        with translated():
            await self._client.set(keys.learned(digest), body, ex=LEARNED_S)

    async def load_learned(self, digest: str) -> bytes | None:
        """What was learned, or None when it is not kept (any more)."""
        read = ("GETEX", keys.learned(digest), "EX", LEARNED_S)
        with translated():
            found = await self._client.execute_command(*read, NEVER_DECODE=True)
        return found if isinstance(found, bytes) else None

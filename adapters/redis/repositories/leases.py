"""Leases and rate limits that all processes share."""

import secrets
from contextlib import suppress

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors
from adapters.redis.scripts import LUA, LuaScript
from engine.errors import StoreError
from engine.ports.platform import Pace


class RedisLease:
    """Named leases: one process holds each; it comes free 30 seconds after its last hold."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._me = secrets.token_hex(8)

    async def hold(self, name: str) -> bool:
        """Take or renew the lease; True while this process holds it."""
        key = keys.lease(name)
        with suppress(StoreError), translate_errors():
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
        with translate_errors():
            wait_ms = await self._script(keys=[keys.pace(name)], args=arguments)
        return int(wait_ms) / 1000

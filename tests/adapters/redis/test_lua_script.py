"""A server that forgets its scripts, as one that restarts does, at the worst moments."""

import asyncio
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.repositories.leases import RedisRate
from adapters.redis.scripts import Scripts
from engine.ports.platform import Pace


class Forgetful:
    """Before each call of a script by its digest, and after each loading, all are forgotten."""

    def __init__(self, client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
        self._client = client
        self._execute = client.execute_command
        monkeypatch.setattr(client, "execute_command", self.execute)

    async def execute(self, *words: Any, **options: Any) -> Any:
        """The server's own answer to the command."""
        if str(words[0]).startswith("EVALSHA"):
            await self._execute("SCRIPT FLUSH")
        return await self._execute(*words, **options)


@pytest.fixture
async def forgetful(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Redis:
    Forgetful(redis, monkeypatch)
    await redis.script_flush()
    return redis


async def test_a_second_noscript_in_a_row_is_no_fault(forgetful: Redis) -> None:
    scripts = Scripts(forgetful)
    calls = (scripts.run("backlog", 0) for _ in range(3))
    assert len(await asyncio.gather(*calls)) == 3
    await scripts.drain()


async def test_nor_is_it_for_scripts_that_are_called_alone(forgetful: Redis) -> None:
    rate = RedisRate(forgetful)
    assert await rate.ask("forgetful", Pace(every_s=60, burst=1), 1) == 0
    assert await rate.ask("forgetful", Pace(every_s=60, burst=1), 1) > 0

"""A process's counts on their way to all, over a real store that may be away."""

import asyncio

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from adapters.redis.connect import connect
from adapters.redis.repositories.model_numbers import RedisModelNumbers
from adapters.redis.server.embedded import EmbeddedServer
from bot.telemetry.metrics import SharedMeter
from engine.errors import StoreError
from tests.fakes.gate import Gate
from tests.fakes.platforms.patience import PATIENCE_S, within


async def test_counts_are_passed_on_once(redis: Redis) -> None:
    meter = SharedMeter(RedisModelNumbers(redis))
    meter.count("updates", "slack", "message", "accepted")
    meter.count("updates", "slack", "message", "accepted", amount=2)
    meter.took("ack", 0.004, "slack")
    meter.took("ack", 70.0, "slack")
    for _ in range(2):
        await meter.share()
    assert await RedisModelNumbers(redis).counts() == {
        ("updates", "slack", "message", "accepted"): 3,
        ("ack", "slack", "0.005"): 1,
        ("ack", "slack", "+Inf"): 1,
        ("ack_sum", "slack"): pytest.approx(70.004),
    }


async def test_what_a_store_does_not_take_is_passed_on_later(
    redis: Redis, redis_server: EmbeddedServer
) -> None:
    async with Gate(redis_server.url.removeprefix("unix://")) as gate:
        client = await connect(f"redis://127.0.0.1:{gate.port}/0")
        meter = SharedMeter(RedisModelNumbers(client))
        gate.shut()
        meter.count("cost", "m")
        with pytest.raises(StoreError):
            await meter.share()
        meter.count("cost", "m")
        gate.open()
        await meter.share()
        await client.aclose()
    assert await RedisModelNumbers(redis).counts() == {("cost", "m"): 2}


async def test_what_came_last_is_passed_on_at_the_end(redis: Redis) -> None:
    meter, stop = SharedMeter(RedisModelNumbers(redis)), asyncio.Event()
    async with within(PATIENCE_S, "it ends when it is told to"), asyncio.TaskGroup() as group:
        group.create_task(meter.run(stop, every_s=2 * PATIENCE_S))
        meter.count("cost", "m")
        stop.set()
    assert await RedisModelNumbers(redis).counts() == {("cost", "m"): 1}


async def test_a_store_that_is_away_at_the_end_is_logged(
    redis: Redis, redis_server: EmbeddedServer
) -> None:
    async with Gate(redis_server.url.removeprefix("unix://")) as gate:
        client = await connect(f"redis://127.0.0.1:{gate.port}/0")
        meter, stop = SharedMeter(RedisModelNumbers(client)), asyncio.Event()
        meter.count("cost", "m")
        gate.shut()
        stop.set()
        with capture_logs() as lines:
            await meter.run(stop)
        await client.aclose()
    assert [line["event"] for line in lines] == ["counts_wait"]

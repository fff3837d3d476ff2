"""A run began when the store says so, whatever the clock of the worker that began it says."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from tests.fakes.crank import Crank, cranked
from tests.fakes.late_clock import LateClock
from tests.scenarios.conftest import settings_over


@pytest.mark.parametrize("ahead", [timedelta(hours=3), -timedelta(hours=3)])
async def test_a_run_began_by_the_stores_clock(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, ahead: timedelta
) -> None:
    async with cranked(settings_over(redis_server, tmp_path)) as started:
        clock = LateClock(ahead.total_seconds())
        services = replace(started.parts.services, clock=clock)
        handler = replace(started.parts.handler, services=services)
        crank = Crank(replace(started.parts, services=services, handler=handler))
        seconds, _ = await crank.client.time()
        await crank.say("lin", "record a visit for P003")
        await crank.turn()
        (kept,) = await crank.runs()
        assert 0 <= kept.run.started_at.timestamp() - seconds < 600

"""A9, A38: workers that stall, and work that ends its workers (A8 is in tests/scenarios)."""

from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.serve.work.lanes import ATTEMPTS
from engine.errors import LeaseLost
from engine.mail import RunResumed
from engine.ports.storage.operations import BlockedRun
from tests.fakes.crank import cranked
from tests.reviews.test_audit_reconstructs import agrees
from tests.reviews.test_cancelled import to_review, today_visits
from tests.reviews.test_versions import said
from tests.scenarios.conftest import settings_over

LEASE_S = 15.0


async def test_a9_a_worker_that_stalls_past_its_lease_in_any_step_writes_nothing_when_it_wakes(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with cranked(settings_over(redis_server, tmp_path, lease_s=LEASE_S)) as crank:
        await to_review(crank)
        await crank.tap("chen", await crank.card(), "approve")
        stalled = 0
        while (claim := await crank.take()) is not None:
            handled = await crank.worked(claim)
            crank.later(LEASE_S + 1)
            # Another takes the lane and does the same step.
            assert await crank.turn()
            (before,) = await crank.runs()
            with pytest.raises(LeaseLost):
                await crank.commit(claim, handled)
            assert await crank.runs() == [before]
            await agrees(crank, before)
            stalled += 1
        assert stalled > 4
        assert await today_visits(crank) == 1
        (kept,) = await crank.runs()
        assert (kept.status, kept.run.end) == ("completed", "done")


async def test_a38_a_run_that_ends_its_workers_is_blocked_and_others_go_on(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with cranked(settings_over(redis_server, tmp_path, lease_s=LEASE_S)) as crank:
        await to_review(crank)
        await crank.tap("chen", await crank.card(), "approve")
        for attempt in range(1, ATTEMPTS + 1):
            poison = await crank.take()
            assert poison is not None
            assert poison.attempts == attempt
            # Its worker is never heard of again. Meanwhile others work.
            await crank.say("lin", "P003 的 ECOG", f"other-{attempt}")
            await crank.still()
            assert "2026-10-28" in await said(crank)
            crank.later(LEASE_S + 1)
        await crank.still()
        (kept,) = await crank.runs()
        await agrees(crank, kept)
        assert kept.status == "blocked"
        assert "需要管理员" in await said(crank) or "管理员" in kept.run.part.text
        (waiting,) = await crank.parts.store.operations.waiting()
        assert isinstance(waiting, BlockedRun)
        # What ended its workers is mended.
        mail = RunResumed(by="operator:root", via="command line").model_dump_json()
        assert await crank.parts.store.operations.retry(waiting.name, mail)
        await crank.still()
        assert await today_visits(crank) == 1
        (kept,) = await crank.runs()
        await agrees(crank, kept)

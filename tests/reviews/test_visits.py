"""Steps that only think share one commit, which the outside ends and a person begins."""

from pathlib import Path
from typing import Any, cast

from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from engine.runs.visit import MOST_STEPS
from tests.fakes.crank import Crank, Kept, cranked
from tests.reviews.test_audit_reconstructs import agrees
from tests.reviews.test_cancelled import ASK, to_review, today_visits
from tests.scenarios.conftest import settings_over

Step = dict[str, object]


async def visits(crank: Crank) -> list[list[Step]]:
    """The steps of the run that each commit of its lane brought, until it rests."""
    found: list[list[Step]] = []
    while claim := await crank.take():
        before = len((await crank.runs())[0].entries) if await crank.runs() else 0
        await crank.handle(claim)
        if claim.kind == "run":
            (kept,) = await crank.runs()
            await agrees(crank, kept)
            found.append([entry for entry in kept.entries[before:] if "step" in entry])
    return found


def called(visit: list[Step]) -> set[str]:
    """How the steps of a visit called tools."""
    calls: Any = [call for step in visit for call in cast(Any, step.get("calls", ()))]
    return {call["kind"] for call in calls}


def numbers(kept: Kept) -> list[int]:
    return [entry["step"] for entry in kept.entries if "step" in entry]


async def test_steps_that_ask_nobody_share_a_commit_and_keep_their_entries_and_numbers(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with cranked(settings_over(redis_server, tmp_path)) as crank:
        await crank.say("lin", ASK)
        found = await visits(crank)
        await crank.tap("chen", await crank.card(), "approve")
        found += await visits(crank)
        (kept,) = await crank.runs()
        assert kept.status == "completed"
        assert await today_visits(crank) == 1
    assert numbers(kept) == list(range(1, kept.run.steps + 1))
    assert max(map(len, found)) > 2
    for visit in found:
        assert len(visit) <= MOST_STEPS
        # What calls a tool stands alone; a call that is only tried ends a commit, as a card does.
        assert "call" not in called(visit) or len(visit) == 1
        assert not any(step["cards"] or "calls" in step for step in visit[:-1])
        # What a person decided begins one.
        assert not any(step["input"] == "card_decided" for step in visit[1:])
    (wrote,) = [n for n, visit in enumerate(found) if "call" in called(visit)]
    assert sum("rehearse" in called(visit) and len(visit) > 1 for visit in found) == 2
    assert any(visit[0]["input"] == "card_decided" and len(visit) > 1 for visit in found)
    # That it is about to write was persisted before.
    assert "is about to call" in str(found[wrote - 1][-1]["why"])


async def test_mail_that_failed_before_is_taken_step_by_step(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with cranked(settings_over(redis_server, tmp_path, lease_s=15.0)) as crank:
        await to_review(crank)
        await crank.tap("chen", await crank.card(), "approve")
        await crank.turn()
        # A worker that took the next step is never heard of again.
        assert await crank.take()
        crank.later(16.0)
        before = (await crank.runs())[0].run.steps
        await crank.turn()
        assert (await crank.runs())[0].run.steps == before + 1
        await crank.still()
        assert (await crank.runs())[0].status == "completed"

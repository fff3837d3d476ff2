"""Runs that wait for a person take little room in the store, and nothing of them is hidden."""

import json
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.packing.bodies import unpack
from adapters.redis.server.embedded import EmbeddedServer
from bot.operate.audit import show_audit
from cards.model import Card
from engine.ports.storage.archive import RunFilter
from tests.fakes.crank import Crank, Kept, cranked, told
from tests.fakes.stored import read_body, read_entries
from tests.scenarios.conftest import settings_over

VISIT = "补录 P003 2001-01-02 的访视，体重 61.5，血压 120/80，ECOG 1"
MOST_BYTES = 3_980
"""Of all keys that a run needs; without packing it was 9,300."""
MOST_AUDIT_BYTES = 2_150
"""Of its log and trace: it was 6,800, and the log is 1.6 KB with 12 entries. Both are 6 KB at most,
whatever the date, some of which packs 80 bytes worse than that of the dictionaries."""
# Answers to repeats and idle lanes are gone within a day.
GONE_SOON = (":e:", ":l:", ":d:", "/check/")


async def to_review(crank: Crank) -> tuple[Card, Kept]:
    await crank.say("lin", VISIT)
    await crank.still()
    (kept,) = await crank.runs()
    return await crank.card(), kept


async def weights(client: Any, *names: str) -> dict[str, int]:
    """What each key takes that belongs to these names, in bytes."""
    keys = [key async for key in client.scan_iter() if any(name in key for name in names)]
    return {
        key: int(await client.memory_usage(key, samples=0) or 0)
        for key in keys
        if not any(part in key for part in GONE_SOON) and ":chat:" not in key
    }


async def test_a_visit_that_waits_for_its_reviewer_is_small_and_told_in_full(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_over(redis_server, tmp_path, partitions=1)
    async with cranked(settings, delivering=True) as crank:
        card, kept = await to_review(crank)
        run, reply = kept.run.id, kept.run.reply
        heavy = await weights(redis, run, card.token, reply, "c:web:local:main")
        told_of = {key: n for key, n in heavy.items() if ":log:" in key or ":trace:" in key}
        assert sum(told_of.values()) <= MOST_AUDIT_BYTES, told_of
        assert sum(heavy.values()) - sum(told_of.values()) <= MOST_BYTES, heavy
        # Lists look into what is packed.
        for text, found in (("61.5", [run]), ("请审核", []), ("no such text", [])):
            page = await crank.parts.store.listing.runs(RunFilter(text=text), after="", limit=5)
            assert [name for name, _ in page.runs] == found, text
        capsys.readouterr()
        assert await show_audit(settings, run, lang="en", as_json=True, export=None) == 0
        audit = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert audit["standing"]["status"] == "suspended"
        assert [entry.get("step", 0) for entry in audit["entries"]] == [*range(12)]
        # The decision is written into what was packed, and the log only grows.
        before = await read_entries(redis, f"{{p0}}:log:{run}")
        assert told(await crank.tap("chen", card, "approve"))[0]
        await crank.still()
        after = await read_entries(redis, f"{{p0}}:log:{run}")
        assert after[: len(before)] == before
        assert (await crank.kept(run)).status == "completed"
        decided = json.loads(await read_body(redis, f"{{p0}}:card:{card.token}"))
        assert decided["decision"]["person"] == "chen"


@pytest.mark.parametrize("kind", ["card", "run"])
async def test_a_damaged_body_is_as_clear_a_fault_packed_as_plain(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, kind: str
) -> None:
    answers = []
    for damage in (lambda body: body[: len(body) // 2], lambda body: body[:12] + body[13:]):
        await redis.flushall()
        settings = settings_over(redis_server, tmp_path, partitions=1)
        async with cranked(settings) as crank:
            card, kept = await to_review(crank)
            key = f"{{p0}}:{kind}:{card.token if kind == 'card' else kept.run.id}"
            packed = str(await redis.hget(key, "body"))
            assert unpack(packed) != packed
            damaged = damage(packed)
            await redis.hset(key, "body", damaged)
            answer = told(await crank.tap("chen", card, "approve"))
            await crank.still()
            backlog = await crank.parts.store.operations.backlog()
            status = await redis.hget(f"{{p0}}:card:{card.token}", "status")
            answers.append((answer, backlog.blocked, status))
            assert await redis.hget(key, "body") == damaged, "nothing is written over"
    assert answers[0] == answers[1]
    assert answers[0][1:] == ((0, "open") if kind == "card" else (1, "decided"))

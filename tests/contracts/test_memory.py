"""What a project remembers: once per key, newest first, so many and no more."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from adapters.redis import keys
from adapters.redis.connect import connect
from adapters.redis.repositories.memory import RedisMemory
from adapters.redis.scripts import Scripts
from engine.errors import StoreError, StoreUnavailable, ToolFailed
from tests.fakes.redis_servers import SAFE, server

PROJECT = "MATTER-7"


@pytest.fixture
def memory(scripts: Scripts) -> RedisMemory:
    return RedisMemory(scripts.client, most=3)


async def texts(memory: RedisMemory, project: str = PROJECT) -> list[str]:
    return [memo.text for memo in await memory.memos(project)]


async def test_memos_come_newest_first_with_who_and_when(memory: RedisMemory) -> None:
    assert await memory.memos(PROJECT) == []
    for text in ("one", "“二” 😀"):
        assert await memory.remember(PROJECT, text, key=text, by="chen") == "new"
    newest, oldest = await memory.memos(PROJECT)
    assert (newest.text, newest.by, oldest.text) == ("“二” 😀", "chen", "one")
    assert abs(newest.at - datetime.now(UTC)) < timedelta(minutes=1)
    assert newest.at >= oldest.at


async def test_a_key_keeps_its_first_text_however_often_it_comes(memory: RedisMemory) -> None:
    attempts = (memory.remember(PROJECT, f"text {n}", key="run1:0", by="chen") for n in range(8))
    outcomes = await asyncio.gather(*attempts)
    assert sorted(outcomes) == ["new", *["repeat"] * 7]
    assert await texts(memory) == [f"text {outcomes.index('new')}"]


async def test_the_oldest_give_way_and_their_keys_still_count(
    memory: RedisMemory, scripts: Scripts
) -> None:
    for number in range(5):
        await memory.remember(PROJECT, f"text {number}", key=f"run{number}", by="chen")
    assert await texts(memory) == ["text 4", "text 3", "text 2"]
    assert await scripts.client.llen(keys.memos(PROJECT)) == 3
    assert await memory.remember(PROJECT, "text 0", key="run0", by="chen") == "repeat"
    assert await texts(memory) == ["text 4", "text 3", "text 2"]


async def test_what_is_forgotten_stays_so_and_nothing_else_goes(memory: RedisMemory) -> None:
    for text in ("one", "two"):
        await memory.remember(PROJECT, text, key=text, by="chen")
    one = next(memo for memo in await memory.memos(PROJECT) if memo.text == "one")
    assert not await memory.forget("MATTER-8", one.id)
    assert await memory.forget(PROJECT, one.id)
    assert not await memory.forget(PROJECT, one.id)
    assert await memory.remember(PROJECT, "one", key="one", by="chen") == "repeat"
    assert await texts(memory) == ["two"]


async def test_a_key_is_forgotten_after_30_days_and_not_before(
    memory: RedisMemory, scripts: Scripts
) -> None:
    known = keys.memos(PROJECT) + ":keys"
    now_ms = datetime.now(UTC).timestamp() * 1000
    day_ms = 24 * 3600 * 1000
    await scripts.client.zadd(known, {"old": now_ms - 31 * day_ms, "young": now_ms - 29 * day_ms})
    await memory.remember(PROJECT, "text", key="new", by="chen")
    assert await scripts.client.zrange(known, 0, -1) == ["young", "new"]


@pytest.mark.parametrize("other", ["MATTER-8", "MATTER-7:keys", "}", "{x}", ""])
async def test_projects_do_not_mix_whatever_they_are_called(
    other: str, memory: RedisMemory
) -> None:
    await memory.remember(PROJECT, "mine", key="run1", by="chen")
    assert await memory.remember(other, "yours", key="run1", by="wu") == "new"
    assert (await texts(memory), await texts(memory, other)) == (["mine"], ["yours"])


async def test_a_project_whose_key_holds_something_else_is_an_error_and_is_not_written(
    memory: RedisMemory, scripts: Scripts
) -> None:
    await scripts.client.set(keys.memos(PROJECT), "x")
    with pytest.raises(StoreError):
        await memory.remember(PROJECT, "text", key="run1", by="chen")
    with pytest.raises(ToolFailed, match="cannot be reached"):
        await memory.memos(PROJECT)


async def test_a_store_that_is_away_is_told_apart_for_reads_and_writes(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with server(tmp_path_factory.mktemp("away"), **SAFE) as port:
        client = await connect(f"redis://127.0.0.1:{port}/0")
        memory = RedisMemory(client)
        await memory.remember(PROJECT, "text", key="run1", by="chen")
    with pytest.raises(ToolFailed, match="cannot be reached"):
        await memory.memos(PROJECT)
    # Not a failure of the tool: the run's step is done again under the same key.
    with pytest.raises(StoreUnavailable):
        await memory.remember(PROJECT, "text", key="run1", by="chen")
    await client.aclose()

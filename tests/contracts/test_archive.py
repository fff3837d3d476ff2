"""Runs are listed while they live, and for as long as they are kept after that (design §3)."""

import pytest

from adapters.redis.archive import RedisArchive
from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.ports.storage.store import Effects
from tests.contracts.given import handle, run_write

DAY_MS = 24 * 3600 * 1000


@pytest.fixture
def archive(scripts: Scripts, partitions: Partitions) -> RedisArchive:
    return RedisArchive(scripts, partitions)


async def begun(mailbox: RedisMailbox, partitions: Partitions, conversation: str) -> str:
    run = partitions.new_id(conversation)
    effects = Effects(runs=(run_write(run, conversation),), log=((run, '{"n": 1}'),))
    await handle(mailbox, f"talk:{conversation}", effects)
    return run


async def ended(mailbox: RedisMailbox, run: str, conversation: str) -> None:
    write = run_write(run, conversation, ended="completed")
    effects = Effects(runs=(write,), log=((run, '{"n": 2}'),))
    await handle(mailbox, f"run:{run}", effects)


async def test_runs_of_all_conversations_are_listed_the_newest_first(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, archive: RedisArchive
) -> None:
    runs = []
    for conversation in ("web:w:a", "web:w:b", "web:w:a", "web:w:c"):
        scripts.offset_ms += 1000
        runs.append(await begun(mailbox, partitions, conversation))
    await ended(mailbox, runs[1], "web:w:b")
    found = await archive.runs(3)
    assert [(name, history.ended) for name, history in found] == [
        (runs[3], ""),
        (runs[2], ""),
        (runs[1], "completed"),
    ]
    assert all(history.body == "{}" for _, history in found)


async def test_a_run_that_ended_long_ago_is_listed_no_more_and_one_that_lives_is(
    scripts: Scripts,
    mailbox: RedisMailbox,
    partitions: Partitions,
    archive: RedisArchive,
    conversation: str,
) -> None:
    old = await begun(mailbox, partitions, conversation)
    lives = await begun(mailbox, partitions, conversation)
    await ended(mailbox, old, conversation)
    scripts.offset_ms = 89 * DAY_MS
    early = await begun(mailbox, partitions, conversation)
    await ended(mailbox, early, conversation)
    tag = f"{{p{partitions.of_conversation(conversation):x}}}:"
    assert {str(run) for run in await scripts.client.zrange(f"{tag}runs", 0, -1)} == {
        old,
        lives,
        early,
    }
    scripts.offset_ms = 91 * DAY_MS
    late = await begun(mailbox, partitions, conversation)
    await ended(mailbox, late, conversation)
    listed = {name for name, _ in await archive.runs(10)}
    assert listed == {lives, early, late}
    assert {str(run) for run in await scripts.client.zrange(f"{tag}ended", 0, -1)} == {early, late}


async def test_a_runs_history_is_its_state_and_its_audit_in_order(
    mailbox: RedisMailbox, partitions: Partitions, archive: RedisArchive, conversation: str
) -> None:
    run = await begun(mailbox, partitions, conversation)
    await ended(mailbox, run, conversation)
    history = await archive.history(run)
    assert history is not None
    assert (history.body, history.ended) == ("{}", "completed")
    assert history.entries == ('{"n": 1}', '{"n": 2}')
    assert await archive.history(partitions.new_id(conversation)) is None
    assert await archive.history("no id of ours") is None

"""What must hold of rows that carry changes and checks of a run: sent until taken, once (003)."""

import pytest

from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox, RedisOutbox
from engine.ports.storage.store import Effects, Post, Refresh
from tests.contracts.given import handle, lives, sync

CHECK = Post("r/check/1", "checks:MATTER-7", "check", "r/check/1", body='{"checks":[]}')


@pytest.mark.parametrize("change", [sync("r/sync/1.1", "r"), CHECK], ids=["change", "check"])
async def test_a_change_or_check_that_was_sent_is_never_sent_again(
    change: Post, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(change,)))
    (row,), _ = await outbox.take_rows(5)
    assert (row.kind, row.body, row.conversation) == (change.kind, change.body, change.conversation)
    assert await outbox.sent(row, "taken") is None
    await handle(mailbox, lane, Effects(posts=(change,)))
    await handle(mailbox, lane, Effects(touches=(Refresh(change.ref),)))
    assert await outbox.take_rows(5) == ([], 3600)


async def test_a_change_posted_again_before_it_was_sent_is_sent_once(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane, change = f"talk:{conversation}", sync("r/sync/1.1", "r")
    await handle(mailbox, lane, Effects(posts=(change,)))
    (row,), _ = await outbox.take_rows(5)
    await handle(mailbox, lane, Effects(posts=(change,)))
    assert await outbox.sent(row, "taken") is None
    assert await outbox.take_rows(5) == ([], 3600)


async def test_a_dropped_change_stays_dropped_and_its_next_attempt_is_sent(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane, change = f"talk:{conversation}", sync("r/sync/1.1", "r")
    await handle(mailbox, lane, Effects(posts=(change,)))
    (row,), _ = await outbox.take_rows(5)
    assert await outbox.drop(row, "refused") is None
    again = sync("r/sync/1.2", "r")
    await handle(mailbox, lane, Effects(posts=(change, again)))
    (row,), _ = await outbox.take_rows(5)
    assert row.row == "r/sync/1.2"
    assert await outbox.sent(row, "taken") is None
    assert await outbox.take_rows(5) == ([], 3600)


@pytest.mark.parametrize("change", [sync("r/sync/1.1", "r"), CHECK], ids=["change", "check"])
async def test_a_change_or_check_is_kept_for_a_time_and_leaves_nothing_else(
    change: Post,
    scripts: Scripts,
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    conversation: str,
    tag: str,
) -> None:
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(change,)))
    destination = f"d:{change.conversation}"
    names = (f"row:{change.row}", f"rows:{change.row}", destination, f"{destination}:h")
    assert await lives(scripts, tag, *names) == ["for a time", "gone", "for ever", "gone"]
    (row,), _ = await outbox.take_rows(5)
    assert await lives(scripts, tag, *names) == ["for a time", "gone", "for ever", "for a time"]
    assert await outbox.sent(row, "taken") is None
    assert await lives(scripts, tag, *names) == ["for a time", "gone", "gone", "for a time"]
    assert await scripts.client.zcard(f"{tag}outq") == 0


async def test_of_a_check_that_was_kept_only_that_is_kept_for_a_day(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str, tag: str
) -> None:
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(CHECK,)))
    (row,), _ = await outbox.take_rows(5)
    assert await outbox.sent(row, "kept") is None
    kept = await scripts.client.hmget(f"{tag}row:{CHECK.row}", ["kind", "message_id", "body"])
    assert kept == ["check", "kept", None]
    assert 0 < await scripts.client.ttl(f"{tag}row:{CHECK.row}") <= 24 * 3600


@pytest.mark.parametrize("change", [sync("r/sync/1.1", "r"), CHECK], ids=["change", "check"])
@pytest.mark.parametrize("held", [True, False])
async def test_a_change_or_check_that_a_paused_deliverer_saw_taken_is_not_sent_again(
    change: Post,
    held: bool,
    scripts: Scripts,
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    conversation: str,
) -> None:
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(change,)))
    (paused,), _ = await outbox.take_rows(5)
    scripts.offset_ms = 31_000
    (holder,), _ = await outbox.take_rows(5)
    if not held:
        assert await outbox.sent(holder, "taken") is None
    assert await outbox.sent(paused, "taken") is None
    if held:
        await outbox.retry(holder, in_s=0)
    assert await outbox.take_rows(5) == ([], 3600)


async def test_changes_of_a_run_go_in_the_order_in_which_they_were_posted(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(sync("r/sync/9.1", "r"),)))
    scripts.offset_ms = 1_000
    await handle(mailbox, lane, Effects(posts=(sync("r/sync/10.1", "r"),)))
    (row,), _ = await outbox.take_rows(5)
    await outbox.retry(row, in_s=60)
    assert (await outbox.take_rows(5))[0] == []
    scripts.offset_ms = 62_000
    (row,), _ = await outbox.take_rows(5)
    following = await outbox.sent(row, "taken")
    assert following is not None
    assert (row.row, following.row) == ("r/sync/9.1", "r/sync/10.1")

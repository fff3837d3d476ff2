"""A row says when it was first tried, for as long as nobody knows what became of that."""

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox, RedisOutbox
from engine.ports.platform import Pace
from engine.ports.storage.outbox import OutboxRow
from engine.ports.storage.store import Effects, Refresh
from tests.contracts.given import handle, note


@pytest.fixture
async def row(mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str) -> OutboxRow:
    """A row that is to be shown for the first time."""
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(note("n", conversation),)))
    return await leased(outbox)


async def leased(outbox: RedisOutbox) -> OutboxRow:
    (row,), _ = await outbox.take_rows(5)
    return row


async def test_the_first_try_knows_of_none_and_the_next_of_the_first(
    outbox: RedisOutbox, scripts: Scripts, row: OutboxRow
) -> None:
    assert row.tried is None
    await outbox.retry(row, in_s=10)
    scripts.offset_ms += 11_000
    second = await leased(outbox)
    await outbox.retry(second, in_s=10, unsure=False)
    scripts.offset_ms += 11_000
    third = await leased(outbox)
    assert second.tried is not None
    assert second.tried == third.tried


async def test_whoever_takes_over_from_one_that_died_knows(
    outbox: RedisOutbox, scripts: Scripts, row: OutboxRow
) -> None:
    scripts.offset_ms += 31_000
    assert (await leased(outbox)).tried is not None


async def test_what_was_certainly_not_shown_was_not_tried(
    outbox: RedisOutbox, scripts: Scripts, row: OutboxRow
) -> None:
    await outbox.later(row, in_s=10)
    scripts.offset_ms += 11_000
    second = await leased(outbox)
    await outbox.retry(second, in_s=10, unsure=False)
    scripts.offset_ms += 11_000
    third = await leased(outbox)
    assert (second.tried, third.tried) == (None, None)


async def test_what_was_shown_is_tried_anew_when_it_changes(
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
    row: OutboxRow,
) -> None:
    await outbox.retry(row, in_s=0)
    await outbox.sent(await leased(outbox), "m1", pace=Pace())
    await handle(mailbox, f"talk:{conversation}", Effects(touches=(Refresh("n"),)))
    again = await leased(outbox)
    assert (again.message_id, again.tried) == ("m1", None)
    await outbox.retry(again, in_s=0)
    assert (await leased(outbox)).tried is not None

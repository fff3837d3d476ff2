"""What reviews need of the store: its own time with each claim, and reminders as rows of a card."""

from datetime import UTC, datetime, timedelta

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox, RedisOutbox
from engine.ports.storage.store import CardWrite, Effects, Post
from tests.contracts.given import claim_one, handle, lives, open_card, run_write


async def test_a_claim_and_the_mail_after_it_say_what_time_it_is_for_the_store(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str
) -> None:
    scripts.offset_ms = 7 * 3_600_000
    for update in ("one", "two"):
        await mailbox.put(f"talk:{conversation}", update, update_id=update)
    claim = await claim_one(mailbox)
    following = await mailbox.commit(claim, Effects(), pop=True)
    assert following is not None
    for each in (claim, following):
        assert each.now is not None
        assert abs(each.now - datetime.now(UTC) - timedelta(hours=7)) < timedelta(minutes=5)
        assert each.now.tzinfo is UTC


async def test_a_reminder_is_a_row_of_its_card_and_is_told_how_the_card_stands(
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
    scripts: Scripts,
    tag: str,
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    ping = Post("ping-1", conversation, "ping", card.token, body='{"number": 1}')
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(ping,)))
    (row,), _ = await outbox.take_rows(1)
    assert row.card is not None
    assert (row.kind, row.card.status, row.body) == ("ping", "open", '{"number": 1}')
    await outbox.sent(row, "m1")
    # It is shown again whenever the card changes, and goes when the run has ended.
    changed = card.model_copy(update={"version": 2, "reminded": 1})
    await handle(mailbox, f"talk:{conversation}", Effects(cards=(CardWrite(changed, expect=1),)))
    (again,), _ = await outbox.take_rows(1)
    assert again.card is not None
    assert (again.row, again.message_id, again.card.version) == ("ping-1", "m1", 2)
    await outbox.sent(again, "m1")
    assert await lives(scripts, tag, "row:ping-1") == ["for ever"]
    ended = Effects(runs=(run_write(card.run, conversation, ended="completed"),))
    await handle(mailbox, f"run:{card.run}", ended)
    assert await lives(scripts, tag, "row:ping-1") == ["for a time"]

"""Answers that are being written: a new text wakes who shows the reply, and nothing is kept."""

import pytest

from adapters.redis import keys
from adapters.redis.keys import Partitions
from adapters.redis.repositories.drafts import KEEP_S, RedisDrafts
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox, RedisOutbox
from engine.ports.storage.drafts import Draft
from engine.ports.storage.outbox import OutboxRow
from engine.ports.storage.store import Effects, Post, ReplyWrite
from tests.contracts.given import handle


@pytest.fixture
def drafts(scripts: Scripts, partitions: Partitions) -> RedisDrafts:
    return RedisDrafts(scripts, partitions)


@pytest.fixture
async def reply(mailbox: RedisMailbox, partitions: Partitions, conversation: str) -> str:
    """A reply whose message is due in an hour."""
    name = partitions.new_id(conversation)
    post = Post(row=name, conversation=conversation, kind="reply", ref=name, due_s=3600.0)
    write = ReplyWrite(id=name, head="{}", parts=("{}",))
    await handle(mailbox, f"talk:{conversation}", Effects(reply=write, posts=(post,)))
    return name


async def test_a_text_makes_the_message_due_and_is_read_everywhere(
    scripts: Scripts, partitions: Partitions, drafts: RedisDrafts, outbox: RedisOutbox, reply: str
) -> None:
    other = RedisDrafts(scripts, partitions)
    assert await drafts.read(reply) == Draft()
    assert (await outbox.take_rows(5))[0] == []
    await drafts.put(reply, "一 2")
    (row,), _ = await outbox.take_rows(5)
    assert row.row == reply
    assert await other.read(reply) == Draft(text="一 2")
    assert await outbox.sent(row, "m") is None
    await other.mark_shown(reply, "一")
    assert (await outbox.take_rows(5))[0] == []
    assert await drafts.read(reply) == Draft(text="一 2", shown="一")


async def test_a_text_that_came_while_the_message_was_shown_makes_it_due_again(
    drafts: RedisDrafts, outbox: RedisOutbox, reply: str
) -> None:
    await drafts.put(reply, "1")
    (row,), _ = await outbox.take_rows(5)
    await drafts.put(reply, "1 2")
    again = await outbox.sent(row, "m")
    assert isinstance(again, OutboxRow)
    assert again.message_id == "m"


async def test_what_is_stopped_wakes_nobody_any_more(
    drafts: RedisDrafts, outbox: RedisOutbox, reply: str
) -> None:
    await drafts.put(reply, "1")
    await drafts.stop(reply)
    (row,), _ = await outbox.take_rows(5)
    await outbox.sent(row, "m")
    await drafts.put(reply, "1 2")
    assert (await outbox.take_rows(5))[0] == []
    assert await drafts.read(reply) == Draft(text="1", off=True)


async def test_the_server_forgets_it_some_minutes_after_its_last_change(
    scripts: Scripts, partitions: Partitions, drafts: RedisDrafts, conversation: str
) -> None:
    name = partitions.new_id(conversation)
    key = keys.draft(partitions.of_conversation(conversation), name)
    for change in (drafts.put(name, "1"), drafts.mark_shown(name, "1"), drafts.stop(name)):
        await change
        assert 0 < await scripts.client.pttl(key) <= KEEP_S * 1000
        await scripts.client.pexpire(key, 10 * KEEP_S * 1000)


async def test_a_text_for_a_reply_that_is_gone_does_no_harm(
    drafts: RedisDrafts, partitions: Partitions, outbox: RedisOutbox, conversation: str
) -> None:
    await drafts.put(partitions.new_id(conversation), "1")
    assert (await outbox.take_rows(5))[0] == []

"""What waits for whom: lists that are right whenever a card was opened, changed or closed."""

import json
from datetime import UTC, datetime

import pytest

from adapters.redis.inbox import SHOWN_AGAIN, RedisInbox
from adapters.redis.keys import Partitions, tag
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from cards.model import Card, Review, Vote
from engine.ports.storage.inbox import OpenCardTokens
from engine.ports.storage.outbox import OutboxRow
from engine.ports.storage.store import CardWrite, Effects, Post
from tests.contracts.given import deciding, handle, open_card, run_write

REVIEWERS = ("role:reviewer",)
EVERYBODY = ("all",)


@pytest.fixture
def inbox(scripts: Scripts, partitions: Partitions) -> RedisInbox:
    return RedisInbox(scripts, partitions)


async def several(
    mailbox: RedisMailbox, partitions: Partitions, scripts: Scripts, count: int, **changes: object
) -> list[Card]:
    """Cards of as many conversations, each opened a second after the one before."""
    found = []
    for number in range(count):
        scripts.offset_ms = number * 1000
        found.append(await open_card(mailbox, partitions, f"web:local:inbox-{number}", **changes))
    return found


async def test_what_waits_for_a_role_or_person_is_listed_oldest_first_over_all_partitions(
    inbox: RedisInbox, mailbox: RedisMailbox, partitions: Partitions, scripts: Scripts
) -> None:
    reviews = await several(mailbox, partitions, scripts, 12)
    own = Review(persons=("slack:T1:U 1",))
    mine = await open_card(mailbox, partitions, "web:local:own", review=own)
    assert await inbox.find_tokens(REVIEWERS) == OpenCardTokens(tuple(c.token for c in reviews), 12)
    assert await inbox.find_tokens(["person:slack:T1:U 1"]) == OpenCardTokens((mine.token,), 1)
    assert await inbox.find_tokens(["person:chen", "role:crc"]) == OpenCardTokens()
    assert await inbox.find_tokens([]) == OpenCardTokens()
    everything = await inbox.find_tokens(EVERYBODY)
    assert everything == OpenCardTokens((*(c.token for c in reviews), mine.token), 13)
    assert [card.token for card in await inbox.cards(everything.tokens)] == list(everything.tokens)
    both = await inbox.find_tokens([*REVIEWERS, *EVERYBODY])
    assert both.tokens == everything.tokens


@pytest.mark.parametrize("way", ["decided", "superseded", "run_ended", "cancelled"])
async def test_a_card_that_closes_in_any_way_waits_for_nobody(
    way: str,
    inbox: RedisInbox,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    if way == "decided":
        await decisions.decide(card.token, update_id="t", answer="ok", effects=deciding(card))
    else:
        closed = card.model_copy(update={"status": "superseded", "version": 2})
        effects = {
            "superseded": Effects(cards=(CardWrite(closed, expect=1),)),
            "run_ended": Effects(runs=(run_write(card.run, conversation, ended="completed"),)),
            "cancelled": Effects(cancels=((card.run, 0),)),
        }[way]
        await handle(mailbox, f"control:{conversation}", effects)
    assert await inbox.find_tokens([*REVIEWERS, *EVERYBODY]) == OpenCardTokens()
    assert await inbox.cards([card.token]) == []


async def test_a_card_keeps_its_place_through_votes_and_goes_where_its_review_goes(
    inbox: RedisInbox,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    scripts: Scripts,
) -> None:
    first, second = await several(mailbox, partitions, scripts, 2)
    scripts.offset_ms = 60_000
    vote = Vote(person="chen", name="Chen", choice="approve", at=datetime(2026, 11, 21, tzinfo=UTC))
    voted = first.model_copy(update={"votes": (vote,), "version": 2})
    effects = Effects(cards=(CardWrite(voted, expect=1),))
    await decisions.decide(first.token, update_id="vote", answer="ok", effects=effects)
    assert (await inbox.find_tokens(REVIEWERS)).tokens == (first.token, second.token)
    (found, _) = await inbox.cards((first.token, second.token))
    assert found.votes == (vote,)
    moved = voted.model_copy(update={"review": Review(roles=("boss",)), "version": 3})
    effects = Effects(cards=(CardWrite(moved, expect=2),))
    await decisions.decide(first.token, update_id="escalated", answer="ok", effects=effects)
    assert (await inbox.find_tokens(REVIEWERS)).tokens == (second.token,)
    assert (await inbox.find_tokens(["role:boss"])).tokens == (first.token,)
    assert (await inbox.find_tokens(EVERYBODY)).tokens == (first.token, second.token)


async def test_a_card_that_only_tells_waits_for_nobody(
    inbox: RedisInbox, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    await open_card(mailbox, partitions, conversation, kind="phase_done")
    assert await inbox.find_tokens([*REVIEWERS, *EVERYBODY]) == OpenCardTokens()


async def test_only_so_many_of_a_partition_are_listed_and_all_are_counted(
    mailbox: RedisMailbox, scripts: Scripts
) -> None:
    partitions = Partitions(1)
    mailbox = RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client)
    cards = await several(mailbox, partitions, scripts, 4)
    inbox = RedisInbox(scripts, partitions, listed_most=3)
    assert await inbox.find_tokens(REVIEWERS) == OpenCardTokens(
        tuple(c.token for c in cards[:3]), 4
    )


async def test_an_open_card_of_an_earlier_build_is_listed_by_the_repair(
    inbox: RedisInbox, mailbox: RedisMailbox, partitions: Partitions, scripts: Scripts
) -> None:
    cards = await several(mailbox, partitions, scripts, 3)
    for card in cards[:2]:
        place = tag(partitions.of_id(card.token) or 0)
        await scripts.client.hdel(f"{place}card:{card.token}", "who")
        for name in ("all", "role:reviewer"):
            await scripts.client.zrem(f"{place}inbox:{name}", card.token)
    assert (await inbox.find_tokens(REVIEWERS)).tokens == (cards[2].token,)
    assert [await inbox.repair(), await inbox.repair()] == [2, 0]
    assert (await inbox.find_tokens(REVIEWERS)).tokens == tuple(c.token for c in cards)
    assert (await inbox.find_tokens(EVERYBODY)).total == 3


async def test_the_repair_lists_nothing_that_changed_since_it_was_read(
    inbox: RedisInbox, mailbox: RedisMailbox, partitions: Partitions, scripts: Scripts
) -> None:
    (card,) = await several(mailbox, partitions, scripts, 1)
    partition = partitions.of_id(card.token) or 0
    place = tag(partition)
    await scripts.client.hdel(f"{place}card:{card.token}", "who")
    await scripts.client.zrem(f"{place}inbox:role:reviewer", card.token)

    async def relist(version: int = 1, conversation: str = card.conversation) -> int:
        return int(
            await scripts.run(
                "relist", partition, card.token, version, conversation, "role:reviewer"
            )
        )

    assert [await relist(2), await relist(conversation="web:local:none")] == [0, 0]
    assert (await inbox.find_tokens(REVIEWERS)).tokens == ()
    assert [await relist(), await relist()] == [1, 0]
    await scripts.client.hset(f"{place}card:{card.token}", "status", "decided")
    await scripts.client.hdel(f"{place}card:{card.token}", "who")
    assert await relist() == 0


async def test_a_card_is_shown_again_in_messages_that_all_follow_it(
    inbox: RedisInbox,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    place = "telegram:5:77"
    for _ in range(2):
        assert await inbox.show(card.token, row="again-1", place=place)
    (row,), _ = await outbox.take_rows(5)
    assert (row.conversation, row.kind, row.ref, row.message_id) == (place, "card", card.token, "")
    await outbox.sent(row, "m1")
    assert await inbox.show(card.token, row="again-1", place=place)
    assert (await outbox.take_rows(5))[0] == []
    await decisions.decide(card.token, update_id="t", answer="ok", effects=deciding(card))
    (row,), _ = await outbox.take_rows(5)
    assert (row.row, row.message_id) == ("again-1", "m1")
    assert row.card is not None
    assert row.card.status == "decided"
    assert not await inbox.show(card.token, row="again-2", place=place)
    assert not await inbox.show("no id of ours", row="again-3", place=place)


async def test_of_many_messages_that_show_a_card_again_the_oldest_is_left_alone(
    inbox: RedisInbox,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    scripts: Scripts,
    conversation: str,
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    first = Post(f"{card.token}@{conversation}", conversation, "card", card.token)
    await handle(mailbox, f"control:{conversation}", Effects(posts=(first,)))
    # The oldest is neither the first nor the last to be found.
    moments = [5, *range(6, SHOWN_AGAIN), 1, 2, 3, 4, 60, 61]
    for moment in moments:
        scripts.offset_ms = moment * 1000
        await inbox.show(card.token, row=f"again-{moment}", place=f"telegram:5:{moment}")
    rows, _ = await outbox.take_rows(99)
    shown = {row.row for row in rows if row.ref}
    kept = sorted(moments)[len(moments) - SHOWN_AGAIN :]
    assert shown == {first.row, *(f"again-{moment}" for moment in kept)}
    followed = f"{tag(partitions.of_id(card.token) or 0)}rows:{card.token}"
    assert await scripts.client.scard(followed) == SHOWN_AGAIN + 1


@pytest.mark.parametrize("outcome", ["sent", "drop"])
async def test_cards_to_show_know_when_the_list_above_them_was_posted_or_given_up(
    outcome: str, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    listed = Post("list", conversation, "note", "list", body="{}")
    below = Post("list/cards", f"cards:{conversation}", "cards", "list", body="{}")
    await handle(mailbox, f"control:{conversation}", Effects(posts=(listed, below)))
    rows = {row.kind: row for row in (await outbox.take_rows(5))[0]}
    assert rows["cards"].answer_id == ""
    if outcome == "sent":
        await outbox.sent(rows["note"], "m7")
    else:
        await outbox.drop(rows["note"], "gone")
    row = await outbox.later(rows["cards"], in_s=0)
    assert isinstance(row, OutboxRow)
    assert row.answer_id == ("m7" if outcome == "sent" else "gone")
    await outbox.sent(row, "done")
    await handle(mailbox, f"control:{conversation}", Effects(posts=(below,)))
    assert (await outbox.take_rows(5))[0] == []


async def test_open_cards_of_another_version_are_counted(
    inbox: RedisInbox, mailbox: RedisMailbox, partitions: Partitions, scripts: Scripts
) -> None:
    cards = await several(mailbox, partitions, scripts, 3)
    tokens = [card.token for card in cards]
    assert await inbox.unreadable(tokens) == 0
    body = json.dumps({**json.loads(cards[1].model_dump_json()), "of_another_version": 1})
    key = f"{tag(partitions.of_id(tokens[1]) or 0)}card:{tokens[1]}"
    await scripts.client.hset(key, "body", body)
    assert [card.token for card in await inbox.cards(tokens)] == [tokens[0], tokens[2]]
    assert await inbox.unreadable([*tokens, "0-nobody"]) == 1
    await scripts.client.hset(key, "status", "approved")
    assert await inbox.unreadable(tokens) == 0

"""A message whose id was lost is found again by a tap in it, and is shown as all others are."""

from typing import Any

from adapters.redis import keys
from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from cards.model import Card
from engine.ports.platform import Pace
from engine.ports.storage.outbox import Following, OutboxRow
from engine.ports.storage.store import CardWrite, Effects, Post, Refresh, ReplyWrite, TappedMessage
from tests.contracts.given import card_for, claim_one, decided, run_write

DM = "telegram:1:2002"


async def tapped(
    decisions: RedisDecisions, card: Card, message_id: str, at: str, **more: Any
) -> None:
    effects = Effects(seen=(TappedMessage(card.token, at, message_id),), **more)
    await decisions.decide(
        card.token, update_id=f"tap-{message_id}-{at}-{len(more)}", answer="{}", effects=effects
    )


async def opened(mailbox: RedisMailbox, partitions: Partitions, conversation: str) -> Card:
    """An open card that is to be shown at a reviewer's."""
    run = partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation)
    await mailbox.put(f"run:{run}", "start", update_id=f"start-{run}")
    post = Post(row=f"{card.token}@{DM}", conversation=DM, kind="card", ref=card.token)
    effects = Effects(runs=(run_write(run, conversation),), cards=(CardWrite(card),), posts=(post,))
    await mailbox.commit(await claim_one(mailbox), effects, pop=True)
    return card


async def replied(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> tuple[Card, str]:
    """An open card in a reply, with the reply's id."""
    reply, run = partitions.new_id(conversation), partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation)
    await mailbox.put(f"run:{run}", "start", update_id=f"start-{run}")
    effects = Effects(
        reply=ReplyWrite(id=reply, head="head", parts=("one",)),
        runs=(run_write(run, conversation, reply=reply),),
        cards=(CardWrite(card),),
        slots=((reply, card.token),),
        posts=(Post(row=reply, conversation=conversation, kind="reply", ref=reply),),
    )
    await mailbox.commit(await claim_one(mailbox), effects, pop=True)
    return card, reply


async def posted(
    mailbox: RedisMailbox, outbox: RedisOutbox, partitions: Partitions, conversation: str, id: str
) -> Card:
    """An open card that is shown at a reviewer's, in the message of that id."""
    card = await opened(mailbox, partitions, conversation)
    (row,), _ = await outbox.take_rows(5)
    await outbox.sent(row, id, pace=Pace())
    return card


async def shown(outbox: RedisOutbox) -> list[tuple[str, str, str]]:
    """Place, message and kind of every row that is due now."""
    found = []
    while rows := (await outbox.take_rows(5))[0]:
        for first in rows:
            row: Following = first
            while isinstance(row, OutboxRow):
                found.append((row.conversation, row.message_id, row.kind))
                row = await outbox.sent(row, row.message_id or "new", pace=Pace())
    return sorted(found)


async def test_a_message_that_a_row_knows_is_learned_no_second_time(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    card = await posted(mailbox, outbox, partitions, conversation, "5,6")
    for known in ("5", "6"):
        await tapped(decisions, card, known, DM)
    assert await shown(outbox) == []
    with_document = await posted(mailbox, outbox, partitions, conversation, "7,8;9f0c")
    await tapped(decisions, with_document, "8", DM)
    assert await shown(outbox) == []
    slack = await posted(mailbox, outbox, partitions, conversation, "D1:17.5")
    # A direct message is posted to a user and tapped in a channel.
    await tapped(decisions, slack, "D1:17.5", "slack:T1:D1")
    assert await shown(outbox) == []


async def test_an_unknown_message_is_shown_at_once_and_whenever_the_card_changes(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    card = await posted(mailbox, outbox, partitions, conversation, "5")
    await tapped(decisions, card, "7", DM)
    assert await shown(outbox) == [(DM, "7", "card")]
    # The same number elsewhere is another message.
    await tapped(decisions, card, "5", "telegram:1:-3")
    assert await shown(outbox) == [("telegram:1:-3", "5", "card")]
    await tapped(decisions, card, "7", DM)
    assert await shown(outbox) == []
    change = (CardWrite(decided(card), expect=1),)
    await tapped(decisions, card, "7", DM, cards=change)
    assert await shown(outbox) == [
        ("telegram:1:-3", "5", "card"),
        (DM, "5", "card"),
        (DM, "7", "card"),
    ]


async def test_a_message_is_left_as_it_is_for_as_long_as_asked_unless_the_card_changes(
    decisions: RedisDecisions,
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    card = await posted(mailbox, outbox, partitions, conversation, "2")
    effects = Effects(seen=(TappedMessage(card.token, DM, "1", due_s=3600),))
    await decisions.decide(card.token, update_id="asked", answer="{}", effects=effects)
    assert await shown(outbox) == []
    change = Effects(cards=(CardWrite(decided(card), expect=1),))
    await decisions.decide(card.token, update_id="sure", answer="{}", effects=change)
    assert await shown(outbox) == [(DM, "1", "card"), (DM, "2", "card")]


async def test_the_twin_of_a_reply_is_shown_as_the_reply_with_its_card(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    card, reply = await replied(mailbox, partitions, conversation)
    assert await shown(outbox) == [(conversation, "", "reply")]
    await tapped(decisions, card, "twin", conversation)
    (row,), _ = await outbox.take_rows(5)
    assert (row.message_id, row.kind, row.head, row.parts) == ("twin", "reply", "head", ("one",))
    assert row.card is not None
    assert row.card.read().token == card.token
    await outbox.sent(row, "twin", pace=Pace())
    both = [(conversation, "new", "reply"), (conversation, "twin", "reply")]
    touch = (Refresh(reply),)
    await tapped(decisions, card, "twin", conversation, touches=touch)
    assert await shown(outbox) == both
    # A message elsewhere holds the card alone.
    await tapped(decisions, card, "9", DM)
    assert await shown(outbox) == [(DM, "9", "card")]
    change = Effects(cards=(CardWrite(decided(card), expect=1),))
    await decisions.decide(card.token, update_id="other", answer="{}", effects=change)
    assert await shown(outbox) == [(DM, "9", "card"), *both]


async def test_a_message_may_be_learned_before_any_id_is_known(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    card = await opened(mailbox, partitions, conversation)
    await tapped(decisions, card, "5", DM)
    assert sorted(await shown(outbox)) == [(DM, "", "card"), (DM, "5", "card")]


async def test_a_message_that_was_tapped_before_its_id_was_noted_is_shown_by_one_row(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
    scripts: Scripts,
) -> None:
    card = await opened(mailbox, partitions, conversation)
    (row,), _ = await outbox.take_rows(5)
    for tap, place in (("6", DM), ("5", DM), ("5", "telegram:1:-3")):
        await tapped(decisions, card, tap, place)
    # Its twin, and the message of that number elsewhere, are others.
    other = await outbox.sent(row, "5", pace=Pace())
    assert isinstance(other, OutboxRow)
    assert (other.conversation, other.message_id) == (DM, "6")
    assert await outbox.sent(other, "6", pace=Pace()) is None
    assert await shown(outbox) == [("telegram:1:-3", "5", "card")]
    others = [("telegram:1:-3", "5", "card"), (DM, "6", "card")]
    await tapped(decisions, card, "5", DM, cards=(CardWrite(decided(card), expect=1),))
    assert await shown(outbox) == sorted([*others, (DM, "5", "card")])
    tag = keys.tag(partitions.of_id(card.token) or 0)
    rows = {f"{card.token}@{at}" for at in (DM, f"{DM}#6", "telegram:1:-3#5")}
    assert await scripts.client.smembers(f"{tag}rows:{card.token}") == rows
    assert not await scripts.client.exists(f"{tag}row:{card.token}@{DM}#5")


async def test_a_direct_message_that_was_tapped_before_its_id_was_noted_is_shown_by_one_row(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    card = await opened(mailbox, partitions, conversation)
    (row,), _ = await outbox.take_rows(5)
    await tapped(decisions, card, "D1:17.5", "slack:T1:D1")
    await outbox.sent(row, "D1:17.5", pace=Pace())
    assert await shown(outbox) == []


async def test_a_reply_that_was_tapped_before_its_id_was_noted_is_shown_by_one_row(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    card, _ = await replied(mailbox, partitions, conversation)
    (row,), _ = await outbox.take_rows(5)
    await tapped(decisions, card, "5", conversation)
    await outbox.sent(row, "5", pace=Pace())
    assert await shown(outbox) == []
    change = (CardWrite(decided(card), expect=1),)
    await tapped(decisions, card, "5", conversation, cards=change)
    assert await shown(outbox) == [(conversation, "5", "reply")]


async def test_what_is_learned_of_a_closed_card_is_not_kept_for_ever(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
    scripts: Scripts,
) -> None:
    card = await posted(mailbox, outbox, partitions, conversation, "5")
    await tapped(decisions, card, "6", DM)
    redis = scripts.client
    tag = keys.tag(partitions.of_id(card.token) or 0)
    assert await redis.pttl(f"{tag}row:{card.token}@{DM}#6") == -1
    await tapped(decisions, card, "6", DM, cards=(CardWrite(decided(card), expect=1),))
    await tapped(decisions, card, "7", DM)
    assert await redis.pttl(f"{tag}row:{card.token}@{DM}#7") > 0
    assert await redis.pttl(f"{tag}rows:{card.token}") > 0

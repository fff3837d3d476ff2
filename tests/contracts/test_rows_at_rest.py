"""What a run needs no keys for while it waits: rows that stand as they are, its list of cards."""

import json
from typing import Any

from adapters.redis.inbox import RedisInbox
from adapters.redis.keys import Partitions
from adapters.redis.own_runs import RedisOwnRuns
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from cards.model import Card
from engine.ports.storage.outbox import Following, OutboxRow
from engine.ports.storage.store import (
    CardWrite,
    Effects,
    PartWrite,
    Post,
    ReplyWrite,
    RunWrite,
    TappedMessage,
)
from tests.contracts.given import card_for, decided, deciding, handle, lives

DM = "telegram:1:2002"
LONG = json.dumps({"text": "what is asked " * 30})


def run_that_waits(run: str, conversation: str, reply: str, **changes: Any) -> RunWrite:
    written = {"status": "suspended", "body": LONG, **changes}
    return RunWrite(id=run, conversation=conversation, reply=reply, **written)


async def waiting(
    mailbox: RedisMailbox,
    partitions: Partitions,
    conversation: str,
    *,
    parts: int = 1,
) -> tuple[Card, str]:
    """The card of a run that waits, in its reply and at a reviewer's; nothing is shown yet."""
    reply, run = partitions.new_id(conversation), partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation, text=LONG, reply=reply)
    effects = Effects(
        reply=ReplyWrite(id=reply, head=LONG, parts=(LONG,) * parts),
        parts=(PartWrite(reply, 0, LONG),),
        runs=(run_that_waits(run, conversation, reply),),
        cards=(CardWrite(card),),
        slots=((reply, card.token),),
        posts=(
            Post(row=reply, conversation=conversation, kind="reply", ref=reply),
            Post(row=f"{card.token}@{DM}", conversation=DM, kind="card", ref=card.token),
        ),
    )
    await handle(mailbox, f"run:{run}", effects)
    return card, reply


async def show_all(outbox: RedisOutbox) -> list[OutboxRow]:
    """Every row that is due, shown."""
    found = []
    while rows := (await outbox.take_rows(5))[0]:
        for first in rows:
            row: Following = first
            while isinstance(row, OutboxRow):
                found.append(row)
                row = await outbox.sent(row, row.message_id or f"id-{row.kind}")
    return sorted(found, key=lambda row: row.kind)


def own_keys(card: Card, reply: str) -> tuple[str, ...]:
    return (f"row:{reply}", f"rows:{reply}", f"row:{card.token}@{DM}", f"rows:{card.token}")


async def test_a_message_that_stands_as_it_is_has_no_keys_of_its_own(
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    card, reply = await waiting(mailbox, partitions, conversation)
    assert await lives(scripts, tag, *own_keys(card, reply)) == ["for ever"] * 4
    before = await bytes_of(scripts, tag, card, reply)
    await show_all(outbox)
    assert await lives(scripts, tag, *own_keys(card, reply)) == ["gone"] * 4
    assert await bytes_of(scripts, tag, card, reply) <= before - 320
    assert await scripts.client.hget(f"{tag}card:{card.token}", "deadline") is None


async def bytes_of(scripts: Scripts, tag: str, card: Card, reply: str) -> int:
    """What the card, the reply and all that shows them take in the store."""
    names = (*own_keys(card, reply), f"card:{card.token}", f"reply:{reply}")
    return sum([await scripts.client.memory_usage(tag + name) or 0 for name in names])


async def test_what_is_decided_is_shown_in_the_same_messages_which_then_end_with_the_run(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    card, reply = await waiting(mailbox, partitions, conversation)
    await show_all(outbox)
    await decisions.decide(card.token, update_id="t", answer="won", effects=deciding(card))
    shown = await show_all(outbox)
    assert [(r.kind, r.conversation, r.message_id, r.revision) for r in shown] == [
        ("card", DM, "id-card", 2),
        ("reply", conversation, "id-reply", 2),
    ]
    assert shown[0].card is not None
    assert shown[0].card.status == "decided"
    claim = (await mailbox.take(1)).claims[0]
    ended = run_that_waits(card.run, conversation, reply, ended="completed", status="completed")
    await mailbox.commit(claim, Effects(runs=(ended,)), pop=True)
    assert await lives(scripts, tag, *own_keys(card, reply)) == ["for a time"] * 4


async def test_a_run_that_ends_while_all_stands_as_it_is_leaves_nothing_for_ever(
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    card, reply = await waiting(mailbox, partitions, conversation)
    await show_all(outbox)
    cancel = Effects(cancels=((card.run, 0),))
    await handle(mailbox, f"control:{conversation}", cancel)
    assert await lives(scripts, tag, *own_keys(card, reply)) == ["for a time"] * 4
    assert [row.message_id for row in await show_all(outbox)] == ["id-card", "id-reply"]


async def test_a_tap_in_a_known_message_changes_nothing_and_in_an_unknown_one_shows_it(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    card, reply = await waiting(mailbox, partitions, conversation)
    await show_all(outbox)
    for at, message in ((DM, "id-card"), (conversation, "id-reply")):
        seen = Effects(seen=(TappedMessage(card.token, at, message),))
        await decisions.decide(card.token, update_id=message, answer="{}", effects=seen)
    assert await show_all(outbox) == []
    assert await scripts.client.exists(f"{tag}rows:{card.token}") == 0
    twin = Effects(seen=(TappedMessage(card.token, conversation, "twin"),))
    await decisions.decide(card.token, update_id="twin", answer="{}", effects=twin)
    (row,) = await show_all(outbox)
    assert (row.kind, row.ref, row.message_id) == ("reply", reply, "twin")
    change = Effects(cards=(CardWrite(decided(card), expect=1),))
    await decisions.decide(card.token, update_id="d", answer="{}", effects=change)
    messages = [row.message_id for row in await show_all(outbox)]
    assert sorted(messages) == ["id-card", "id-reply", "twin"]


async def test_a_message_that_was_shown_late_as_it_was_before_is_shown_once_more(
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    card, reply = await waiting(mailbox, partitions, conversation)
    late, _ = await outbox.take_rows(5)
    scripts.offset_ms += 31_000
    await show_all(outbox)
    assert await lives(scripts, tag, *own_keys(card, reply)) == ["gone"] * 4
    for row in late:
        assert await outbox.sent(row, f"late-{row.kind}") is None
    shown = await show_all(outbox)
    assert [row.message_id for row in shown] == ["late-card", "late-reply"]


async def test_what_is_posted_once_more_is_shown_in_the_message_that_there_is(
    mailbox: RedisMailbox, outbox: RedisOutbox, partitions: Partitions, conversation: str
) -> None:
    card, reply = await waiting(mailbox, partitions, conversation)
    await show_all(outbox)
    posts = (
        Post(row=reply, conversation=conversation, kind="reply", ref=reply),
        Post(row="ping-1", conversation=DM, kind="ping", ref=card.token, body='{"number":1}'),
    )
    await handle(mailbox, f"talk:{conversation}", Effects(posts=posts))
    shown = await show_all(outbox)
    assert [(row.kind, row.message_id) for row in shown] == [("ping", ""), ("reply", "id-reply")]


async def test_a_reminder_and_the_message_of_the_card_are_both_shown_the_decision(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    card, _ = await waiting(mailbox, partitions, conversation)
    await show_all(outbox)
    ping = Post(row="ping-1", conversation=DM, kind="ping", ref=card.token, body='{"number":1}')
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(ping,)))
    (row,) = await show_all(outbox)
    assert row.answer_id == "id-reply"
    await decisions.decide(card.token, update_id="t", answer="won", effects=deciding(card))
    assert [row.message_id for row in await show_all(outbox)] == ["id-card", "id-ping", "id-reply"]


async def test_the_message_in_which_a_run_answers_is_known_while_it_waits(
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
) -> None:
    card, _ = await waiting(mailbox, partitions, conversation)
    own_runs = RedisOwnRuns(scripts, partitions)
    (kept,) = await own_runs.read([card.run])
    assert kept.message_id == ""
    await show_all(outbox)
    (kept,) = await own_runs.read([card.run])
    assert kept.message_id == "id-reply"


async def test_a_reply_with_another_part_keeps_its_keys_for_an_older_build_may_write_that(
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    card, reply = await waiting(mailbox, partitions, conversation, parts=2)
    await show_all(outbox)
    kept = ["for ever"] * 2 + ["gone"] * 2
    assert await lives(scripts, tag, *own_keys(card, reply)) == kept


async def test_a_card_may_be_shown_at_one_more_place(
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
) -> None:
    card, _ = await waiting(mailbox, partitions, conversation)
    await show_all(outbox)
    inbox = RedisInbox(scripts, partitions)
    assert await inbox.show(card.token, row=f"{card.token}@{DM}", place=DM)
    assert await show_all(outbox) == []
    assert await inbox.show(card.token, row=f"{card.token}@else", place="telegram:1:7")
    assert [row.conversation for row in await show_all(outbox)] == ["telegram:1:7"]


async def test_a_run_that_waits_has_no_list_of_its_cards_until_it_goes_on(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    card, reply = await waiting(mailbox, partitions, conversation)
    own_runs, cards = RedisOwnRuns(scripts, partitions), f"run:{card.run}:cards"
    assert await lives(scripts, tag, cards) == ["gone"]
    vote = Effects(cards=(CardWrite(card.model_copy(update={"version": 2}), expect=1),))
    await decisions.decide(card.token, update_id="v", answer="voted", effects=vote)
    assert await lives(scripts, tag, cards) == ["gone"]
    (kept,) = await own_runs.read([card.run])
    assert [each.token for each in kept.cards] == [card.token]
    second = card_for(card.run, partitions.new_id(conversation), conversation)
    goes_on = run_that_waits(card.run, conversation, reply, status="running")
    await handle(mailbox, f"run:{card.run}", Effects(runs=(goes_on,), cards=(CardWrite(second),)))
    assert await scripts.client.smembers(tag + cards) == {card.token, second.token}
    (kept,) = await own_runs.read([card.run])
    assert {each.token for each in kept.cards} == {card.token, second.token}
    waits = run_that_waits(card.run, conversation, reply)
    await handle(mailbox, f"run:{card.run}", Effects(runs=(waits,)))
    assert await lives(scripts, tag, cards) == ["gone"]
    await handle(mailbox, f"control:{conversation}", Effects(cancels=((card.run, 0),)))
    assert await decisions.open_cards(conversation) == []
    held = (f"run:{card.run}", f"card:{card.token}", f"card:{second.token}")
    assert await lives(scripts, tag, *held) == ["for a time"] * 3


async def test_a_run_that_ends_while_it_waits_has_its_list_again_for_a_time(
    mailbox: RedisMailbox, scripts: Scripts, partitions: Partitions, conversation: str, tag: str
) -> None:
    card, reply = await waiting(mailbox, partitions, conversation)
    ended = run_that_waits(card.run, conversation, reply, ended="expired", status="failed")
    await handle(mailbox, f"run:{card.run}", Effects(runs=(ended,)))
    held = (f"run:{card.run}:cards", f"card:{card.token}")
    assert await lives(scripts, tag, *held) == ["for a time"] * 2


async def test_a_run_that_waits_for_a_card_is_found_by_that_among_those_that_go_on(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    listed = f"c:{conversation}:runs"
    first, reply = await waiting(mailbox, partitions, conversation)
    assert await lives(scripts, tag, listed) == ["gone"]
    scripts.offset_ms += 10
    second = partitions.new_id(conversation)
    alone = RunWrite(id=second, conversation=conversation, reply="", body="{}", status="running")
    await handle(mailbox, f"run:{second}", Effects(runs=(alone,)))
    active = [run for run, _ in await decisions.active_runs(conversation)]
    assert active == [first.run, second]
    await handle(mailbox, f"control:{conversation}", Effects(cancels=((second, 0),)))
    await mailbox.put(f"talk:{conversation}", "m", update_id="m")
    (talk,) = (await mailbox.take(1)).claims
    assert (talk.cards, talk.runs) == (1, 1)
    await mailbox.commit(talk, Effects(), pop=True)
    await decisions.decide(first.token, update_id="t", answer="won", effects=deciding(first))
    assert await scripts.client.zrange(tag + listed, 0, -1) == [first.run]
    goes_on = run_that_waits(first.run, conversation, reply, status="running")
    claim = (await mailbox.take(1)).claims[0]
    await mailbox.commit(claim, Effects(runs=(goes_on,)), pop=True)
    assert [run for run, _ in await decisions.active_runs(conversation)] == [first.run]
    assert (await decisions.reply(reply)) is not None
    assert await scripts.client.hget(f"{tag}reply:{reply}", "live") == "1"
    ended = run_that_waits(first.run, conversation, reply, ended="completed", status="completed")
    await handle(mailbox, f"run:{first.run}", Effects(runs=(ended,)))
    assert await decisions.active_runs(conversation) == []
    assert await lives(scripts, tag, listed) == ["gone"]


async def test_a_run_that_waits_for_no_card_is_listed(
    mailbox: RedisMailbox, scripts: Scripts, partitions: Partitions, conversation: str, tag: str
) -> None:
    card, reply = await waiting(mailbox, partitions, conversation)
    closed = CardWrite(decided(card), expect=1)
    waits = run_that_waits(card.run, conversation, reply)
    await handle(mailbox, f"run:{card.run}", Effects(cards=(closed,), runs=(waits,)))
    assert await scripts.client.zrange(f"{tag}c:{conversation}:runs", 0, -1) == [card.run]

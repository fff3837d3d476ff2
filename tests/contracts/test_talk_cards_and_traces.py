"""Cards that no run has, and traces for operators: kept for a time, found by whom they concern."""

import pytest

from adapters.redis.archive import RedisArchive
from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox
from cards.model import Card
from engine.ports.storage.store import CardWrite, Effects, TraceWrite
from tests.contracts.given import card_for, claim_one, decided, handle, lives, run_write, shown_card


@pytest.fixture
def archive(scripts: Scripts, partitions: Partitions) -> RedisArchive:
    return RedisArchive(scripts, partitions)


def talk_card(partitions: Partitions, conversation: str) -> Card:
    return card_for("", partitions.new_id(conversation), conversation)


async def test_a_decided_talk_card_mails_its_conversation_and_is_kept_for_a_time(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    card = talk_card(partitions, conversation)
    opened = Effects(cards=(CardWrite(card),), posts=(shown_card(card),))
    await handle(mailbox, f"talk:{conversation}", opened)
    held = (f"card:{card.token}", f"row:row-{card.token}", f"rows:{card.token}")
    assert await lives(scripts, tag, *held, "run::cards") == ["for ever"] * 3 + ["gone"]
    assert await decisions.open_cards(conversation) == [card]
    effects = Effects(
        cards=(CardWrite(decided(card), expect=1),),
        mails=((card.lane, "chosen"),),
        log=((card.token, "tap"),),
    )
    assert await decisions.decide(card.token, update_id="1", answer="ok", effects=effects) == "ok"
    assert (await claim_one(mailbox)).mail == "chosen"
    assert await decisions.open_cards(conversation) == []
    assert await lives(scripts, tag, *held, f"log:{card.token}") == ["for a time"] * 4


async def test_a_claim_tells_how_many_cards_are_open_and_runs_go_on(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    runs = tuple(run_write(partitions.new_id(conversation), conversation) for _ in range(2))
    card = talk_card(partitions, conversation)
    effects = Effects(runs=runs, cards=(CardWrite(card),))
    await handle(mailbox, f"talk:{conversation}", effects)
    await mailbox.put(f"talk:{conversation}", "next", update_id="next")
    claim = await claim_one(mailbox)
    assert (claim.cards, claim.runs) == (1, 2)
    await mailbox.put(f"talk:{conversation}", "last", update_id="last")
    kept = await mailbox.commit(claim, Effects(), pop=True)
    assert kept is not None
    assert (kept.mail, kept.cards, kept.runs) == ("last", 1, 2)


async def test_traces_are_listed_newest_first_and_read_by_name(
    mailbox: RedisMailbox, archive: RedisArchive, partitions: Partitions
) -> None:
    names = []
    for conversation in ("web:w:a", "web:w:b"):
        name = partitions.new_id(conversation)
        trace = TraceWrite(name, f'{{"of": "{conversation}"}}', keep_s=60)
        await handle(mailbox, f"talk:{conversation}", Effects(traces=(trace,)))
        names.append(name)
    found = await archive.traces(10)
    assert {name for name, _ in found} == set(names)
    (first,) = await archive.traces(1)
    (second,) = await archive.traces(5, after=first[0])
    assert [first, second] == found
    assert await archive.traces(5, after=second[0]) == []
    assert await archive.traces(5, after=partitions.new_id("web:w:a")) == []
    assert await archive.trace(names[0]) == '{"of": "web:w:a"}'
    assert await archive.trace(partitions.new_id("web:w:a")) is None
    assert await archive.trace("no id of ours") is None


async def test_a_trace_of_what_no_lane_handles_is_kept_as_any_other(
    scripts: Scripts,
    archive: RedisArchive,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    old, new = partitions.new_id(conversation), partitions.new_id(conversation)
    await archive.keep(TraceWrite(old, '{"of": "old"}', keep_s=60))
    assert await archive.trace(old) == '{"of": "old"}'
    assert await archive.traces(10) == [(old, '{"of": "old"}')]
    assert 0 < await scripts.client.pttl(f"{tag}trace:{old}") <= 60_000
    scripts.offset_ms += 61_000
    await archive.keep(TraceWrite(new, "{}", keep_s=60))
    assert await scripts.client.zrange(f"{tag}traces", 0, -1) == [new]
    with pytest.raises(ValueError, match="not an id of ours"):
        await archive.keep(TraceWrite("no id of ours", "{}", keep_s=60))


async def test_a_trace_is_kept_for_its_time_and_then_forgotten(
    scripts: Scripts,
    mailbox: RedisMailbox,
    archive: RedisArchive,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    old, new = partitions.new_id(conversation), partitions.new_id(conversation)
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(traces=(TraceWrite(old, "{}", keep_s=60),)))
    assert await lives(scripts, tag, f"trace:{old}") == ["for a time"]
    scripts.offset_ms += 61_000
    await handle(mailbox, lane, Effects(traces=(TraceWrite(new, "{}", keep_s=60),)))
    assert await scripts.client.zrange(f"{tag}traces", 0, -1) == [new]

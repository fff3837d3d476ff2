"""What must hold of cards: one decision each, first come (design §3; runs-and-reviews I1-I8)."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from adapters.redis import wire
from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox
from engine.errors import StaleWrite
from engine.ports.storage.store import (
    CardWrite,
    Effects,
)
from tests.contracts.given import (
    card_for,
    claim_one,
    decided,
    deciding,
    handle,
    lives,
    open_card,
    run_write,
)


async def test_one_of_many_simultaneous_decisions_wins(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)

    async def tap(n: int) -> str:
        try:
            return await decisions.decide(
                card.token, update_id=f"tap-{n}", answer=f"{n} won", effects=deciding(card, f"p{n}")
            )
        except StaleWrite:
            return "lost"

    answers = await asyncio.gather(*(tap(n) for n in range(20)))
    assert sorted(answers)[1:] == ["lost"] * 19
    found = await decisions.card(card.token)
    assert found is not None
    assert found.card.decision is not None
    assert f"{found.card.decision.person.removeprefix('p')} won" in answers
    claim = await claim_one(mailbox)
    assert await mailbox.commit(claim, Effects(), pop=True) is None


async def test_a_packed_card_is_read_as_it_was_written_whatever_characters_that_takes(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    scripts: Scripts,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    stored = set[str]()
    for n in range(12):
        text = sha256(bytes([n])).hexdigest() * 4
        card = await open_card(mailbox, partitions, conversation, text=text)
        stored.update(str(await scripts.client.hget(f"{tag}card:{card.token}", "body")))
        found = await decisions.card(card.token)
        assert found is not None
        assert found.card == card
    assert stored == {*map(chr, range(128))}


async def test_a_repeated_tap_gets_its_first_answer(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    first = await decisions.decide(
        card.token, update_id="tap", answer="approved", effects=deciding(card)
    )
    again = await decisions.decide(card.token, update_id="tap", answer="refused", effects=Effects())
    assert first == again == "approved"


async def test_a_decision_after_the_deadline_is_refused_by_the_servers_clock(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
) -> None:
    deadline = datetime.now(UTC) + timedelta(hours=1)
    card = await open_card(mailbox, partitions, conversation, deadline=deadline)
    scripts.offset_ms = 3_700_000
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="t", answer="won", effects=deciding(card))


async def test_a_text_answer_loses_to_a_tap_that_came_first(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await mailbox.put(f"talk:{conversation}", "said", update_id="s")
    claim = await claim_one(mailbox)
    await decisions.decide(card.token, update_id="t", answer="won", effects=deciding(card))
    with pytest.raises(StaleWrite):
        await mailbox.commit(claim, deciding(card, by="lin", choice="reject"), pop=True)
    found = await decisions.card(card.token)
    assert found is not None
    assert found.card.decision is not None
    assert found.card.decision.person == "chen"


async def test_open_cards_and_active_runs_are_listed_oldest_first_whatever_changed_last(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    first = await open_card(mailbox, partitions, conversation)
    scripts.offset_ms = 1_000
    second = await open_card(mailbox, partitions, conversation)
    scripts.offset_ms = 2_000
    again = CardWrite(first.model_copy(update={"version": 2}), expect=1)
    runs = (run_write(first.run, conversation),)
    await handle(mailbox, f"run:{first.run}", Effects(runs=runs, cards=(again,)))
    tokens = [card.token for card in await decisions.open_cards(conversation)]
    assert tokens == [first.token, second.token]
    runs_now = [run for run, _ in await decisions.active_runs(conversation)]
    assert runs_now == [first.run, second.run]
    await decisions.decide(second.token, update_id="t", answer="won", effects=deciding(second))
    assert await scripts.client.zrange(f"{tag}c:{conversation}:cards", 0, -1) == [first.token]


async def test_a_card_is_opened_once(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    with pytest.raises(StaleWrite):
        await mailbox.commit(await claim_one(mailbox), Effects(cards=(CardWrite(card),)), pop=True)


async def test_a_decision_on_a_card_that_changed_meanwhile_is_stale(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    changed = card.model_copy(update={"version": 2})
    await handle(
        mailbox, f"talk:{conversation}", Effects(cards=(CardWrite(changed, expect=card.version),))
    )
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))
    effects = deciding(changed)
    assert await decisions.decide(card.token, update_id="2", answer="won", effects=effects) == "won"


async def test_a_decision_is_final_also_for_who_has_seen_it(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))
    over_it = deciding(decided(card), by="lin", choice="reject")
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="2", answer="won too", effects=over_it)


async def test_a_deadline_refuses_decisions_from_its_millisecond_on_and_not_the_expiry(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
) -> None:
    deadline = datetime.now(UTC) + timedelta(hours=1)
    early = await open_card(mailbox, partitions, conversation, deadline=deadline)
    await decisions.decide(early.token, update_id="1", answer="won", effects=deciding(early))
    await mailbox.commit(await claim_one(mailbox), Effects(), pop=True)
    late = await open_card(mailbox, partitions, conversation, deadline=deadline)
    scripts.offset_ms = 3_700_000
    expired = late.model_copy(update={"status": "expired", "version": 2})
    await handle(mailbox, f"run:{late.run}", Effects(cards=(CardWrite(expired, expect=1),)))
    assert await decisions.open_cards(conversation) == []


async def test_a_decision_in_the_millisecond_of_the_deadline_is_late(
    scripts: Scripts, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = card_for(partitions.new_id(conversation), partitions.new_id(conversation), conversation)
    opening = json.loads(wire.encode_effects(Effects(cards=(CardWrite(card),)), 1))
    # So far away that a double cannot tell it from a few years later: the clock stands still.
    scripts.offset_ms = opening["cards"][0]["deadline"] = 10**30
    partition = partitions.of_conversation(conversation)
    await scripts.run("decide", partition, "open", 60_000, "opened", json.dumps(opening))
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))


async def test_a_card_of_an_ended_run_cannot_be_decided(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    run = partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation)
    ended = run_write(run, conversation, ended="completed")
    await handle(mailbox, f"run:{run}", Effects(runs=(ended,)))
    await handle(mailbox, f"talk:{conversation}", Effects(cards=(CardWrite(card),)))
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))


async def test_a_card_that_is_not_known_cannot_be_decided(
    decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    run, token = partitions.new_id(conversation), partitions.new_id(conversation)
    effects = deciding(card_for(run, token, conversation))
    with pytest.raises(StaleWrite):
        await decisions.decide(token, update_id="1", answer="won", effects=effects)


async def test_the_answer_to_an_update_is_kept_for_a_time(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))
    assert await lives(scripts, tag, "e:1") == ["for a time"]

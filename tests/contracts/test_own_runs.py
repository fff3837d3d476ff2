"""A person's runs: listed by start and by end, whoever wrote them, and kept for the retention."""

import json
from datetime import UTC, datetime

import pytest

from adapters.redis.keys import Partitions, tag
from adapters.redis.own_runs import RedisOwnRuns
from adapters.redis.scripts import DAY_MS, Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox
from engine.ports.storage.own_runs import OwnRunIds
from engine.ports.storage.store import CardWrite, Effects, Post, RunWrite
from tests.contracts.given import card_for, decided, deciding, handle, open_card

MOST_VOTED = 1000
"""So many runs that a person voted on are listed in each partition."""

ANA = ("ana", "slack:T1:U 1")


@pytest.fixture
def own_runs(scripts: Scripts, partitions: Partitions) -> RedisOwnRuns:
    return RedisOwnRuns(scripts, partitions)


def run_of(
    partitions: Partitions, number: int, *, owners: tuple[str, ...] = ANA, **more: str
) -> RunWrite:
    conversation = f"web:local:own-{number}"
    body = {"requester": {"id": owners[0], "accounts": owners[1:]}} if owners else {}
    given = {"reply": "", "body": json.dumps(body), **more}
    return RunWrite(
        id=partitions.derived_id(conversation, "run", str(number)),
        conversation=conversation,
        owners=owners,
        **given,
    )


async def write(mailbox: RedisMailbox, scripts: Scripts, run: RunWrite) -> str:
    scripts.offset_ms += 1000
    await handle(mailbox, f"talk:{run.conversation}", Effects(runs=(run,)))
    return run.id


async def write_all(
    mailbox: RedisMailbox, scripts: Scripts, partitions: Partitions, count: int
) -> list[str]:
    return [await write(mailbox, scripts, run_of(partitions, n)) for n in range(count)]


async def test_runs_are_found_by_each_id_of_who_asked_the_newest_first(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, own_runs: RedisOwnRuns
) -> None:
    runs = await write_all(mailbox, scripts, partitions, 7)
    other = await write(mailbox, scripts, run_of(partitions, 90, owners=("bo",)))
    newest = tuple(runs[::-1])
    for names in (ANA, ANA[:1], ANA[1:]):
        assert await own_runs.find(names, limit=50) == OwnRunIds(living=newest)
    assert (await own_runs.find(ANA, limit=3)).living == newest[:3]
    assert (await own_runs.find(["bo", "cy"], limit=50)).living == (other,)
    assert await own_runs.find(["cy"], limit=50) == OwnRunIds()
    assert await own_runs.find([], limit=50) == OwnRunIds()


@pytest.mark.parametrize("way", ["ended", "cancelled"])
async def test_a_run_that_ends_is_listed_by_its_end(
    way: str,
    scripts: Scripts,
    mailbox: RedisMailbox,
    partitions: Partitions,
    own_runs: RedisOwnRuns,
) -> None:
    first, second, third = await write_all(mailbox, scripts, partitions, 3)
    for number, run in ((1, second), (0, first)):
        scripts.offset_ms += 1000
        again = run_of(partitions, number, ended="completed")
        effects = Effects(runs=(again,)) if way == "ended" else Effects(cancels=((run, 0),))
        await handle(mailbox, f"control:{again.conversation}", effects)
    assert await own_runs.find(ANA, limit=9) == OwnRunIds(living=(third,), ended=(first, second))
    found = await own_runs.read([third, first, "no-such", "not an id"])
    assert [run.id for run in found] == [third, first]
    assert [run.ended for run in found] == ["", "completed" if way == "ended" else "cancelled"]
    assert found[0].ended_at is None
    assert found[1].ended_at is not None


async def test_a_run_is_kept_with_its_cards_and_log_for_as_long_as_is_set(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, own_runs: RedisOwnRuns
) -> None:
    scripts.run_keep_ms = 5 * DAY_MS
    card = await open_card(mailbox, partitions, "web:local:own-1")
    run = RunWrite(card.run, "web:local:own-1", "", "{}", ended="completed", owners=ANA)
    effects = Effects(runs=(run,), log=((card.run, "{}"),))
    await handle(mailbox, f"control:{run.conversation}", effects)
    place = tag(partitions.of_id(card.run) or 0)
    names = ("run:{}", "run:{}:cards", "log:{}")
    held = [f"{place}{name.format(card.run)}" for name in names]
    held += [f"{place}card:{card.token}", f"{place}mine:ana:ended"]
    for key in held:
        assert 4 * DAY_MS < await scripts.client.pttl(key) <= 5 * DAY_MS, key
    # What ended before that is taken off the list by what ends later.
    scripts.offset_ms += 6 * DAY_MS
    later = run_of(partitions, 1, ended="completed")
    await write(mailbox, scripts, later)
    assert (await own_runs.find(ANA, limit=9)).ended == (later.id,)


async def test_who_voted_finds_the_run_and_whoever_asks_for_it_reads_its_cards(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    own_runs: RedisOwnRuns,
    conversation: str,
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    mine = card_for(card.run, partitions.new_id(conversation), conversation)
    mine = mine.model_copy(update={"review": mine.review.model_copy(update={"roles": ()})})
    await handle(mailbox, f"control:{conversation}", Effects(cards=(CardWrite(mine),)))
    await decisions.decide(card.token, update_id="t", answer="ok", effects=deciding(card))
    # Who answers what they were asked about their own request votes on nothing.
    own = CardWrite(decided(mine, "dee"), expect=1)
    await decisions.decide(mine.token, update_id="u", answer="ok", effects=Effects(cards=(own,)))
    assert (await own_runs.find(["chen"], limit=9)).voted == (card.run,)
    assert await own_runs.find(["dee"], limit=9) == OwnRunIds()
    (kept,) = await own_runs.read([card.run])
    assert {each.token for each in kept.cards} == {card.token, mine.token}
    assert {each.status for each in kept.cards} == {"decided"}


async def test_a_vote_is_known_for_as_long_as_an_ended_run_and_of_the_newest_runs(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
) -> None:
    scripts.run_keep_ms = 5 * DAY_MS
    card = await open_card(mailbox, partitions, conversation)
    voted = f"{tag(partitions.of_id(card.run) or 0)}voted:chen"
    earlier = {f"earlier-{number:04}": number for number in range(MOST_VOTED)}
    await scripts.client.zadd(voted, earlier)
    await decisions.decide(card.token, update_id="t", answer="ok", effects=deciding(card))
    assert 4 * DAY_MS < await scripts.client.pttl(voted) <= 5 * DAY_MS
    kept = await scripts.client.zrange(voted, 0, -1)
    assert kept == [*sorted(earlier)[1:], card.run]


async def test_a_run_stays_with_whoever_asked_for_it_first(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, own_runs: RedisOwnRuns
) -> None:
    run = await write(mailbox, scripts, run_of(partitions, 1))
    await write(mailbox, scripts, run_of(partitions, 1, owners=("bo",)))
    assert (await own_runs.find(ANA, limit=9)).living == (run,)
    assert await own_runs.find(["bo"], limit=9) == OwnRunIds()


async def test_a_run_tells_its_newest_entries_and_the_message_in_which_it_answers(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, own_runs: RedisOwnRuns
) -> None:
    run = run_of(partitions, 1, reply="00-reply-1")
    post = Post("00-reply-1", run.conversation, "note", "00-reply-1", body="{}")
    entries = tuple((run.id, json.dumps({"n": n})) for n in range(4))
    await handle(
        mailbox,
        f"talk:{run.conversation}",
        Effects(runs=(run,), posts=(post,), log=entries),
    )
    (kept,) = await own_runs.read([run.id])
    assert (kept.message_id, kept.entries) == ("", ('{"n": 2}', '{"n": 3}'))
    assert [json.loads(each)["n"] for each in await own_runs.log(run.id)] == [0, 1, 2, 3]
    other = run_of(partitions, 2)
    assert [*await own_runs.log(other.id), *await own_runs.log("no-run")] == []
    place = tag(partitions.of_conversation(run.conversation))
    await scripts.client.hset(f"{place}row:00-reply-1", "message_id", "m7")
    (kept,) = await own_runs.read([run.id])
    assert kept.message_id == "m7"


async def test_runs_of_an_earlier_build_are_listed_by_the_repair_living_and_ended(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, own_runs: RedisOwnRuns
) -> None:
    runs = await write_all(mailbox, scripts, partitions, 4)
    for number in (1, 2):
        again = run_of(partitions, number, ended="completed")
        await write(mailbox, scripts, again)
    child = run_of(partitions, 8, owners=(), parent=runs[0])
    await write(mailbox, scripts, child)
    before = await own_runs.find(ANA, limit=9)
    assert before == OwnRunIds(living=(runs[3], runs[0]), ended=(runs[2], runs[1]))
    # All but one run of an older build; that one ended under an older build.
    for run in runs:
        place = tag(partitions.of_id(run) or 0)
        await scripts.client.hdel(
            f"{place}run:{run}", "filed", *(() if run == runs[1] else ("own",))
        )
        for name in ("ana", "slack:T1:U%201"):
            await scripts.client.zrem(f"{place}mine:{name}:ended", run)
            if run != runs[1]:
                await scripts.client.zrem(f"{place}mine:{name}", run)
            else:
                await scripts.client.zadd(f"{place}mine:{name}", {run: 1})
    assert await own_runs.find(ANA, limit=9) == OwnRunIds(living=(runs[1],))
    assert [await own_runs.repair(), await own_runs.repair()] == [4, 0]
    assert await own_runs.find(ANA, limit=9) == before
    (kept,) = await own_runs.read([runs[1]])
    assert kept.ended_at is not None
    assert kept.ended_at > datetime(2020, 1, 1, tzinfo=UTC)


async def test_a_repeated_write_lists_a_run_once_and_keeps_its_place(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, own_runs: RedisOwnRuns
) -> None:
    first, second = await write_all(mailbox, scripts, partitions, 2)
    await write(mailbox, scripts, run_of(partitions, 0))
    assert (await own_runs.find(ANA, limit=9)).living == (second, first)

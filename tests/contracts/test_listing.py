"""Operators list runs in pages that cost the same however many there are, and open cards."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis import keys
from adapters.redis.keys import Partitions
from adapters.redis.listing import RedisListing
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.ports.storage.archive import RunFilter, RunPage
from engine.ports.storage.store import CardWrite, Effects, RunWrite
from tests.contracts.given import card_for, claim_one, decided, handle, open_card

ALL = RunFilter(children=True)


@pytest.fixture
def listing(scripts: Scripts, partitions: Partitions) -> RedisListing:
    return RedisListing(scripts, partitions)


async def write(mailbox: RedisMailbox, scripts: Scripts, run: RunWrite) -> str:
    scripts.offset_ms += 1000
    await handle(mailbox, f"talk:{run.conversation}", Effects(runs=(run,)))
    return run.id


async def write_all(
    mailbox: RedisMailbox, scripts: Scripts, partitions: Partitions, *runs: dict[str, Any]
) -> list[str]:
    """Runs of these fields, each a second after the one before."""
    written = []
    for n, fields in enumerate(runs):
        conversation = fields.get("conversation", f"web:w:room-{n}")
        given = {
            "id": partitions.new_id(conversation),
            "conversation": conversation,
            "reply": "",
            "body": "{}",
            "status": "running",
            "playbook": "qc",
            "who": "lin Lin Yue",
            **fields,
        }
        written.append(await write(mailbox, scripts, RunWrite(**given)))
    return written


def ids(page: RunPage) -> list[str]:
    return [run for run, _ in page.runs]


async def pages(listing: RedisListing, wanted: RunFilter, limit: int) -> list[RunPage]:
    found, after = [], ""
    while not found or after:
        found.append(await listing.runs(wanted, after=after, limit=limit))
        after = found[-1].older
        assert len(found) < 100
    return found


async def test_pages_give_every_run_once_the_newest_first(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    runs = await write_all(mailbox, scripts, partitions, *({} for _ in range(11)))
    found = await pages(listing, ALL, 3)
    assert [run for page in found for run in ids(page)] == runs[::-1]
    assert [len(page.runs) for page in found] == [3, 3, 3, 2]
    assert not any(page.cut for page in found)


@pytest.mark.parametrize(
    ("wanted", "fitting"),
    [
        (RunFilter(statuses=frozenset({"suspended"})), [1]),
        (RunFilter(statuses=frozenset({"running", "blocked"})), [0, 2, 3]),
        (RunFilter(playbook="lit"), [2]),
        (RunFilter(who="chen"), [3]),
        (RunFilter(who="CHEN BO"), [3]),
        (RunFilter(conversation=":C7"), [1]),
        (RunFilter(text="p003"), [2]),
        (RunFilter(text='说 "好"'), [3]),
        (RunFilter(), [0, 1, 2, 3]),
        (ALL, [0, 1, 2, 3, 4]),
        (RunFilter(playbook="lit", who="chen"), []),
    ],
)
async def test_runs_are_listed_by_what_is_asked_for(
    scripts: Scripts,
    mailbox: RedisMailbox,
    partitions: Partitions,
    listing: RedisListing,
    wanted: RunFilter,
    fitting: Sequence[int],
) -> None:
    runs = await write_all(
        mailbox,
        scripts,
        partitions,
        {},
        {"status": "suspended", "conversation": "slack:T1:c7"},
        {"playbook": "lit", "body": '{"data":"P003"}'},
        {"status": "blocked", "who": "chen Chen Bo", "body": '{"text":"他说 \\"好\\""}'},
        {"parent": "other", "status": "completed"},
    )
    found = await listing.runs(wanted, after="", limit=10)
    assert ids(found) == [runs[n] for n in reversed(fitting)]


async def test_a_run_that_has_ended_is_listed_as_it_ended(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    (run,) = await write_all(mailbox, scripts, partitions, {})
    effects = Effects(cancels=((run, 0),))
    await handle(mailbox, "control:web:w:room-0", effects)
    cancelled = RunFilter(statuses=frozenset({"cancelled"}))
    found = await listing.runs(cancelled, after="", limit=10)
    assert [(name, history.ended) for name, history in found.runs] == [(run, "cancelled")]
    running = RunFilter(statuses=frozenset({"running"}))
    assert ids(await listing.runs(running, after="", limit=10)) == []


async def test_a_run_that_another_version_wrote_is_listed_by_what_it_says(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    """Such a version writes no fields for lists, or leaves older ones behind."""
    body = {
        "playbook": "lit",
        "status": "suspended",
        "requester": {"id": "chen", "name": "Chen Bo"},
    }
    runs = await write_all(mailbox, scripts, partitions, {}, {}, {"steps": 3}, {})
    fields = ("status", "playbook", "who", "parent", "listed")
    for run, text in zip(runs, (json.dumps(body), '{"parent":"x"}', "{}", "?"), strict=True):
        key = f"{keys.tag(partitions.of_id(run) or 0)}run:{run}"
        await scripts.client.hset(key, mapping={"body": text, "steps": 7})
        if run == runs[0]:
            await scripts.client.hdel(key, *fields)
    wanted = RunFilter(statuses=frozenset({"suspended"}), playbook="lit", who="chen bo")
    assert ids(await listing.runs(wanted, after="", limit=10)) == [runs[0]]
    running = RunFilter(statuses=frozenset({"running"}))
    assert ids(await listing.runs(running, after="", limit=10)) == [runs[2]]
    assert ids(await listing.runs(replace(running, children=True), after="", limit=10)) == [
        runs[2],
        runs[1],
    ]


async def test_a_run_that_is_kept_no_more_is_left_out(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    kept, gone = await write_all(mailbox, scripts, partitions, {}, {})
    await scripts.client.delete(f"{keys.tag(partitions.of_id(gone) or 0)}run:{gone}")
    assert ids(await listing.runs(ALL, after="", limit=1)) == [kept]


async def test_a_page_looks_no_further_than_it_needs(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    await write_all(mailbox, scripts, partitions, *({"conversation": "web:w:1"} for _ in range(9)))
    # One more tells whether there is another page.
    assert (await listing.runs(ALL, after="", limit=3)).looked == 3 + 1


async def test_a_run_that_goes_on_keeps_its_place(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    fields = ({"id": partitions.new_id("web:w:1"), "conversation": "web:w:1"}, {})
    old, new = await write_all(mailbox, scripts, partitions, *fields)
    await write_all(mailbox, scripts, partitions, {**fields[0], "steps": 1})
    assert ids(await listing.runs(ALL, after="", limit=5)) == [new, old]


async def test_a_page_looks_at_no_more_than_it_may_and_says_where_to_go_on(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions
) -> None:
    rooms = [{"conversation": f"web:w:{n % 3}"} for n in range(30)]
    runs = await write_all(mailbox, scripts, partitions, {"playbook": "rare"}, *rooms)
    listing = RedisListing(scripts, partitions, looks=6, round_=2)
    wanted = RunFilter(playbook="rare")
    first = await listing.runs(wanted, after="", limit=5)
    assert (ids(first), first.cut) == ([], True)
    assert 6 < first.looked <= 6 + 2 * 3
    found = await pages(listing, wanted, 5)
    assert len(found) > 2
    assert [run for page in found for run in ids(page)] == [runs[0]]
    assert sum(page.looked for page in found) < 3 * len(runs)


async def test_runs_of_one_moment_are_each_on_one_page(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    runs = [partitions.new_id("web:w:a") for _ in range(7)]
    writes = tuple(
        RunWrite(id=run, conversation="web:w:a", reply="", body="{}", status="running")
        for run in runs
    )
    await handle(mailbox, "talk:web:w:a", Effects(runs=writes))
    found = await pages(listing, ALL, 2)
    assert sorted(run for page in found for run in ids(page)) == sorted(runs)


async def test_a_place_that_is_none_is_the_beginning(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    runs = await write_all(mailbox, scripts, partitions, {}, {})
    for after in ("nowhere", "x:y", "9" * 400 + ":a", "-1:a"):
        assert ids(await listing.runs(ALL, after=after, limit=9)) == runs[::-1]


PLANT = """
for at = 1, #ARGV, 4 do
  local tag, run, conversation, n = ARGV[at], ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3])
  redis.call('HSET', tag .. 'run:' .. run, 'body', '{}', 'conversation', conversation,
    'reply', '', 'steps', 1, 'status', n == 0 and 'suspended' or 'completed', 'playbook', 'qc',
    'who', 'lin Lin Yue', 'parent', '', 'listed', 1)
  redis.call('ZADD', tag .. 'runs', 1790000000000 + n * 1000, run)
end
"""


async def plant(redis: Redis, partitions: Partitions, count: int) -> None:
    """So many runs of three kinds, a second apart, as they lie in the store."""
    for start in range(0, count, 1_000):
        told: list[str | int] = []
        for n in range(start, start + 1_000):
            conversation = f"web:w:{n}"
            run = partitions.new_id(conversation)
            told += (keys.tag(partitions.of_id(run) or 0), run, conversation, n)
        await redis.eval(PLANT, 0, *told)


async def calls_of(redis: Redis) -> int:
    stats = await redis.info("commandstats")
    return sum(int(each["calls"]) for each in stats.values())


async def test_a_page_costs_the_same_commands_at_a_hundred_thousand_runs(
    redis: Redis, single: Scripts
) -> None:
    """Deep in the list as at its beginning; and a filter that fits almost nothing is bounded."""
    partitions = Partitions(64)
    listing = RedisListing(single, partitions)
    await plant(redis, partitions, 100_000)
    after = ""
    for _ in range(3):
        await redis.config_resetstat()
        page = await listing.runs(ALL, after=after, limit=50)
        assert len(page.runs) == 50
        # Each partition looks at 51 runs at most: one more than a page, to know if it goes on.
        assert page.looked <= 64 * 51
        assert await calls_of(redis) <= 64 * 51 + 64 * 4 + 50 + 10
        after = "1790050000000:"
    await redis.config_resetstat()
    rare = RunFilter(statuses=frozenset({"suspended"}))
    found = await pages(listing, rare, 50)
    assert sum(len(page.runs) for page in found) == 1
    assert max(page.looked for page in found) <= 20_000 + 64 * 500
    assert len(found) <= 6


async def test_open_cards_are_listed_the_oldest_first(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    cards = []
    for n in range(4):
        scripts.offset_ms += 1000
        cards.append(await open_card(mailbox, partitions, f"web:w:{n}", title=f"card {n}"))
    found, count = await listing.open_cards(3)
    assert [each.card.title for each in found] == ["card 0", "card 1", "card 2"]
    assert count == 4
    assert found[0].since < found[1].since
    await handle(
        mailbox, f"run:{cards[0].run}", Effects(cards=(CardWrite(decided(cards[0]), expect=1),))
    )
    await handle(mailbox, "control:web:w:1", Effects(cancels=((cards[1].run, -1),)))
    found, count = await listing.open_cards(9)
    assert ([each.card.title for each in found], count) == (["card 2", "card 3"], 2)


async def test_a_vote_leaves_an_open_card_as_old_as_it_is(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    card = await open_card(mailbox, partitions, "web:w:a")
    ((before,), _) = await listing.open_cards(9)
    scripts.offset_ms += 60_000
    voted = card.model_copy(update={"version": 2, "title": "voted"})
    await handle(mailbox, f"run:{card.run}", Effects(cards=(CardWrite(voted, expect=1),)))
    ((after,), _) = await listing.open_cards(9)
    assert (after.card.title, after.since) == ("voted", before.since)


async def test_cards_that_were_open_before_there_was_a_list_are_listed(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions
) -> None:
    card = await open_card(mailbox, partitions, "web:w:a")
    ended = await open_card(mailbox, partitions, "web:w:b")
    await handle(mailbox, "control:web:w:b", Effects(cancels=((ended.run, -1),)))
    for each in (card, ended):
        await scripts.client.delete(f"{keys.tag(partitions.of_id(each.token) or 0)}open")
    found, count = await RedisListing(scripts, partitions).open_cards(9)
    assert ([each.card.token for each in found], count) == ([card.token], 1)


async def test_a_card_that_is_kept_no_more_is_left_out_of_those_that_are_open(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    gone, card = [await open_card(mailbox, partitions, "web:w:a") for _ in range(2)]
    await scripts.client.delete(f"{keys.tag(partitions.of_id(gone.token) or 0)}card:{gone.token}")
    found, count = await listing.open_cards(9)
    assert ([each.card.token for each in found], count) == ([card.token], 2)


async def test_a_mark_is_another_after_each_change(
    mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    card = await open_card(mailbox, partitions, "web:w:a")
    other = await open_card(mailbox, partitions, "web:w:b")
    all_before, mine, theirs = (
        await listing.mark(),
        await listing.mark(card.run),
        await listing.mark(other.run),
    )
    assert (await listing.mark(), await listing.mark(card.run)) == (all_before, mine)
    entry = (card.run, '{"event": "x"}')
    await handle(mailbox, f"run:{card.run}", Effects(log=(entry,)))
    assert await listing.mark() != all_before
    assert await listing.mark(card.run) != mine
    assert await listing.mark(other.run) == theirs
    assert await listing.mark("no id of ours") == "0"


async def test_cards_are_read_in_the_order_asked(
    mailbox: RedisMailbox, partitions: Partitions, listing: RedisListing
) -> None:
    one = await open_card(mailbox, partitions, "web:w:a")
    two = await open_card(mailbox, partitions, "web:w:b")
    found = await listing.cards([two.token, partitions.new_id("web:w:a"), one.token])
    assert [card.token for card in found] == [two.token, one.token]
    assert await listing.cards([]) == []
    # One of a talk turn, and one that the list still has though its card is gone.
    lone = card_for("", partitions.new_id("web:w:c"), "web:w:c")
    await mailbox.put("talk:web:w:c", "x", update_id="x")
    await mailbox.commit(await claim_one(mailbox), Effects(cards=(CardWrite(lone),)), pop=True)
    cards, count = await listing.open_cards(9)
    assert {each.card.token for each in cards} == {one.token, two.token, lone.token}
    assert count == 3

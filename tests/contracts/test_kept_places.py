"""What must hold of places kept for runs and commands, whatever else is due (design §3)."""

import asyncio
import itertools

from adapters.redis.keys import Partitions, tag
from adapters.redis.operations import RedisOperations
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.ports.storage.store import Effects
from tests.contracts.given import claim_one, run_write

_updates = itertools.count(1)


async def put(scripts: Scripts, mailbox: RedisMailbox, *lanes: str) -> None:
    """Mail for each, a millisecond after the other."""
    for lane in lanes:
        scripts.offset_ms += 1
        await mailbox.put(lane, "mail", update_id=f"kept-{next(_updates)}")


async def taken(mailbox: RedisMailbox, limit: int, **kept: int) -> list[str]:
    return [claim.lane for claim in (await mailbox.take(limit, **kept)).claims]


async def test_kept_places_take_runs_and_commands_past_all_talk(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    talk, control = f"talk:{conversation}", f"control:{conversation}"
    run = f"run:{partitions.new_id(conversation)}"
    await put(scripts, mailbox, talk, run, control)
    assert await taken(mailbox, 0, run=2, control=2) == [run, control]
    assert await taken(mailbox, 0, run=2, control=2) == []
    assert await taken(mailbox, 1) == [talk]


async def test_kept_places_are_used_first_and_the_others_stay_for_all(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    run, talk = f"run:{partitions.new_id(conversation)}", f"talk:{conversation}"
    await put(scripts, mailbox, run, talk)
    assert await taken(mailbox, 1, run=1) == [run, talk]


async def test_no_more_lanes_are_taken_than_there_are_places_in_whatever_partition(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    places = [conversation, next(_elsewhere(partitions, conversation))]
    runs = [f"run:{partitions.new_id(place)}" for place in places for _ in range(2)]
    await put(scripts, mailbox, *runs, *(f"talk:{place}" for place in places))
    first = await taken(mailbox, 1, run=2, control=1)
    assert sum(lane in runs for lane in first) in (2, 3)
    assert len(first) == 3


async def test_until_when_there_is_nothing_to_do_is_told_of_what_there_are_places_for(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    run = f"run:{partitions.new_id(conversation)}"
    await put(scripts, mailbox, f"talk:{conversation}")
    assert (await mailbox.take(0, run=1, control=1)).next_s == 3600
    await put(scripts, mailbox, run)
    assert (await mailbox.take(0, control=1)).next_s == 3600
    claim = (await mailbox.take(0, run=1)).claims[0]
    await mailbox.release(claim, retry_in_s=60, counts=False)
    assert 50 < (await mailbox.take(0, run=1)).next_s <= 60
    await put(scripts, mailbox, f"control:{conversation}")
    claim = (await mailbox.take(0, control=1)).claims[0]
    await mailbox.release(claim, retry_in_s=600, counts=False)
    assert 50 < (await mailbox.take(0, run=1, control=1)).next_s <= 60


async def test_a_command_is_put_and_taken_in_a_single_round_trip(single: Scripts) -> None:
    mailbox = RedisMailbox(single, Partitions(1), lease_s=30, bell=single.client)
    for n in range(20):
        # In one round trip, and so nearly always in one millisecond.
        lane = f"control:web:local:moment-{n}"
        put_now = mailbox.put(lane, "mail", update_id=f"moment-{n}")
        _, found = await asyncio.gather(put_now, mailbox.take(0, control=1))
        assert [claim.lane for claim in found.claims] == [lane]


async def test_what_an_older_build_did_with_a_lane_holds(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    """It knows one queue only: what it leased, finished or put is as that queue says."""
    mine = tag(partitions.of_conversation(conversation))
    leased, done, old = (f"run:{partitions.new_id(conversation)}" for _ in range(3))
    await put(scripts, mailbox, leased, done, old)
    later = 2 * await scripts.client.zscore(f"{mine}q", leased)
    await scripts.client.zadd(f"{mine}q", {leased: later})
    await scripts.client.zrem(f"{mine}q", done)
    await scripts.client.zrem(f"{mine}q:run", old)
    assert await taken(mailbox, 0, run=3) == []
    assert await scripts.client.zrange(f"{mine}q:run", 0, -1) == [leased]
    assert await scripts.client.zscore(f"{mine}q:run", leased) == later
    assert await taken(mailbox, 1) == [old]


async def test_a_lane_stands_in_the_queue_of_its_kind_as_it_does_among_all(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    mine, run_id = tag(partitions.of_conversation(conversation)), partitions.new_id(conversation)
    run, control = f"run:{run_id}", f"control:{conversation}"

    async def alike() -> dict[str, float]:
        among_all = dict(await scripts.client.zrange(f"{mine}q", 0, -1, withscores=True))
        for kind in ("run", "control"):
            of_kind = dict(await scripts.client.zrange(f"{mine}q:{kind}", 0, -1, withscores=True))
            assert of_kind == {lane: at for lane, at in among_all.items() if kind in lane}
        assert not await scripts.client.exists(f"{mine}q:talk")
        return among_all

    await put(scripts, mailbox, run, run, control, f"talk:{conversation}")
    assert len(await alike()) == 3
    claim, *others = (await mailbox.take(3)).claims
    leased = (await alike())[run]
    scripts.offset_ms += 1_000
    await mailbox.renew(claim)
    assert (await alike())[run] >= leased + 1_000
    following = await mailbox.commit(
        claim, Effects(runs=(run_write(run_id, conversation),)), pop=True
    )
    assert following is not None
    await mailbox.release(following, retry_in_s=600, counts=False)
    assert (await alike())[run] > leased + 500_000
    for other in others:
        assert await mailbox.commit(other, Effects(), pop=True) is None
    assert list(await alike()) == [run]
    scripts.offset_ms += 601_000
    await mailbox.commit(await claim_one(mailbox), Effects(), pop=False, after="release")
    assert list(await alike()) == [run]
    await mailbox.commit(await claim_one(mailbox), Effects(), pop=False, after="park")
    assert await alike() == {}
    await RedisOperations(scripts, partitions).retry(run_id, "resumed")
    assert list(await alike()) == [run]
    await put(scripts, mailbox, control)
    (found,) = [c for c in (await mailbox.take(2)).claims if c.lane == control]
    await mailbox.commit(found, Effects(cancels=((run_id, -1),)), pop=True)
    assert await alike() == {}


async def test_a_lane_whose_mail_is_gone_leaves_the_queue_of_its_kind(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    mine, control = tag(partitions.of_conversation(conversation)), f"control:{conversation}"
    await put(scripts, mailbox, control)
    await scripts.client.delete(f"{mine}l:{control}:in")
    assert await taken(mailbox, 0, control=1) == []
    assert not await scripts.client.exists(f"{mine}q:control")


def _elsewhere(partitions: Partitions, conversation: str) -> "itertools.filterfalse[str]":
    """Conversations of other partitions."""
    here = partitions.of_conversation(conversation)
    others = (f"{conversation}-{n}" for n in itertools.count())
    return itertools.filterfalse(lambda name: partitions.of_conversation(name) == here, others)

"""What must hold of mail: once, in order, so much and no more (design §3)."""

import asyncio

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.errors import Overloaded
from engine.ports.storage.store import (
    Effects,
    LaneBounds,
    LeasedLanes,
)
from tests.contracts.given import claim_one, handle, lives


async def test_a_repeated_update_is_put_once_and_still_wakes_its_lane(
    mailbox: RedisMailbox, scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    assert await mailbox.put(lane, "mail", update_id="u1")
    # As after a crash between the two steps of an earlier delivery.
    await scripts.client.zrem(f"{{p{partitions.of_lane(lane):x}}}:q", lane)
    assert not await mailbox.put(lane, "mail", update_id="u1")
    claim = await claim_one(mailbox)
    assert await mailbox.commit(claim, Effects(), pop=True) is None


async def test_a_lane_takes_only_so_much_mail_and_known_updates_still_pass(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    bounds = LaneBounds(length=2, age_s=60)
    mailbox = RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client, bounds=bounds)
    lane = f"talk:{conversation}"
    for n in range(2):
        assert await mailbox.put(lane, f"mail {n}", update_id=f"u{n}")
    with pytest.raises(Overloaded):
        await mailbox.put(lane, "mail 2", update_id="u2")
    assert not await mailbox.put(lane, "mail 1", update_id="u1")
    await mailbox.commit(await claim_one(mailbox), Effects(), pop=True)
    assert await mailbox.put(lane, "mail 2", update_id="u2")


async def test_a_lane_that_stands_still_too_long_takes_no_more_until_it_moves(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    bounds = LaneBounds(length=10, age_s=60)
    mailbox = RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client, bounds=bounds)
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "one", update_id="u1")
    await mailbox.put(lane, "two", update_id="u2")
    scripts.offset_ms = 61_000
    with pytest.raises(Overloaded):
        await mailbox.put(lane, "three", update_id="u3")
    await mailbox.commit(await claim_one(mailbox), Effects(), pop=True)
    assert await mailbox.put(lane, "three", update_id="u3")


async def test_a_parked_lane_keeps_its_mail_and_rests_until_new_mail_comes(
    mailbox: RedisMailbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "kept", update_id="u1")
    assert (
        await mailbox.commit(await claim_one(mailbox), Effects(), pop=False, after="park") is None
    )
    assert (await mailbox.take(5)).claims == ()
    await mailbox.put(lane, "new", update_id="u2")
    assert (await claim_one(mailbox)).mail == "kept"


async def test_mail_put_in_front_goes_before_what_waits(
    mailbox: RedisMailbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "first", update_id="u1")
    await mailbox.put(lane, "second", update_id="u2")
    claim = await claim_one(mailbox)
    following = await mailbox.commit(claim, Effects(), pop=True, front="continued")
    assert following is not None
    assert following.mail == "continued"


async def test_an_idle_lane_is_forgotten_in_time_and_one_with_mail_is_not(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    head = f"l:{lane}:h"
    await handle(mailbox, lane, Effects())
    assert await lives(scripts, tag, head) == ["for a time"]
    await mailbox.put(lane, "kept", update_id="u")
    claim = await claim_one(mailbox)
    assert await lives(scripts, tag, head) == ["for ever"]
    await mailbox.commit(claim, Effects(), pop=False, after="park")
    assert await lives(scripts, tag, head) == ["for ever"]


async def _take_once(mailbox: RedisMailbox, woken: asyncio.Event) -> LeasedLanes:
    await woken.wait()
    return await mailbox.take(1)


async def test_what_a_commit_wakes_finds_what_the_commit_wrote(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    claim = await claim_one(mailbox)
    lane, woken = f"run:{partitions.new_id(conversation)}", asyncio.Event()
    async with asyncio.TaskGroup() as group:
        taking = group.create_task(_take_once(mailbox, woken))
        await asyncio.sleep(0)
        effects = Effects(mails=((lane, "start"),))
        await mailbox.commit(claim, effects, pop=True, on_sent=woken.set)
    (found,) = taking.result().claims
    assert (found.lane, found.mail) == (lane, "start")


async def test_what_a_commit_wakes_finds_it_after_a_restart_lost_the_script(
    single: Scripts, conversation: str
) -> None:
    """Whoever looked for mail meanwhile has sent its own script again, the commit has not."""
    mailbox, lane = RedisMailbox(single, Partitions(1), lease_s=30, bell=single.client), "run:r"
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    claim = await claim_one(mailbox)
    await single.client.script_flush()
    assert not (await mailbox.take(1)).claims
    takes: list[asyncio.Task[LeasedLanes]] = []
    async with asyncio.TaskGroup() as group:

        def wake() -> None:
            takes.append(group.create_task(mailbox.take(1)))

        await mailbox.commit(claim, Effects(mails=((lane, "start"),)), pop=True, on_sent=wake)
    assert [each.lane for take in takes for each in take.result().claims] == [lane]


async def test_what_a_commit_wakes_shares_its_round_trip_with_a_server(
    single: Scripts, conversation: str
) -> None:
    mailbox = RedisMailbox(single, Partitions(1), lease_s=30, bell=single.client)

    async def reads() -> int:
        return int((await single.client.info("stats"))["total_reads_processed"])

    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    # The server has the scripts, and the ring is over.
    claim = await mailbox.commit(await claim_one(mailbox), Effects(), pop=False)
    assert claim is not None
    await single.drain()
    woken, before = asyncio.Event(), await reads()
    async with asyncio.TaskGroup() as group:
        group.create_task(_take_once(mailbox, woken))
        await asyncio.sleep(0)
        await mailbox.commit(claim, Effects(), pop=True, on_sent=woken.set)
    assert await reads() == before + 2, "one for both, and one for the question itself"


async def test_a_lane_without_mail_is_not_queued(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "mail", update_id="u")
    await mailbox.commit(await claim_one(mailbox), Effects(), pop=True, after="release")
    assert not await mailbox.put(lane, "mail", update_id="u")
    assert await scripts.client.zscore(f"{tag}q", lane) is None
    # As after an operator took its mail away.
    await scripts.client.zadd(f"{tag}q", {lane: 1})
    assert (await mailbox.take(5)).claims == ()
    assert await scripts.client.zscore(f"{tag}q", lane) is None


async def test_a_lane_may_stand_still_for_all_of_the_time_it_has(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    bounds = LaneBounds(length=10, age_s=0)
    mailbox = RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client, bounds=bounds)
    # So far away that a double cannot tell it from a few years later: the clock stands still.
    scripts.offset_ms = 10**30
    await mailbox.put(f"talk:{conversation}", "one", update_id="u1")
    assert await mailbox.put(f"talk:{conversation}", "two", update_id="u2")


async def test_mail_that_waits_for_its_first_worker_keeps_its_age(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects())
    await mailbox.put(lane, "mail", update_id="u1")
    assert await lives(scripts, tag, f"l:{lane}:h") == ["for ever"]
    # As after an operator took it away.
    await scripts.client.delete(f"{tag}l:{lane}:h")
    assert await mailbox.put(lane, "more", update_id="u2")


async def test_an_update_is_known_and_a_session_kept_for_a_time(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "mail", update_id="u1")
    await mailbox.commit(await claim_one(mailbox), Effects(session="said"), pop=True)
    assert await lives(scripts, tag, "e:u1", f"c:{conversation}:st") == ["for a time"] * 2


async def test_a_run_that_is_not_there_yet_has_no_state(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    await mailbox.put(f"run:{partitions.new_id(conversation)}", "start", update_id="u")
    claim = await claim_one(mailbox)
    assert (claim.state, claim.ended) == ("", "")

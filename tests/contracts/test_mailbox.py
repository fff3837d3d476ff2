"""What every mailbox must hold: lanes, mail, leases, timers (design §3)."""

from datetime import UTC, datetime, timedelta

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.errors import LeaseLost, Overloaded
from engine.ports.store import (
    Bounds,
    Claim,
    Effects,
    Taken,
    Timer,
)
from tests.contracts.given import EMPTY, claim_one, handle, lives


async def test_mail_of_a_lane_is_handled_in_order_by_one_holder(
    mailbox: RedisMailbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    for n in range(3):
        assert await mailbox.put(lane, f"mail {n}", update_id=f"u{n}")
    claim: Claim | None = await claim_one(mailbox)
    assert (await mailbox.take(5)).claims == ()
    seen: list[str] = []
    while claim is not None and len(seen) < 4:
        seen.append(claim.mail)
        claim = await mailbox.commit(claim, Effects(), pop=True)
    assert seen == ["mail 0", "mail 1", "mail 2"]
    assert (await mailbox.take(5)).claims == ()


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
    bounds = Bounds(length=2, age_s=60)
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
    bounds = Bounds(length=10, age_s=60)
    mailbox = RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client, bounds=bounds)
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "one", update_id="u1")
    await mailbox.put(lane, "two", update_id="u2")
    scripts.offset_ms = 61_000
    with pytest.raises(Overloaded):
        await mailbox.put(lane, "three", update_id="u3")
    await mailbox.commit(await claim_one(mailbox), Effects(), pop=True)
    assert await mailbox.put(lane, "three", update_id="u3")


async def test_a_worker_whose_lease_went_to_another_writes_nothing(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    mailbox = RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client)
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u1")
    paused = await claim_one(mailbox)
    scripts.offset_ms = 31_000
    taken_over = await claim_one(mailbox)
    with pytest.raises(LeaseLost):
        await mailbox.commit(paused, Effects(session="paused"), pop=True)
    with pytest.raises(LeaseLost):
        await mailbox.renew(paused)
    await mailbox.commit(taken_over, Effects(session="taken over"), pop=True)
    await mailbox.put(f"talk:{conversation}", "next", update_id="u2")
    assert (await claim_one(mailbox)).state == "taken over"


async def test_a_renewed_lease_is_not_taken(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    mailbox = RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client)
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u1")
    claim = await claim_one(mailbox)
    scripts.offset_ms = 20_000
    await mailbox.renew(claim)
    scripts.offset_ms = 40_000
    assert (await mailbox.take(1)).claims == ()
    scripts.offset_ms = 51_000
    assert (await claim_one(mailbox)).attempts == 2


async def test_a_commit_whose_answer_was_lost_can_be_repeated(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "one", update_id="u1")
    await mailbox.put(lane, "two", update_id="u2")
    claim = await claim_one(mailbox)
    partition = partitions.of_lane(lane)
    arguments = (lane, claim.fence, claim.commits, "same", 30_000, 1, "", "keep", EMPTY)
    first = await scripts.run("commit", partition, *arguments)
    again = await scripts.run("commit", partition, *arguments)
    assert first == again == ["OK", "two", "", ""]


async def test_a_commit_repeated_after_the_lane_was_given_back_is_a_success(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "one", update_id="u1")
    claim = await claim_one(mailbox)
    partition = partitions.of_lane(lane)
    arguments = (lane, claim.fence, claim.commits, "same", 30_000, 1, "", "keep", EMPTY)
    assert await scripts.run("commit", partition, *arguments) == ["OK"]
    assert await scripts.run("commit", partition, *arguments) == ["OK"]


async def test_a_lane_that_was_given_back_cannot_be_renewed(
    mailbox: RedisMailbox, conversation: str
) -> None:
    await mailbox.put(f"talk:{conversation}", "one", update_id="u1")
    claim = await claim_one(mailbox)
    await mailbox.release(claim, retry_in_s=0, counts=False)
    with pytest.raises(LeaseLost):
        await mailbox.renew(claim)
    assert (await claim_one(mailbox)).attempts == 1


async def test_an_attempt_that_counts_is_counted(mailbox: RedisMailbox, conversation: str) -> None:
    await mailbox.put(f"talk:{conversation}", "one", update_id="u1")
    await mailbox.release(await claim_one(mailbox), retry_in_s=0, counts=True)
    assert (await claim_one(mailbox)).attempts == 2


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


async def test_a_timer_becomes_mail_when_it_is_due(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    lane, run = f"talk:{conversation}", partitions.new_id(conversation)
    await mailbox.put(lane, "mail", update_id="u1")
    due = datetime.now(UTC) + timedelta(hours=1)
    timer = Timer(f"run:{run}", "expire:x", due, "expired")
    await mailbox.commit(await claim_one(mailbox), Effects(timers=(timer,)), pop=True)
    taken = await mailbox.take(1)
    assert taken.claims == ()
    assert 3500 < taken.next_s <= 3600
    scripts.offset_ms = 3_601_000
    assert (await claim_one(mailbox)).mail == "expired"


async def test_a_holder_that_was_only_late_is_no_failed_attempt(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str
) -> None:
    await mailbox.put(f"talk:{conversation}", "a", update_id="a")
    late = await claim_one(mailbox)
    for attempt in (2, 3):
        scripts.offset_ms += 31_000
        assert (await claim_one(mailbox)).attempts == attempt
    for _ in range(2):  # the second time as a client does that lost the first answer
        with pytest.raises(LeaseLost):
            await mailbox.renew(late)
    scripts.offset_ms += 31_000
    assert (await claim_one(mailbox)).attempts == 3


async def test_mail_for_a_held_lane_waits_for_its_holder(
    mailbox: RedisMailbox, conversation: str
) -> None:
    await mailbox.put(f"talk:{conversation}", "one", update_id="u1")
    await claim_one(mailbox)
    await mailbox.put(f"talk:{conversation}", "two", update_id="u2")
    assert (await mailbox.take(5)).claims == ()


async def test_a_claim_can_be_committed_once(mailbox: RedisMailbox, conversation: str) -> None:
    for n in range(3):
        await mailbox.put(f"talk:{conversation}", f"mail {n}", update_id=f"u{n}")
    first = await claim_one(mailbox)
    second = await mailbox.commit(first, Effects(), pop=True)
    assert second is not None
    with pytest.raises(LeaseLost):
        await mailbox.commit(first, Effects(session="twice"), pop=True)
    third = await mailbox.commit(second, Effects(), pop=True)
    assert third is not None
    assert (third.mail, third.state) == ("mail 2", "")


async def test_a_commit_renews_the_lease_and_begins_to_count_again(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str
) -> None:
    await mailbox.put(f"talk:{conversation}", "one", update_id="u1")
    await mailbox.put(f"talk:{conversation}", "two", update_id="u2")
    claim = await claim_one(mailbox)
    scripts.offset_ms = 20_000
    await mailbox.commit(claim, Effects(), pop=True)
    scripts.offset_ms = 40_000
    assert (await mailbox.take(5)).claims == ()
    scripts.offset_ms = 51_000
    assert (await claim_one(mailbox)).attempts == 2


async def test_a_lane_released_by_a_commit_is_free_for_others_at_once(
    mailbox: RedisMailbox, conversation: str
) -> None:
    await mailbox.put(f"talk:{conversation}", "one", update_id="u1")
    await mailbox.put(f"talk:{conversation}", "two", update_id="u2")
    claim = await claim_one(mailbox)
    assert await mailbox.commit(claim, Effects(), pop=True, after="release") is None
    with pytest.raises(LeaseLost):
        await mailbox.renew(claim)
    assert (await claim_one(mailbox)).mail == "two"


async def test_who_lost_a_lane_cannot_give_it_back_or_repeat_its_way_in(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    lane, partition = f"talk:{conversation}", partitions.of_conversation(conversation)
    await mailbox.put(lane, "one", update_id="u1")
    await mailbox.put(lane, "two", update_id="u2")
    lost = await claim_one(mailbox)
    arguments = (lane, lost.fence, lost.commits, "same", 30_000, 1, "", "release", EMPTY)
    await scripts.run("commit", partition, *arguments)
    holder = await claim_one(mailbox)
    assert await scripts.run("commit", partition, *arguments) == ["OK"]
    await mailbox.release(lost, retry_in_s=0, counts=True)
    assert (await mailbox.take(5)).claims == ()
    await mailbox.renew(holder)
    assert await mailbox.commit(holder, Effects(), pop=True) is None


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


async def test_a_timer_fires_once_and_the_next_is_foretold(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    due = datetime.now(UTC) + timedelta(minutes=10)
    await handle(mailbox, lane, Effects(timers=(Timer(lane, "t", due, "fired"),)))
    assert 590 < (await mailbox.take(1)).next_s <= 600
    scripts.offset_ms = 601_000
    assert await mailbox.commit(await claim_one(mailbox), Effects(), pop=True) is None
    assert await mailbox.take(1) == Taken(claims=(), next_s=3600)
    assert await lives(scripts, tag, "due", "timers") == ["gone", "gone"]


async def test_a_timer_that_was_taken_away_never_fires(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    due = datetime.now(UTC) + timedelta(minutes=10)
    await handle(mailbox, lane, Effects(timers=(Timer(lane, "t", due, "fired"),)))
    await handle(mailbox, lane, Effects(timers=(Timer(lane, "t", None),)))
    assert await lives(scripts, tag, "due", "timers") == ["gone", "gone"]
    scripts.offset_ms = 601_000
    assert (await mailbox.take(1)).claims == ()


async def test_mail_that_cannot_be_read_is_kept_aside(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    await handle(mailbox, f"talk:{conversation}", Effects(aside=("from the future",)))
    assert await scripts.client.lrange(f"{tag}aside", 0, -1) == ["from the future"]


async def test_a_lane_may_stand_still_for_all_of_the_time_it_has(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    bounds = Bounds(length=10, age_s=0)
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


async def test_who_was_late_with_one_mail_says_nothing_of_the_next(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str
) -> None:
    for n in range(2):
        await mailbox.put(f"talk:{conversation}", f"mail {n}", update_id=f"u{n}")
    late = await claim_one(mailbox)
    scripts.offset_ms = 31_000
    assert await mailbox.commit(await claim_one(mailbox), Effects(), pop=True) is not None
    with pytest.raises(LeaseLost):
        await mailbox.renew(late)
    scripts.offset_ms = 62_000
    assert (await claim_one(mailbox)).attempts == 2


async def test_an_update_is_known_and_a_session_kept_for_a_time(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "mail", update_id="u1")
    await mailbox.commit(await claim_one(mailbox), Effects(session="said"), pop=True)
    assert await lives(scripts, tag, "e:u1", f"c:{conversation}:st") == ["for a time"] * 2


async def test_a_timer_without_its_mail_is_forgotten(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    due = datetime.now(UTC) + timedelta(minutes=10)
    await handle(mailbox, lane, Effects(timers=(Timer(lane, "t", due, "fired"),)))
    # As after an operator took it away.
    await scripts.client.delete(f"{tag}timers")
    scripts.offset_ms = 601_000
    assert await mailbox.take(1) == Taken(claims=(), next_s=3600)


async def test_the_next_known_thing_is_the_soonest_and_never_in_the_past(
    scripts: Scripts, conversation: str
) -> None:
    mailbox = RedisMailbox(scripts, Partitions(1), lease_s=30, bell=scripts.client)
    timer = Timer(f"talk:{conversation}", "t", datetime.now(UTC) + timedelta(minutes=10), "fired")
    await handle(mailbox, f"talk:{conversation}", Effects(timers=(timer,)))
    for kind in ("talk", "control"):
        await mailbox.put(f"{kind}:{conversation}", "mail", update_id=kind)
    scripts.offset_ms = 1_000
    assert (await mailbox.take(1)).next_s == 0
    assert 29 < (await mailbox.take(1)).next_s <= 30


async def test_a_run_that_is_not_there_yet_has_no_state(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    await mailbox.put(f"run:{partitions.new_id(conversation)}", "start", update_id="u")
    claim = await claim_one(mailbox)
    assert (claim.state, claim.ended) == ("", "")


async def test_a_lane_that_was_forgotten_cannot_be_renewed(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    claim = await claim_one(mailbox)
    await mailbox.commit(claim, Effects(), pop=True)
    await scripts.client.delete(f"{tag}l:talk:{conversation}:h")
    with pytest.raises(LeaseLost):
        await mailbox.renew(claim)

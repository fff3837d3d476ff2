"""What must hold of a lane's holder: one at a time, and no write of one who lost it (design §3)."""

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.operations import RedisOperations
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.errors import LeaseLost
from engine.ports.storage.store import (
    Claim,
    Effects,
)
from tests.contracts.given import EMPTY, claim_one


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
    assert first[:-1] == again[:-1] == ["OK", "two", "", "", 0, 0]
    # The time by the store's clock comes last.
    assert 0 <= again[-1] - first[-1] < 60_000


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
    claim = await claim_one(mailbox)
    assert (claim.mail, claim.attempts) == ("two", 1)


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


async def test_a_lane_that_was_forgotten_cannot_be_renewed(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    claim = await claim_one(mailbox)
    await mailbox.commit(claim, Effects(), pop=True)
    await scripts.client.delete(f"{tag}l:talk:{conversation}:h")
    with pytest.raises(LeaseLost):
        await mailbox.renew(claim)


async def test_what_is_committed_before_the_mail_is_handled_does_not_end_its_attempts(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str
) -> None:
    for n in range(2):
        await mailbox.put(f"talk:{conversation}", f"mail {n}", update_id=f"u{n}")
    await mailbox.release(await claim_one(mailbox), retry_in_s=0, counts=True)
    claim = await claim_one(mailbox)
    same = await mailbox.commit(claim, Effects(), pop=False)
    assert same is not None
    assert (same.mail, same.attempts) == ("mail 0", 2)
    scripts.offset_ms = 31_000
    again = await claim_one(mailbox)
    assert (again.mail, again.attempts) == ("mail 0", 3)
    # The next mail has attempts of its own.
    following = await mailbox.commit(again, Effects(), pop=True)
    assert following is not None
    assert (following.mail, following.attempts) == ("mail 1", 1)
    scripts.offset_ms = 62_000
    assert (await claim_one(mailbox)).attempts == 2


async def test_what_a_holder_that_ended_held_is_free_at_once_and_one_mail_is_charged(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions
) -> None:
    lanes = [f"talk:web:local:{name}" for name in ("named", "other", "given back", "another's")]
    for lane in lanes:
        await mailbox.put(lane, "mail", update_id=lane)
    operations = RedisOperations(scripts, partitions)
    other = RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client)
    held = {claim.lane: claim for claim in (await mailbox.take(4)).claims}
    for lane in lanes[2:]:
        await mailbox.release(held[lane], retry_in_s=0, counts=False)
    taken = {claim.lane: claim for claim in (await other.take(2)).claims}
    await other.release(taken[lanes[2]], retry_in_s=60, counts=True)
    await mailbox.put("talk:web:local:new", "mail", update_id="new")

    charged = [lanes[0], lanes[3]]
    freed = await operations.forfeit(mailbox.holder, charged=charged, extra=1, retry_in_s=9)

    assert sorted(freed) == sorted(lanes[:2])
    # FormText once more, as after an answer that was lost, it changes nothing.
    assert await operations.forfeit(mailbox.holder, charged=[lanes[0]], extra=1) == []
    now = {claim.lane: claim.attempts for claim in (await other.take(9)).claims}
    assert now == {lanes[1]: 1, "talk:web:local:new": 1}
    scripts.offset_ms += 9_000
    (late,) = (await other.take(9)).claims
    assert (late.lane, late.attempts) == (lanes[0], 3)
    with pytest.raises(LeaseLost):
        await mailbox.commit(held[lanes[0]], Effects(), pop=True)
    await other.renew(taken[lanes[3]])


async def test_of_a_holder_that_waits_to_try_again_nothing_is_freed(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    await mailbox.release(await claim_one(mailbox), retry_in_s=60, counts=True)
    assert await RedisOperations(scripts, partitions).forfeit(mailbox.holder) == []
    assert (await mailbox.take(1)).claims == ()

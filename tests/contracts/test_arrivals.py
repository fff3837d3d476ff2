"""What must hold of messages that came before: known for repeats, edited while they wait."""

import pytest

from adapters.redis.arrivals import RedisArrivals
from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import EDITED_MS, RedisMailbox
from engine.ports.storage.arrivals import Arrival
from engine.ports.storage.store import Effects
from tests.contracts.given import claim_one

ONE, OTHER = Arrival("m1", "what is"), Arrival("m2", "and what")


@pytest.fixture
def arrivals(scripts: Scripts, partitions: Partitions) -> RedisArrivals:
    return RedisArrivals(scripts, partitions)


@pytest.fixture
def lane(conversation: str) -> str:
    return f"talk:{conversation}"


def saying(text: str, of: Arrival = ONE) -> Arrival:
    return Arrival(of.name, text)


async def handled(mailbox: RedisMailbox) -> list[str]:
    """All mail, in the order that it is handled."""
    mails = []
    while claims := (await mailbox.take(1)).claims:
        mails.append(claims[0].mail)
        await mailbox.commit(claims[0], Effects(), pop=True, after="release")
    return mails


async def test_what_was_put_is_known_and_its_lane_woken(
    mailbox: RedisMailbox,
    arrivals: RedisArrivals,
    scripts: Scripts,
    partitions: Partitions,
    lane: str,
) -> None:
    assert not await arrivals.has(lane, update_id="u1")
    await mailbox.put(lane, "mail", update_id="u1")
    queue = f"{{p{partitions.of_lane(lane):x}}}:q"
    await scripts.client.zrem(queue, lane)
    assert await arrivals.has(lane, update_id="u1")
    assert not await arrivals.has(lane, update_id="u2")
    await mailbox.commit(await claim_one(mailbox), Effects(), pop=True, after="release")
    assert await arrivals.has(lane, update_id="u1")
    # Without mail there is nothing to look at.
    assert await scripts.client.zscore(queue, lane) is None
    assert (await mailbox.take(1)).claims == ()


async def test_a_message_that_waits_is_edited_where_it_stands(
    mailbox: RedisMailbox, arrivals: RedisArrivals, lane: str
) -> None:
    for arrival in (ONE, OTHER):
        await mailbox.put(lane, arrival.digest, update_id=arrival.name, arrival=arrival)
    assert await arrivals.edit(lane, "first", saying("first"), at="1") == "replaced"
    assert await arrivals.edit(lane, "second", saying("second", OTHER), at="1") == "replaced"
    assert await arrivals.edit(lane, "third", saying("third", OTHER), at="2") == "replaced"
    assert await handled(mailbox) == ["first", "third"]


async def test_an_edit_that_comes_again_or_late_changes_nothing(
    mailbox: RedisMailbox, arrivals: RedisArrivals, lane: str
) -> None:
    await mailbox.put(lane, "mail", update_id="m1", arrival=ONE)
    assert await arrivals.edit(lane, "same", ONE, at="1") == "unchanged"
    for _ in range(2):
        first = await arrivals.edit(lane, "b", saying("b"), at="09")
        assert await arrivals.edit(lane, "c", saying("c"), at="10") in ("replaced", "unchanged")
    assert first == "unchanged"
    assert await arrivals.edit(lane, "d", saying("d"), at="10") == "unchanged"
    assert await handled(mailbox) == ["c"]
    assert await arrivals.edit(lane, "c", saying("c"), at="11") == "unchanged"
    assert await arrivals.edit(lane, "b", saying("b"), at="09") == "unchanged"


async def test_what_waits_behind_mail_that_somebody_holds_is_edited(
    mailbox: RedisMailbox, arrivals: RedisArrivals, lane: str
) -> None:
    for arrival in (ONE, OTHER):
        await mailbox.put(lane, arrival.digest, update_id=arrival.name, arrival=arrival)
    claim = await claim_one(mailbox)
    assert await arrivals.edit(lane, "second", saying("second", OTHER), at="1") == "replaced"
    following = await mailbox.commit(claim, Effects(), pop=True)
    assert following is not None
    assert following.mail == "second"


@pytest.mark.parametrize("after", ["held", "begun", "handled", "parked"])
async def test_what_somebody_has_begun_with_is_taken(
    mailbox: RedisMailbox, arrivals: RedisArrivals, lane: str, after: str
) -> None:
    await mailbox.put(lane, "mail", update_id="m1", arrival=ONE)
    claim = await claim_one(mailbox)
    if after == "begun":
        # Something of it was told before whoever held it went away.
        following = await mailbox.commit(claim, Effects(), pop=False)
        assert following is not None
        await mailbox.release(following, retry_in_s=0, counts=False)
    elif after != "held":
        how = "park" if after == "parked" else "release"
        await mailbox.commit(claim, Effects(), pop=after == "handled", after=how)
    assert await arrivals.edit(lane, "new", saying("new"), at="1") == "taken"
    # What was answered is what it says again.
    assert await arrivals.edit(lane, "mail", ONE, at="2") == "unchanged"


async def test_an_attempt_that_showed_nothing_has_begun_with_nothing(
    mailbox: RedisMailbox, arrivals: RedisArrivals, lane: str
) -> None:
    for name in ("before", "m1"):
        await mailbox.put(lane, name, update_id=name, arrival=Arrival(name, name))
    claim = await claim_one(mailbox)
    following = await mailbox.commit(claim, Effects(), pop=False)
    assert following is not None
    following = await mailbox.commit(following, Effects(), pop=True)
    assert following is not None
    await mailbox.release(following, retry_in_s=60, counts=True)
    assert await arrivals.edit(lane, "new", saying("new"), at="1") == "replaced"


async def test_what_nobody_knows_is_unknown_and_what_cannot_wait_is_taken(
    mailbox: RedisMailbox, arrivals: RedisArrivals, lane: str
) -> None:
    assert await arrivals.edit(lane, "new", ONE, at="1") == "unknown"
    assert await arrivals.edit(lane, "", ONE, at="1") == "unknown"
    await mailbox.put(lane, "mail", update_id="m1", arrival=ONE)
    assert await arrivals.edit(lane, "", saying("/cancel"), at="1") == "taken"
    assert await handled(mailbox) == ["mail"]


async def test_a_message_is_known_for_as_long_as_it_can_be_edited(
    mailbox: RedisMailbox, scripts: Scripts, lane: str, tag: str
) -> None:
    await mailbox.put(lane, "mail", update_id="m1", arrival=ONE)
    await mailbox.put(lane, "mail", update_id="m2")
    assert not await scripts.client.exists(f"{tag}m:")
    assert EDITED_MS - 60_000 < await scripts.client.pttl(f"{tag}m:m1") <= EDITED_MS


async def test_what_waits_is_read_in_its_order_until_it_is_handled(
    mailbox: RedisMailbox, arrivals: RedisArrivals, lane: str
) -> None:
    assert await arrivals.waiting(lane) == ()
    await mailbox.put(lane, "one", update_id="u1")
    await mailbox.put(lane, "zwei 二", update_id="u2")
    claim = await claim_one(mailbox)
    assert await arrivals.waiting(lane) == ("one", "zwei 二")
    await mailbox.commit(claim, Effects(), pop=True, after="release")
    assert await arrivals.waiting(lane) == ("zwei 二",)

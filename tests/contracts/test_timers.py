"""What must hold of timers: mail when they are due, once (design §3)."""

from datetime import UTC, datetime, timedelta

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.ports.storage.store import (
    Effects,
    LeasedLanes,
    Timer,
)
from tests.contracts.given import claim_one, handle, lives


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


async def test_a_timer_fires_once_and_the_next_is_foretold(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    due = datetime.now(UTC) + timedelta(minutes=10)
    await handle(mailbox, lane, Effects(timers=(Timer(lane, "t", due, "fired"),)))
    assert 590 < (await mailbox.take(1)).next_s <= 600
    scripts.offset_ms = 601_000
    assert await mailbox.commit(await claim_one(mailbox), Effects(), pop=True) is None
    assert await mailbox.take(1) == LeasedLanes(claims=(), next_s=3600)
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


async def test_a_timer_without_its_mail_is_forgotten(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    due = datetime.now(UTC) + timedelta(minutes=10)
    await handle(mailbox, lane, Effects(timers=(Timer(lane, "t", due, "fired"),)))
    # As after an operator took it away.
    await scripts.client.delete(f"{tag}timers")
    scripts.offset_ms = 601_000
    assert await mailbox.take(1) == LeasedLanes(claims=(), next_s=3600)


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
    assert 0 < (await mailbox.take(1)).next_s <= 30

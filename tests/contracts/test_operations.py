"""What an operator sees of what waits, and how it goes on (design §5)."""

import json

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.operations import RedisOperations
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.errors import LeaseLost
from engine.ports.storage.operations import CARD_AGES_S, BlockedRun, MailAside
from engine.ports.storage.store import AsideWrite, Claim, Effects, RunWrite
from tests.contracts.given import open_card


@pytest.fixture
def operations(scripts: Scripts, partitions: Partitions) -> RedisOperations:
    return RedisOperations(scripts, partitions)


async def take(mailbox: RedisMailbox) -> Claim:
    (claim,) = (await mailbox.take(1)).claims
    return claim


async def park_a_run(
    mailbox: RedisMailbox, run: str, conversation: str, *, ended: str = ""
) -> None:
    """Leaves the mail "kept" in the lane of a run that is blocked or has ended."""
    body = RunWrite(id=run, conversation=conversation, reply="", body="state", ended=ended)
    await mailbox.put(f"run:{run}", "kept", update_id=f"kept {run}")
    claim = await take(mailbox)
    await mailbox.commit(claim, Effects(runs=(body,)), pop=False, after="park")


async def test_mail_set_aside_is_listed_and_handled_once_it_is_put_back(
    mailbox: RedisMailbox, operations: RedisOperations, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "odd", update_id="odd")
    await mailbox.commit(
        await take(mailbox), Effects(aside=(AsideWrite(lane, "odd mail", "unreadable"),)), pop=True
    )
    (kept,) = await operations.waiting()
    assert isinstance(kept, MailAside)
    assert (kept.lane, kept.mail, kept.why) == (lane, "odd mail", "unreadable")
    assert await operations.retried(9) == []
    assert await operations.retry(kept.name, "", by="operator:ann", via="pages")
    (told,) = await operations.retried(9)
    assert (told.by, told.via, told.lane, told.why) == ("operator:ann", "pages", lane, "unreadable")
    assert kept.at <= told.at
    assert await operations.waiting() == []
    assert (await take(mailbox)).mail == "odd mail"
    assert not await operations.retry(kept.name, "")


async def test_a_blocked_run_is_listed_and_resumed_before_the_mail_that_it_kept(
    mailbox: RedisMailbox,
    operations: RedisOperations,
    partitions: Partitions,
    conversation: str,
) -> None:
    run = partitions.new_id(conversation)
    await park_a_run(mailbox, run, conversation)
    assert (await mailbox.take(1)).claims == ()
    assert await operations.waiting() == [BlockedRun(run, "state")]
    assert await operations.retry(run, "resumed")
    assert await operations.waiting() == []
    first = await take(mailbox)
    assert first.mail == "resumed"
    following = await mailbox.commit(first, Effects(), pop=True)
    assert following is not None
    assert following.mail == "kept"


async def test_who_looks_at_a_blocked_run_while_it_is_resumed_cannot_park_it_again(
    mailbox: RedisMailbox,
    operations: RedisOperations,
    partitions: Partitions,
    conversation: str,
) -> None:
    run = partitions.new_id(conversation)
    await park_a_run(mailbox, run, conversation)
    await mailbox.put(f"run:{run}", "more", update_id="more")
    looking = await take(mailbox)
    assert await operations.retry(run, "resumed")
    with pytest.raises(LeaseLost):
        await mailbox.commit(looking, Effects(), pop=False, after="park")
    assert (await take(mailbox)).mail == "resumed"


async def test_a_run_that_ends_waits_for_no_operator(
    mailbox: RedisMailbox,
    operations: RedisOperations,
    partitions: Partitions,
    conversation: str,
) -> None:
    run = partitions.new_id(conversation)
    await park_a_run(mailbox, run, conversation)
    await mailbox.put(f"control:{conversation}", "cancel", update_id="cancel")
    claim = await take(mailbox)
    await mailbox.commit(claim, Effects(cancels=((run, 0),)), pop=True)
    assert await operations.waiting() == []
    assert not await operations.retry(run, "resumed")


async def test_the_backlog_counts_what_waits_in_all_partitions(
    mailbox: RedisMailbox, operations: RedisOperations, partitions: Partitions
) -> None:
    rooms = ("web:local:a", "web:local:b", "web:local:c")
    for name in rooms:
        await park_a_run(mailbox, partitions.new_id(name), name)
    for name in rooms:
        await mailbox.put(f"talk:{name}", "waits", update_id=f"waits {name}")
    found = await operations.backlog()
    assert (found.lanes, found.blocked, found.aside) == (3, 3, 0)


async def test_the_backlog_tells_for_how_long_the_oldest_has_waited_and_not_what_is_in_hand(
    scripts: Scripts, conversation: str
) -> None:
    # In one partition: of several, another in which nothing waits would hide an age below zero.
    mailbox = RedisMailbox(scripts, Partitions(1), lease_s=30, bell=scripts.client)
    operations = RedisOperations(scripts, Partitions(1))
    await mailbox.put(f"talk:{conversation}", "waits", update_id="waits")
    scripts.offset_ms += 5_000
    assert 5 <= (await operations.backlog()).mailbox_age_s < 10
    await take(mailbox)
    found = await operations.backlog()
    assert (found.lanes, found.mailbox_age_s, found.outbox_age_s) == (1, 0, 0)


async def test_open_cards_are_counted_by_their_age(
    scripts: Scripts, mailbox: RedisMailbox, operations: RedisOperations, partitions: Partitions
) -> None:
    assert (await operations.backlog()).cards == (0, 0, 0, 0, 0)
    for n, conversation in enumerate(("web:w:a", "web:w:b", "web:w:c")):
        await open_card(mailbox, partitions, conversation)
        scripts.offset_ms += (CARD_AGES_S[n] - 60) * 1000
        if n == 0:
            assert (await operations.backlog()).cards == (1, 0, 0, 0, 0)
            scripts.offset_ms += 120_000
            assert (await operations.backlog()).cards == (0, 1, 0, 0, 0)
    assert (await operations.backlog()).cards == (0, 0, 1, 2, 0)
    scripts.offset_ms += CARD_AGES_S[-1] * 1000
    assert (await operations.backlog()).cards == (0, 0, 0, 0, 3)


async def test_a_run_that_goes_on_or_rests_waits_for_no_operator(
    mailbox: RedisMailbox,
    operations: RedisOperations,
    partitions: Partitions,
    conversation: str,
) -> None:
    run = partitions.new_id(conversation)
    body = RunWrite(id=run, conversation=conversation, reply="", body="state")
    for mail in ("first", "second"):
        await mailbox.put(f"run:{run}", mail, update_id=f"{mail} {run}")
    await mailbox.commit(await take(mailbox), Effects(runs=(body,)), pop=True, after="release")
    await mailbox.commit(await take(mailbox), Effects(), pop=True)
    assert await operations.waiting() == []


@pytest.mark.parametrize("name", ["", "nobody", "0-", "0-5", "zz-1"])
async def test_a_name_that_nothing_waits_under_is_said_to_be_none(
    operations: RedisOperations, name: str
) -> None:
    assert not await operations.retry(name, "resumed")


async def test_who_had_mail_handled_again_is_kept_the_newest_first_up_to_a_thousand(
    scripts: Scripts,
    mailbox: RedisMailbox,
    operations: RedisOperations,
    tag: str,
    conversation: str,
) -> None:
    old = json.dumps({"at": 1, "by": "old", "via": "x", "lane": "x", "why": "x"})
    await scripts.client.rpush(f"{tag}retried", *[old] * 999)
    lane = f"talk:{conversation}"
    for n in range(2):
        await mailbox.put(lane, "odd", update_id=f"odd {n}")
        aside = Effects(aside=(AsideWrite(lane, "odd mail", f"why {n}"),))
        await mailbox.commit(await take(mailbox), aside, pop=True, after="release")
        scripts.offset_ms += 1000
        (kept,) = await operations.waiting()
        await operations.retry(kept.name, "", by=f"ann {n}", via="pages")
        await mailbox.commit(await take(mailbox), Effects(), pop=True, after="release")
    assert [each.by for each in await operations.retried(3)] == ["ann 1", "ann 0", "old"]
    assert await scripts.client.llen(f"{tag}retried") == 1000


async def test_workers_are_counted_while_they_say_so(
    scripts: Scripts, operations: RedisOperations
) -> None:
    assert (await operations.backlog()).workers == 0
    for _ in range(2):
        await operations.attend("one", for_s=60)
    await operations.attend("two", for_s=120)
    assert (await operations.backlog()).workers == 2
    scripts.offset_ms += 61_000
    assert (await operations.backlog()).workers == 1
    await operations.attend("one", for_s=60)
    await operations.forfeit("two")
    assert (await operations.backlog()).workers == 1
    await operations.attend("one", for_s=0)
    assert (await operations.backlog()).workers == 0

"""What must hold of destinations: one deliverer, a pace, a rest when asked for (design §3)."""

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.operations import RedisOperations
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox, RedisOutbox
from engine.ports.platform import Pace
from engine.ports.storage.outbox import OutboxRow
from engine.ports.storage.store import (
    Effects,
    Post,
    Refresh,
)
from tests.contracts.given import (
    claim_one,
    handle,
    note,
)


async def test_a_rate_limited_destination_waits_alone(
    scripts: Scripts,
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    other = f"{conversation}-other"
    await mailbox.put(f"talk:{conversation}", "a", update_id="a")
    posts = tuple(
        Post(row=f"r-{place}", conversation=place, kind="note", ref=f"r-{place}", body="{}")
        for place in (conversation, other)
    )
    await mailbox.commit(await claim_one(mailbox), Effects(posts=posts), pop=True)
    rows, _ = await outbox.take_rows(5)
    by_place = {row.conversation: row for row in rows}
    await outbox.retry(by_place[conversation], in_s=60)
    assert await outbox.sent(by_place[other], "m", pace=Pace()) is None
    assert (await outbox.take_rows(5))[0] == []
    scripts.offset_ms = 61_000
    (row,), _ = await outbox.take_rows(5)
    assert (row.conversation, row.attempts) == (conversation, 1)


async def test_a_destination_rests_after_a_burst_and_edits_meanwhile_become_one(
    scripts: Scripts,
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    conversation: str,
) -> None:
    await mailbox.put(f"talk:{conversation}", "a", update_id="a")
    posts = tuple(
        Post(row=f"r{n}", conversation=conversation, kind="note", ref=f"r{n}", body=str(n))
        for n in range(5)
    )
    await mailbox.commit(await claim_one(mailbox), Effects(posts=posts), pop=True)
    pace = Pace(every_s=60, burst=2)
    (row,), _ = await outbox.take_rows(5)
    second = await outbox.sent(row, "m0", pace=pace)
    assert second is not None
    third = await outbox.sent(second, "m1", pace=pace)
    assert third is not None
    # Two at once and one a minute: the fourth has to wait.
    assert 0 < await outbox.sent(third, "m2", pace=pace) <= 60
    assert (await outbox.take_rows(5))[0] == []
    await mailbox.put(f"talk:{conversation}", "b", update_id="b")
    touches = (Refresh("r0"), Refresh("r0"))
    await mailbox.commit(await claim_one(mailbox), Effects(touches=touches), pop=True)
    assert (await outbox.take_rows(5))[0] == []
    shown = []
    for minute in range(1, 5):
        scripts.offset_ms = minute * 66_000
        for due in (await outbox.take_rows(5))[0]:
            shown.append((due.row, due.message_id))
            await outbox.sent(due, due.message_id or "m", pace=pace)
    assert sorted(shown) == [("r0", "m0"), ("r3", ""), ("r4", "")]


async def test_what_a_paused_sender_showed_late_is_shown_anew(
    scripts: Scripts,
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    conversation: str,
) -> None:
    await mailbox.put(f"talk:{conversation}", "a", update_id="a")
    post = Post(row="r", conversation=conversation, kind="note", ref="r", body="old")
    await mailbox.commit(await claim_one(mailbox), Effects(posts=(post,)), pop=True)
    (paused,), _ = await outbox.take_rows(1)
    scripts.offset_ms = 31_000
    (other,), _ = await outbox.take_rows(1)
    assert await outbox.sent(other, "of the other", pace=Pace()) is None
    assert await outbox.sent(paused, "of the paused", pace=Pace()) is None
    (again,), _ = await outbox.take_rows(1)
    assert again.message_id == "of the paused"


async def test_a_destination_is_leased_to_one_deliverer_and_let_go_when_all_is_shown(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    effects = Effects(posts=(note("a", conversation), note("b", conversation, due_s=60)))
    await handle(mailbox, f"talk:{conversation}", effects)
    (row,), _ = await outbox.take_rows(5)
    assert row.row == "a"
    rows, next_s = await outbox.take_rows(5)
    assert (rows, 0 < next_s <= 30) == ([], True)
    assert 30 < await outbox.sent(row, "m") <= 60
    rows, next_s = await outbox.take_rows(5)
    assert (rows, 30 < next_s <= 60) == ([], True)


async def test_a_held_destination_waits_also_for_what_is_posted_meanwhile(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(note("a", conversation),)))
    (row,), _ = await outbox.take_rows(5)
    await outbox.retry(row, in_s=60)
    scripts.offset_ms = 31_000
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(note("b", conversation),)))
    assert (await outbox.take_rows(5))[0] == []
    scripts.offset_ms = 61_000
    assert [row.row for row in (await outbox.take_rows(5))[0]] == ["a"]


async def test_a_deliverer_that_lost_its_lease_settles_nothing_but_what_it_posted(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation), note("b", conversation))))
    (paused,), _ = await outbox.take_rows(5)
    scripts.offset_ms = 31_000
    (holder,), _ = await outbox.take_rows(5)
    assert (paused.row, holder.row) == ("a", "a")
    assert await outbox.sent(paused, "m1") is None
    again = await outbox.later(holder, in_s=0)
    assert again is not None
    assert (again.row, again.message_id) == ("b", "")
    following = await outbox.sent(again, "m2")
    assert following is not None
    assert (following.row, following.message_id) == ("a", "m1")


async def test_a_short_hold_ends_before_the_lease_and_is_counted_once_until_the_row_is_shown(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation),)))
    (row,), _ = await outbox.take_rows(5)
    for _ in range(2):  # the second time as a client does that lost the first answer
        await outbox.retry(row, in_s=5)
    scripts.offset_ms = 6_000
    (row,), _ = await outbox.take_rows(5)
    assert row.attempts == 1
    assert await outbox.sent(row, "m") is None
    await handle(mailbox, lane, Effects(touches=(Refresh("a"),)))
    (row,), _ = await outbox.take_rows(5)
    assert row.attempts == 0


async def test_what_a_destination_has_to_wait_for_is_known_as_long_as_it_waits(
    scripts: Scripts,
    mailbox: RedisMailbox,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    outbox = RedisOutbox(scripts, partitions, lease_s=3600)
    head, hour = f"{tag}d:{conversation}:h", 3600

    async def kept_s() -> int:
        return int(await scripts.client.ttl(head))

    await handle(
        mailbox,
        f"talk:{conversation}",
        Effects(posts=tuple(note(row, conversation) for row in "abc")),
    )
    (row,), _ = await outbox.take_rows(5)
    assert hour <= await kept_s() < 2 * hour
    following = await outbox.sent(row, "m", pace=Pace(every_s=3 * hour, burst=2))
    assert following is not None
    assert 3 * hour <= await kept_s()
    await outbox.retry(following, in_s=5 * hour)
    assert 5 * hour <= await kept_s()


async def test_what_a_worker_that_ended_was_showing_is_shown_by_another_at_once(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    one = RedisOutbox(scripts, partitions, lease_s=3600, holder="one")
    two = RedisOutbox(scripts, partitions, lease_s=3600, holder="two")
    other = f"{conversation}-other"
    await handle(
        mailbox,
        f"talk:{conversation}",
        Effects(posts=(note("a", conversation), note("b", conversation), note("c", other))),
    )
    (held,), _ = await one.take_rows(1)
    (kept,), _ = await two.take_rows(1)
    operations = RedisOperations(scripts, partitions)

    assert await operations.forfeit("one") == []

    (row,), _ = await two.take_rows(5)
    assert (row.row, row.conversation) == (held.row, held.conversation)
    assert row.tried is not None
    assert await one.sent(held, "m") is None
    following = await two.sent(row, "m")
    assert isinstance(following, OutboxRow)
    # What goes on is held by the same worker, and is free with it.
    await operations.forfeit("two")
    rows, _ = await one.take_rows(5)
    assert {each.row for each in rows} == {following.row, kept.row}


async def test_a_destination_stays_with_who_goes_on_to_its_next_row(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation), note("b", conversation))))
    (row,), _ = await outbox.take_rows(5)
    following = await outbox.sent(row, "m", pace=Pace(every_s=1, burst=2))
    assert following is not None
    await handle(mailbox, lane, Effects(posts=(note("c", conversation),)))
    assert (await outbox.take_rows(5))[0] == []


@pytest.mark.parametrize("waiting", [True, False])
async def test_a_rest_holds_also_what_is_posted_in_it_and_not_a_place_without_a_pace(
    waiting: bool,
    scripts: Scripts,
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    conversation: str,
) -> None:
    lane, pace = f"talk:{conversation}", Pace(every_s=60, burst=1)
    first = "abc" if waiting else "ab"
    await handle(mailbox, lane, Effects(posts=tuple(note(row, conversation) for row in first)))
    (row,), _ = await outbox.take_rows(5)
    second = await outbox.sent(row, "m", pace=pace)
    assert second is not None
    assert 0 < await outbox.sent(second, "m", pace=pace) <= 60
    scripts.offset_ms = 31_000
    await handle(mailbox, lane, Effects(posts=(note("d", conversation),)))
    assert (await outbox.take_rows(5))[0] == []
    scripts.offset_ms = 61_000
    (row,), _ = await outbox.take_rows(5)
    following = await outbox.sent(row, "m", pace=Pace())
    assert (following is not None) == waiting


@pytest.mark.parametrize("outcome", ["later", "drop", "retry"])
async def test_a_deliverer_that_lost_its_lease_and_showed_nothing_changes_nothing(
    outcome: str, scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(note("a", conversation),)))
    (paused,), _ = await outbox.take_rows(5)
    scripts.offset_ms = 31_000
    (holder,), _ = await outbox.take_rows(5)
    assert await outbox.sent(holder, "m") is None
    match outcome:
        case "later":
            assert await outbox.later(paused, in_s=0) is None
        case "drop":
            assert await outbox.drop(paused, "gone") is None
        case _:
            await outbox.retry(paused, in_s=0)
    assert await outbox.take_rows(5) == ([], 3600)


async def test_a_showing_whose_answer_was_lost_can_be_repeated(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(note("a", conversation),)))
    (row,), _ = await outbox.take_rows(5)
    for _ in range(2):
        assert await outbox.sent(row, "m") is None
    assert await outbox.take_rows(5) == ([], 3600)

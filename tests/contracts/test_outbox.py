"""What every outbox must hold: rows, destinations, paces (design §3)."""

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from engine.ports.platform import Pace
from engine.ports.store import (
    CardWrite,
    Effects,
    PartWrite,
    Post,
    ReplyWrite,
    Touch,
)
from tests.contracts.given import (
    card_for,
    claim_one,
    deciding,
    handle,
    lives,
    note,
    open_card,
    run_write,
    shown_card,
)


async def test_a_row_shows_the_latest_state_and_is_sent_again_when_it_changed_meanwhile(
    mailbox: RedisMailbox, outbox: RedisOutbox, partitions: Partitions, conversation: str
) -> None:
    reply = partitions.new_id(conversation)
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "a", update_id="a")
    await mailbox.put(lane, "b", update_id="b")
    effects = Effects(
        reply=ReplyWrite(id=reply, head="head", parts=("one", "two")),
        posts=(Post(row=reply, conversation=conversation, kind="reply", ref=reply),),
    )
    following = await mailbox.commit(await claim_one(mailbox), effects, pop=True)
    assert following is not None
    (row,), _ = await outbox.take_rows(5)
    assert (row.head, row.parts, row.message_id) == ("head", ("one", "two"), "")
    change = Effects(parts=(PartWrite(reply, 1, "TWO"),), touches=(Touch(reply),))
    await mailbox.commit(following, change, pop=True)
    again = await outbox.sent(row, "m1", pace=Pace())
    assert again is not None
    assert (again.parts, again.message_id) == (("one", "TWO"), "m1")
    assert await outbox.sent(again, "m1", pace=Pace()) is None
    assert (await outbox.take_rows(5))[0] == []


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
    pace = Pace(every_s=1.0, burst=2)
    (row,), _ = await outbox.take_rows(5)
    second = await outbox.sent(row, "m0", pace=pace)
    assert second is not None
    third = await outbox.sent(second, "m1", pace=pace)
    assert third is not None
    # Two at once and one a second: the fourth has to wait.
    assert await outbox.sent(third, "m2", pace=pace) is None
    assert (await outbox.take_rows(5))[0] == []
    await mailbox.put(f"talk:{conversation}", "b", update_id="b")
    touches = (Touch("r0"), Touch("r0"))
    await mailbox.commit(await claim_one(mailbox), Effects(touches=touches), pop=True)
    assert (await outbox.take_rows(5))[0] == []
    shown = []
    for second_ in range(1, 5):
        scripts.offset_ms = second_ * 1_100
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


async def test_a_card_in_a_replys_slot_is_shown_with_it_and_refreshes_it(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    reply, run = partitions.new_id(conversation), partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation)
    await mailbox.put(f"talk:{conversation}", "a", update_id="a")
    effects = Effects(
        reply=ReplyWrite(id=reply, head="head", parts=("one",)),
        posts=(Post(row=reply, conversation=conversation, kind="reply", ref=reply),),
        runs=(run_write(run, conversation, reply=reply),),
        cards=(CardWrite(card),),
        slots=((reply, card.token),),
    )
    await mailbox.commit(await claim_one(mailbox), effects, pop=True)
    (row,), _ = await outbox.take_rows(1)
    assert row.card is not None
    assert row.card.read() == card
    assert await outbox.sent(row, "m1", pace=Pace()) is None
    await decisions.decide(card.token, update_id="t", answer="won", effects=deciding(card))
    (row,), _ = await outbox.take_rows(1)
    assert row.card is not None
    assert (row.card.read().status, row.message_id) == ("decided", "m1")


async def test_a_destination_is_leased_to_one_deliverer_and_let_go_when_all_is_shown(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    effects = Effects(posts=(note("a", conversation), note("b", conversation, due_s=60)))
    await handle(mailbox, f"talk:{conversation}", effects)
    (row,), _ = await outbox.take_rows(5)
    assert row.row == "a"
    rows, next_s = await outbox.take_rows(5)
    assert (rows, 29 < next_s <= 30) == ([], True)
    assert await outbox.sent(row, "m") is None
    rows, next_s = await outbox.take_rows(5)
    assert (rows, 59 < next_s <= 60) == ([], True)


async def test_a_row_due_later_is_shown_then_and_nothing_is_left(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    effects = Effects(posts=(note("a", conversation), note("b", conversation, due_s=60)))
    await handle(mailbox, f"talk:{conversation}", effects)
    (row,), _ = await outbox.take_rows(5)
    assert await outbox.sent(row, "m") is None
    scripts.offset_ms = 61_000
    (row,), _ = await outbox.take_rows(5)
    assert row.row == "b"
    assert await outbox.sent(row, "m") is None
    assert await outbox.take_rows(5) == ([], 3600)


async def test_a_row_is_shown_when_the_soonest_of_its_changes_is_due(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation, due_s=60),)))
    await handle(mailbox, lane, Effects(touches=(Touch("a"),)))
    await handle(mailbox, lane, Effects(touches=(Touch("a", due_s=60),)))
    (row,), _ = await outbox.take_rows(5)
    assert row.row == "a"


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


async def test_a_row_put_off_goes_after_the_others_unless_it_changed_meanwhile(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation), note("b", conversation))))
    (row,), _ = await outbox.take_rows(5)
    following = await outbox.later(row, in_s=60)
    assert following is not None
    assert (row.row, following.row) == ("a", "b")
    assert await outbox.sent(following, "m") is None
    assert (await outbox.take_rows(5))[0] == []
    scripts.offset_ms = 61_000
    (row,), _ = await outbox.take_rows(5)
    assert (row.row, row.message_id, row.attempts) == ("a", "", 0)
    await handle(mailbox, lane, Effects(touches=(Touch("a"),)))
    again = await outbox.later(row, in_s=60)
    assert again is not None
    assert again.row == "a"


async def test_a_dropped_row_is_not_shown_again_and_says_why(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation), note("b", conversation))))
    (row,), _ = await outbox.take_rows(5)
    await handle(mailbox, lane, Effects(touches=(Touch("a"),)))
    following = await outbox.drop(row, "channel gone")
    assert following is not None
    assert following.row == "b"
    assert await outbox.sent(following, "m") is None
    assert (await outbox.take_rows(5))[0] == []
    kept = await scripts.client.hmget(f"{tag}row:a", ["dropped", "message_id"])
    assert kept == ["channel gone", None]
    assert await scripts.client.hget(f"{tag}row:b", "dropped") is None


@pytest.mark.parametrize("outcome", ["sent", "drop", "retry"])
async def test_a_row_that_expired_while_it_was_shown_stays_gone(
    outcome: str,
    scripts: Scripts,
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    conversation: str,
    tag: str,
) -> None:
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(note("a", conversation),)))
    (row,), _ = await outbox.take_rows(5)
    await scripts.client.delete(f"{tag}row:a")
    match outcome:
        case "sent":
            assert await outbox.sent(row, "m") is None
        case "drop":
            assert await outbox.drop(row, "gone") is None
        case _:
            await outbox.retry(row, in_s=0)
    assert await lives(scripts, tag, "row:a") == ["gone"]
    waiting = await scripts.client.zcard(f"{tag}d:{conversation}")
    assert waiting == (1 if outcome == "retry" else 0)


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


async def test_a_row_shows_what_its_kind_says(
    mailbox: RedisMailbox, outbox: RedisOutbox, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(shown_card(card),)))
    (row,), _ = await outbox.take_rows(5)
    assert row.card is not None
    assert row.card.read() == card
    assert await outbox.sent(row, "m") is None
    about = note("n", conversation, ref=card.token)
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(about,)))
    (row,), _ = await outbox.take_rows(5)
    assert (row.kind, row.body, row.card) == ("note", "{}", None)


async def test_a_short_hold_ends_before_the_lease_and_is_counted_once(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(note("a", conversation),)))
    (row,), _ = await outbox.take_rows(5)
    for _ in range(2):  # the second time as a client does that lost the first answer
        await outbox.retry(row, in_s=5)
    scripts.offset_ms = 6_000
    (row,), _ = await outbox.take_rows(5)
    assert row.attempts == 1


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


async def test_a_row_due_later_can_be_asked_for_sooner(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation, due_s=60),)))
    rows, next_s = await outbox.take_rows(5)
    assert (rows, 59 < next_s <= 60) == ([], True)
    await handle(mailbox, lane, Effects(touches=(Touch("a"),)))
    assert [row.row for row in (await outbox.take_rows(5))[0]] == ["a"]


async def test_what_is_next_to_show_is_never_in_the_past(
    scripts: Scripts, mailbox: RedisMailbox, conversation: str
) -> None:
    outbox = RedisOutbox(scripts, Partitions(1), lease_s=30)
    mailbox = RedisMailbox(scripts, Partitions(1), lease_s=30, bell=scripts.client)
    posts = (note("a", conversation), note("b", f"{conversation}-other"))
    await handle(mailbox, f"talk:{conversation}", Effects(posts=posts))
    scripts.offset_ms = 1_000
    rows, next_s = await outbox.take_rows(1)
    assert (len(rows), next_s) == (1, 0)


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
    assert await outbox.sent(second, "m", pace=pace) is None
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


async def test_a_row_that_is_gone_leaves_nothing_when_shown_late_and_shows_nothing_when_due(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation),)))
    (paused,), _ = await outbox.take_rows(5)
    scripts.offset_ms = 31_000
    await scripts.client.delete(f"{tag}row:a")
    (gone,), _ = await outbox.take_rows(5)
    shows = (
        gone.row,
        gone.revision,
        gone.kind,
        gone.ref,
        gone.message_id,
        gone.attempts,
        gone.body,
    )
    assert shows == ("a", 0, "", "", "", 0, "")
    assert await outbox.drop(gone, "no longer kept") is None
    assert await outbox.sent(paused, "m") is None
    assert await lives(scripts, tag, "row:a") == ["gone"]
    assert await outbox.take_rows(5) == ([], 3600)


async def test_a_destination_with_nothing_due_keeps_no_other_waiting(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    posts = (note("later", conversation, due_s=60), note("now", f"{conversation}-other"))
    await handle(mailbox, f"talk:{conversation}", Effects(posts=posts))
    assert [row.row for row in (await outbox.take_rows(1))[0]] == ["now"]

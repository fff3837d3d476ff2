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
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(note("a", conversation),)))
    (row,), _ = await outbox.take_rows(5)
    await outbox.retry(row, in_s=60)
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(note("b", conversation),)))
    assert (await outbox.take_rows(5))[0] == []


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

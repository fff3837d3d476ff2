"""What must hold of rows: shown as they are now, when they are due (design §3)."""

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from engine.ports.platform import Pace
from engine.ports.storage.store import (
    CardWrite,
    Effects,
    PartWrite,
    Post,
    Refresh,
    ReplyWrite,
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
    change = Effects(parts=(PartWrite(reply, 1, "TWO"),), touches=(Refresh(reply),))
    await mailbox.commit(following, change, pop=True)
    again = await outbox.sent(row, "m1", pace=Pace())
    assert again is not None
    assert (again.parts, again.message_id) == (("one", "TWO"), "m1")
    assert await outbox.sent(again, "m1", pace=Pace()) is None
    assert (await outbox.take_rows(5))[0] == []


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


async def test_a_run_that_ends_while_its_decision_is_shown_is_shown_once_more_and_not_between(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
) -> None:
    reply, run = partitions.new_id(conversation), partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation)
    effects = Effects(
        reply=ReplyWrite(id=reply, head="head", parts=("waits",)),
        posts=(Post(reply, conversation, "reply", reply),),
        runs=(run_write(run, conversation, reply=reply),),
        cards=(CardWrite(card),),
        slots=((reply, card.token),),
    )
    await handle(mailbox, f"talk:{conversation}", effects)
    (row,), _ = await outbox.take_rows(5)
    assert await outbox.sent(row, "m1") is None
    await decisions.decide(card.token, update_id="t", answer="won", effects=deciding(card))
    (row,), _ = await outbox.take_rows(5)
    goes_on = Effects(parts=(PartWrite(reply, 0, "goes on"),), touches=(Refresh(reply, 1.0),))
    following = await mailbox.commit(await claim_one(mailbox), goes_on, pop=True, front="more")
    # How far it is need not be shown at once.
    assert isinstance(await outbox.sent(row, "m1"), float)
    ends = Effects(parts=(PartWrite(reply, 0, "done"),), touches=(Refresh(reply),))
    assert following is not None
    await mailbox.commit(following, ends, pop=True)
    (row,), _ = await outbox.take_rows(5)
    assert (row.row, row.parts) == (reply, ("done",))
    assert await outbox.sent(row, "m1") is None
    assert await outbox.take_rows(5) == ([], 3600)


@pytest.mark.parametrize(
    ("changes", "waits_s"), [((60.0,), 60.0), ((60.0, 0.0), 0.0), ((0.0, 60.0), 0.0)]
)
async def test_what_changed_while_it_was_shown_is_shown_when_the_first_of_it_is_due(
    scripts: Scripts,
    mailbox: RedisMailbox,
    outbox: RedisOutbox,
    conversation: str,
    changes: tuple[float, ...],
    waits_s: float,
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation),)))
    # Changes from before it is shown say nothing of what comes after.
    await handle(mailbox, lane, Effects(touches=(Refresh("a"),)))
    (row,), _ = await outbox.take_rows(5)
    for due_s in changes:
        await handle(mailbox, lane, Effects(touches=(Refresh("a", due_s),)))
    following = await outbox.sent(row, "m")
    if waits_s:
        assert isinstance(following, float)
        assert waits_s - 5 < following <= waits_s
        scripts.offset_ms = int(waits_s * 1000)
        (following,), _ = await outbox.take_rows(5)
    assert not isinstance(following, float)
    assert following is not None
    assert await outbox.sent(following, "m") is None


async def test_what_an_earlier_build_changed_while_it_was_shown_is_shown_at_once(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation),)))
    (row,), _ = await outbox.take_rows(5)
    await handle(mailbox, lane, Effects(touches=(Refresh("a", 60.0),)))
    # That one did not note when its changes are due.
    (key,) = [key async for key in scripts.client.scan_iter("*}:row:a")]
    await scripts.client.hdel(key, "next")
    following = await outbox.sent(row, "m")
    assert not isinstance(following, float)
    assert following is not None
    assert following.row == "a"


async def test_a_card_shown_elsewhere_tells_in_which_message_its_run_answers(
    mailbox: RedisMailbox, outbox: RedisOutbox, partitions: Partitions, conversation: str
) -> None:
    lane, reply = f"talk:{conversation}", partitions.new_id(conversation)
    run = partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation)
    effects = Effects(
        reply=ReplyWrite(id=reply, head="head", parts=("one",)),
        runs=(run_write(run, conversation, reply=reply),),
        cards=(CardWrite(card),),
        posts=(Post("elsewhere", "slack:T1:U1", "card", card.token),),
    )
    await handle(mailbox, lane, effects)
    (row,), _ = await outbox.take_rows(5)
    assert (row.row, row.answer_id) == ("elsewhere", "")
    await outbox.sent(row, "m1")
    await handle(mailbox, lane, Effects(posts=(Post(reply, conversation, "reply", reply),)))
    (row,), _ = await outbox.take_rows(5)
    assert (row.row, row.answer_id) == (reply, "")
    await outbox.sent(row, "m2")
    await handle(mailbox, lane, Effects(touches=(Refresh(card.token),)))
    (row,), _ = await outbox.take_rows(5)
    assert (row.row, row.message_id, row.answer_id) == ("elsewhere", "m1", "m2")


async def test_a_card_of_no_run_tells_no_message(
    mailbox: RedisMailbox, outbox: RedisOutbox, partitions: Partitions, conversation: str
) -> None:
    card = card_for("", partitions.new_id(conversation), conversation)
    opened = Effects(cards=(CardWrite(card),), posts=(shown_card(card),))
    await handle(mailbox, f"talk:{conversation}", opened)
    (row,), _ = await outbox.take_rows(5)
    assert row.card is not None
    assert row.answer_id == ""


async def test_a_row_due_later_is_shown_then_and_nothing_is_left(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    effects = Effects(posts=(note("a", conversation), note("b", conversation, due_s=60)))
    await handle(mailbox, f"talk:{conversation}", effects)
    (row,), _ = await outbox.take_rows(5)
    assert 0 < await outbox.sent(row, "m") <= 60
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
    await handle(mailbox, lane, Effects(touches=(Refresh("a"),)))
    await handle(mailbox, lane, Effects(touches=(Refresh("a", due_s=60),)))
    (row,), _ = await outbox.take_rows(5)
    assert row.row == "a"


async def test_a_row_put_off_goes_after_the_others_unless_it_changed_meanwhile(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation), note("b", conversation))))
    (row,), _ = await outbox.take_rows(5)
    following = await outbox.later(row, in_s=60)
    assert following is not None
    assert (row.row, following.row) == ("a", "b")
    due_s = await outbox.sent(following, "m")
    assert isinstance(due_s, float)
    assert 0 < due_s <= 60
    assert (await outbox.take_rows(5))[0] == []
    scripts.offset_ms = 61_000
    (row,), _ = await outbox.take_rows(5)
    assert (row.row, row.message_id, row.attempts) == ("a", "", 0)
    await handle(mailbox, lane, Effects(touches=(Refresh("a"),)))
    again = await outbox.later(row, in_s=60)
    assert again is not None
    assert again.row == "a"


async def test_a_dropped_row_is_not_shown_again_and_says_why(
    scripts: Scripts, mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str, tag: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation), note("b", conversation))))
    (row,), _ = await outbox.take_rows(5)
    await handle(mailbox, lane, Effects(touches=(Refresh("a"),)))
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


async def test_a_note_posted_again_is_shown_with_its_new_words(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation),)))
    (row,), _ = await outbox.take_rows(5)
    assert await outbox.sent(row, "m") is None
    await handle(mailbox, lane, Effects(posts=(Post("a", conversation, "note", "a", body="new"),)))
    (row,), _ = await outbox.take_rows(5)
    assert (row.body, row.message_id) == ("new", "m")


async def test_a_row_due_later_can_be_asked_for_sooner(
    mailbox: RedisMailbox, outbox: RedisOutbox, conversation: str
) -> None:
    lane = f"talk:{conversation}"
    await handle(mailbox, lane, Effects(posts=(note("a", conversation, due_s=60),)))
    rows, next_s = await outbox.take_rows(5)
    assert (rows, 0 < next_s <= 60) == ([], True)
    await handle(mailbox, lane, Effects(touches=(Refresh("a"),)))
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

"""What must hold when runs end or are cancelled, and how long replies are kept (design §3)."""

from dataclasses import replace

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from engine.errors import LeaseLost, StaleWrite
from engine.ports.storage.store import (
    CardWrite,
    Effects,
    PartWrite,
    Post,
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


async def test_a_cancel_of_a_run_that_went_on_meanwhile_is_stale(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await mailbox.put(f"control:{conversation}", "cancel", update_id="c")
    claim = await claim_one(mailbox)
    with pytest.raises(StaleWrite):
        await mailbox.commit(claim, Effects(cancels=((card.run, 7),)), pop=True)


@pytest.mark.parametrize("ended", ["", "completed"])
async def test_what_is_cancelled_wherever_it_is_ends_once_and_holds_up_nothing(
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
    ended: str,
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    body = run_write(card.run, conversation, ended=ended)
    await handle(mailbox, f"run:{card.run}", Effects(runs=(replace(body, steps=9),)))
    gone = partitions.new_id(conversation)
    cancels = Effects(cancels=((card.run, -1), (gone, -1)))
    await handle(mailbox, f"control:{conversation}", cancels)
    found = await decisions.run(card.run)
    assert found is not None
    assert found[1] == (ended or "cancelled")
    assert await decisions.run(gone) is None


async def test_a_reply_that_a_live_run_may_change_is_kept_when_another_of_its_runs_ends(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    reply = partitions.new_id(conversation)
    first, second = partitions.new_id(conversation), partitions.new_id(conversation)
    card = card_for(first, partitions.new_id(conversation), conversation)
    await mailbox.put(f"talk:{conversation}", "a", update_id="a")
    effects = Effects(
        reply=ReplyWrite(id=reply, head="head", parts=("one", "two")),
        posts=(Post(row=reply, conversation=conversation, kind="reply", ref=reply),),
        runs=(
            run_write(first, conversation, reply=reply),
            run_write(second, conversation, reply=reply),
        ),
        cards=(CardWrite(card),),
        slots=((reply, card.token),),
    )
    await mailbox.commit(await claim_one(mailbox), effects, pop=True)
    await mailbox.put(f"run:{first}", "end", update_id="e")
    ended = Effects(runs=(run_write(first, conversation, ended="completed", reply=reply),))
    await mailbox.commit(await claim_one(mailbox), ended, pop=True)
    tag = f"{{p{partitions.of_conversation(conversation):x}}}:"
    for name in (f"reply:{reply}", f"row:{reply}", f"rows:{reply}"):
        assert await scripts.client.ttl(f"{tag}{name}") == -1


async def test_cancel_closes_the_run_and_its_cards_and_stops_its_worker(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await mailbox.put(f"run:{card.run}", "continue", update_id="c1")
    working = await claim_one(mailbox)
    await mailbox.put(f"control:{conversation}", "cancel", update_id="c2")
    control = await claim_one(mailbox)
    await mailbox.commit(control, Effects(cancels=((card.run, 0),)), pop=True)
    with pytest.raises(LeaseLost):
        await mailbox.commit(working, Effects(runs=(run_write(card.run, conversation),)), pop=True)
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="t", answer="won", effects=deciding(card))
    found = await decisions.card(card.token)
    assert found is not None
    assert found.card.status == "cancelled"
    assert await decisions.open_cards(conversation) == []
    assert await decisions.active_runs(conversation) == []
    assert await decisions.run(card.run) == ("{}", "cancelled")


async def test_cancelling_what_has_ended_is_stale(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await mailbox.put(f"run:{card.run}", "end", update_id="e")
    ended = Effects(runs=(run_write(card.run, conversation, ended="completed"),))
    await mailbox.commit(await claim_one(mailbox), ended, pop=True)
    await mailbox.put(f"control:{conversation}", "cancel", update_id="c")
    with pytest.raises(StaleWrite):
        await mailbox.commit(await claim_one(mailbox), Effects(cancels=((card.run, 0),)), pop=True)


async def test_a_live_runs_keys_never_expire_and_an_ended_ones_do(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str
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
        log=((run, "opened"),),
    )
    await mailbox.commit(await claim_one(mailbox), effects, pop=True)
    tag = f"{{p{partitions.of_conversation(conversation):x}}}:"
    held = [
        f"{tag}{name}"
        for name in (
            f"run:{run}",
            f"card:{card.token}",
            f"reply:{reply}",
            f"row:{reply}",
            f"log:{run}",
        )
    ]
    assert [await scripts.client.ttl(key) for key in held] == [-1] * len(held)
    await mailbox.put(f"run:{run}", "end", update_id="e")
    ended = Effects(runs=(run_write(run, conversation, ended="completed", reply=reply),))
    await mailbox.commit(await claim_one(mailbox), ended, pop=True)
    assert all([await scripts.client.ttl(key) > 0 for key in held])


async def test_an_ended_runs_lane_takes_mail_but_changes_no_run(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    run = partitions.new_id(conversation)
    await handle(mailbox, f"run:{run}", Effects(runs=(run_write(run, conversation),)))
    ended = run_write(run, conversation, ended="failed")
    await handle(mailbox, f"run:{run}", Effects(runs=(ended,)))
    await mailbox.put(f"run:{run}", "late", update_id="late")
    claim = await claim_one(mailbox)
    assert (claim.state, claim.ended) == ("{}", "failed")
    with pytest.raises(StaleWrite):
        await mailbox.commit(claim, Effects(runs=(run_write(run, conversation),)), pop=True)
    assert await decisions.active_runs(conversation) == []
    assert await mailbox.commit(claim, Effects(), pop=True) is None


async def test_a_runs_end_leaves_what_was_decided(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))
    ended = Effects(runs=(run_write(card.run, conversation, ended="completed"),))
    assert await mailbox.commit(await claim_one(mailbox), ended, pop=True) is None
    found = await decisions.card(card.token)
    assert found is not None
    assert (found.card.status, found.card.version) == ("decided", 2)


async def test_cancel_takes_the_runs_mail_and_shows_its_cards_again(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    outbox: RedisOutbox,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await handle(mailbox, f"talk:{conversation}", Effects(posts=(shown_card(card),)))
    (row,), _ = await outbox.take_rows(5)
    assert await outbox.sent(row, "m1") is None
    await mailbox.put(f"run:{card.run}", "never handled", update_id="n")
    await claim_one(mailbox)
    await mailbox.put(f"control:{conversation}", "cancel", update_id="c")
    control = await claim_one(mailbox)
    await mailbox.commit(control, Effects(cancels=((card.run, 0),)), pop=True)
    lane = f"l:run:{card.run}"
    assert await lives(scripts, tag, f"{lane}:in", f"{lane}:h") == ["gone", "for a time"]
    assert await scripts.client.zscore(f"{tag}q", f"run:{card.run}") is None
    (row,), _ = await outbox.take_rows(5)
    assert row.card is not None
    assert (row.card.status, row.card.version, row.message_id) == ("cancelled", 2, "m1")
    assert await lives(scripts, tag, f"c:{conversation}:cards") == ["gone"]


async def test_what_a_run_showed_is_kept_while_it_lives_and_for_a_time_after(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str, tag: str
) -> None:
    run, reply = partitions.new_id(conversation), partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation)
    shown_reply = Post(row=reply, conversation=conversation, kind="reply", ref=reply)
    opening = Effects(
        reply=ReplyWrite(id=reply, head="head", parts=()),
        runs=(run_write(run, conversation, reply=reply),),
        cards=(CardWrite(card),),
        posts=(shown_reply, shown_card(card)),
    )
    await handle(mailbox, f"run:{run}", opening)
    again = Effects(runs=(run_write(run, conversation, reply=reply),), posts=(shown_reply,))
    await handle(mailbox, f"run:{run}", again)
    of_reply = (f"reply:{reply}", f"row:{reply}", f"rows:{reply}")
    of_card = (f"card:{card.token}", f"row:row-{card.token}", f"rows:{card.token}")
    held = (f"run:{run}:cards", *of_reply, *of_card)
    assert await lives(scripts, tag, *held) == ["for ever"] * 7
    ended = run_write(run, conversation, ended="completed", reply=reply)
    await handle(mailbox, f"run:{run}", Effects(runs=(ended,), log=((run, "ended"),)))
    assert await lives(scripts, tag, *held, f"log:{run}") == ["for a time"] * 8


async def test_notes_and_replies_without_a_run_are_kept_for_a_time(
    scripts: Scripts, mailbox: RedisMailbox, partitions: Partitions, conversation: str, tag: str
) -> None:
    reply = partitions.new_id(conversation)
    effects = Effects(
        reply=ReplyWrite(id=reply, head="head", parts=()),
        posts=(
            Post(row=reply, conversation=conversation, kind="reply", ref=reply),
            note("n", conversation),
        ),
    )
    await handle(mailbox, f"talk:{conversation}", effects)
    names = (f"reply:{reply}", f"row:{reply}", f"rows:{reply}", "row:n", "rows:n")
    assert await lives(scripts, tag, *names) == ["for a time"] * 5


async def test_a_reply_is_written_once(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    reply = partitions.new_id(conversation)
    for head in ("first", "second"):
        written = ReplyWrite(id=reply, head=head, parts=(head,))
        await handle(mailbox, f"talk:{conversation}", Effects(reply=written))
    assert await decisions.reply(reply) == ("first", ("first",))


async def test_what_belongs_to_a_reply_that_is_gone_leaves_nothing_behind(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    gone = partitions.new_id(conversation)
    card = await open_card(mailbox, partitions, conversation)
    run = run_write(partitions.new_id(conversation), conversation, reply=gone)
    effects = Effects(
        parts=(PartWrite(gone, 0, "p"),),
        slots=((gone, card.token),),
        runs=(run,),
        posts=(Post(row=gone, conversation=conversation, kind="reply", ref=gone),),
    )
    await handle(mailbox, f"talk:{conversation}", effects)
    await handle(mailbox, f"control:{conversation}", Effects(cancels=((run.id, 0),)))
    names = (f"reply:{gone}", f"rows:{card.token}", f"row:{gone}")
    assert await lives(scripts, tag, *names) == ["gone", "gone", "for a time"]


async def test_a_card_in_a_reply_whose_row_is_gone_can_be_decided_and_its_run_ends(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    reply = partitions.new_id(conversation)
    card = await open_card(mailbox, partitions, conversation)
    written = ReplyWrite(id=reply, head="head", parts=())
    slots = ((reply, card.token),)
    await handle(mailbox, f"talk:{conversation}", Effects(reply=written, slots=slots))
    await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))
    ended = Effects(runs=(run_write(card.run, conversation, ended="completed"),))
    assert await mailbox.commit(await claim_one(mailbox), ended, pop=True) is None
    assert await decisions.run(card.run) == ("{}", "completed")


async def test_a_run_that_is_not_known_cannot_be_cancelled(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    await mailbox.put(f"control:{conversation}", "cancel", update_id="c")
    claim = await claim_one(mailbox)
    with pytest.raises(StaleWrite):
        await mailbox.commit(
            claim, Effects(cancels=((partitions.new_id(conversation), 0),)), pop=True
        )

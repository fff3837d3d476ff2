"""What every store must hold: lanes, decisions, outbox (design §3; runs-and-reviews I1-I8)."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from redis.asyncio import Redis, RedisCluster

from adapters.redis import wire
from adapters.redis.connect import connect
from adapters.redis.keys import Partitions
from adapters.redis.keys import tag as key_tag
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox, RedisOutbox
from cards.model import Card, Choice, Decision, Review
from engine.errors import LeaseLost, Overloaded, StaleWrite
from engine.ports.platform import Pace
from engine.ports.store import (
    Bounds,
    CardWrite,
    Claim,
    Effects,
    PartWrite,
    Post,
    ReplyWrite,
    RunWrite,
    Taken,
    Timer,
    Touch,
)
from tests.fakes.redis_servers import cluster


@pytest.fixture(scope="module")
def cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Cluster of three masters for this module."""
    with cluster(tmp_path_factory.mktemp("cluster")) as url:
        yield url


@pytest.fixture
async def single(redis: Redis) -> Scripts:
    """A single server, where scripts fail that leave their partition."""
    return Scripts(redis, guard=True)


@pytest.fixture
async def clustered(cluster_url: str) -> AsyncIterator[Scripts]:
    """The Cluster, emptied."""
    client = await connect(cluster_url)
    await client.flushall(target_nodes=RedisCluster.PRIMARIES)
    yield Scripts(client)
    await client.aclose()


@pytest.fixture(params=["single", "clustered"])
def scripts(request: pytest.FixtureRequest) -> Scripts:
    """Every test runs on a single server and on a Cluster."""
    found: Scripts = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def partitions(scripts: Scripts) -> Partitions:
    """As many as a Cluster would have; fewer on a single server, for each sweep asks them all."""
    return Partitions(64 if isinstance(scripts.client, RedisCluster) else 8)


@pytest.fixture
def mailbox(scripts: Scripts, partitions: Partitions) -> RedisMailbox:
    return RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client)


@pytest.fixture
def decisions(scripts: Scripts, partitions: Partitions) -> RedisDecisions:
    return RedisDecisions(scripts, partitions)


@pytest.fixture
def outbox(scripts: Scripts, partitions: Partitions) -> RedisOutbox:
    return RedisOutbox(scripts, partitions, lease_s=30)


async def claim_one(mailbox: RedisMailbox) -> Claim:
    taken = await mailbox.take(1)
    assert len(taken.claims) == 1
    return taken.claims[0]


def card_for(run: str, token: str, conversation: str, **changes: object) -> Card:
    base = Card(
        kind="confirm",
        token=token,
        run=run,
        conversation=conversation,
        lang="en",
        title="Write it?",
        choices=(Choice(id="approve", label="Approve"), Choice(id="reject", label="Reject")),
        review=Review(roles=("reviewer",)),
        requester="lin",
    )
    return base.model_copy(update=changes)


def run_write(run: str, conversation: str, *, ended: str = "", reply: str = "") -> RunWrite:
    return RunWrite(id=run, conversation=conversation, reply=reply, body="{}", ended=ended)


async def open_card(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str, **changes: object
) -> Card:
    """A run with one open card, through a commit of its lane."""
    run = partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation, **changes)
    await mailbox.put(f"run:{run}", "start", update_id=f"start-{run}")
    claim = await claim_one(mailbox)
    effects = Effects(runs=(run_write(run, conversation),), cards=(CardWrite(card),))
    await mailbox.commit(claim, effects, pop=True)
    return card


def decided(card: Card, by: str = "chen", choice: str = "approve") -> Card:
    decision = Decision(choice=choice, person=by, name=by, at=datetime(2026, 11, 21, tzinfo=UTC))
    update = {"status": "decided", "version": card.version + 1, "decision": decision}
    return card.model_copy(update=update)


def deciding(card: Card, by: str = "chen", choice: str = "approve") -> Effects:
    after = CardWrite(decided(card, by, choice), expect=card.version)
    return Effects(cards=(after,), mails=((f"run:{card.run}", f"{by} {choice}"),))


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


EMPTY = (
    '{"parts":[],"runs":[],"cards":[],"mails":[],"timers":[],"slots":[],"posts":[],'
    '"touches":[],"log":[],"cancels":[],"aside":[]}'
)


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


async def test_a_cancel_of_a_run_that_went_on_meanwhile_is_stale(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await mailbox.put(f"control:{conversation}", "cancel", update_id="c")
    claim = await claim_one(mailbox)
    with pytest.raises(StaleWrite):
        await mailbox.commit(claim, Effects(cancels=((card.run, 7),)), pop=True)


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


async def test_one_of_many_simultaneous_decisions_wins(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)

    async def tap(n: int) -> str:
        try:
            return await decisions.decide(
                card.token, update_id=f"tap-{n}", answer=f"{n} won", effects=deciding(card, f"p{n}")
            )
        except StaleWrite:
            return "lost"

    answers = await asyncio.gather(*(tap(n) for n in range(20)))
    assert sorted(answers)[1:] == ["lost"] * 19
    found = await decisions.card(card.token)
    assert found is not None
    assert found.card.decision is not None
    assert f"{found.card.decision.person.removeprefix('p')} won" in answers
    claim = await claim_one(mailbox)
    assert await mailbox.commit(claim, Effects(), pop=True) is None


async def test_a_repeated_tap_gets_its_first_answer(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    first = await decisions.decide(
        card.token, update_id="tap", answer="approved", effects=deciding(card)
    )
    again = await decisions.decide(card.token, update_id="tap", answer="refused", effects=Effects())
    assert first == again == "approved"


async def test_a_decision_after_the_deadline_is_refused_by_the_servers_clock(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
) -> None:
    deadline = datetime.now(UTC) + timedelta(hours=1)
    card = await open_card(mailbox, partitions, conversation, deadline=deadline)
    scripts.offset_ms = 3_700_000
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="t", answer="won", effects=deciding(card))


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


async def test_a_text_answer_loses_to_a_tap_that_came_first(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await mailbox.put(f"talk:{conversation}", "said", update_id="s")
    claim = await claim_one(mailbox)
    await decisions.decide(card.token, update_id="t", answer="won", effects=deciding(card))
    with pytest.raises(StaleWrite):
        await mailbox.commit(claim, deciding(card, by="lin", choice="reject"), pop=True)
    found = await decisions.card(card.token)
    assert found is not None
    assert found.card.decision is not None
    assert found.card.decision.person == "chen"


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


_updates = itertools.count(1)


async def handle(mailbox: RedisMailbox, lane: str, effects: Effects) -> None:
    """Commit these effects under a mail of their own; nothing else may be due."""
    await mailbox.put(lane, "mail", update_id=f"update-{next(_updates)}")
    assert await mailbox.commit(await claim_one(mailbox), effects, pop=True) is None


def note(row: str, conversation: str, *, due_s: float = 0.0, ref: str = "") -> Post:
    return Post(row, conversation, "note", ref or row, due_s=due_s, body="{}")


def shown_card(card: Card) -> Post:
    return Post(f"row-{card.token}", card.conversation, "card", card.token)


@pytest.fixture
def tag(partitions: Partitions, conversation: str) -> str:
    """The beginning of every key of the conversation."""
    return key_tag(partitions.of_conversation(conversation))


async def lives(scripts: Scripts, tag: str, *names: str) -> list[str]:
    """How long each key of the partition is kept."""
    ttls = [await scripts.client.ttl(tag + name) for name in names]
    return [{-2: "gone", -1: "for ever"}.get(ttl, "for a time") for ttl in ttls]


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


async def test_open_cards_and_active_runs_are_listed_oldest_first_whatever_changed_last(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
    tag: str,
) -> None:
    first = await open_card(mailbox, partitions, conversation)
    scripts.offset_ms = 1_000
    second = await open_card(mailbox, partitions, conversation)
    scripts.offset_ms = 2_000
    again = CardWrite(first.model_copy(update={"version": 2}), expect=1)
    runs = (run_write(first.run, conversation),)
    await handle(mailbox, f"run:{first.run}", Effects(runs=runs, cards=(again,)))
    tokens = [card.token for card in await decisions.open_cards(conversation)]
    assert tokens == [first.token, second.token]
    runs_now = [run for run, _ in await decisions.active_runs(conversation)]
    assert runs_now == [first.run, second.run]
    await decisions.decide(second.token, update_id="t", answer="won", effects=deciding(second))
    assert await scripts.client.zrange(f"{tag}c:{conversation}:cards", 0, -1) == [first.token]


async def test_a_card_is_opened_once(
    mailbox: RedisMailbox, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await mailbox.put(f"talk:{conversation}", "mail", update_id="u")
    with pytest.raises(StaleWrite):
        await mailbox.commit(await claim_one(mailbox), Effects(cards=(CardWrite(card),)), pop=True)


async def test_a_decision_on_a_card_that_changed_meanwhile_is_stale(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    changed = card.model_copy(update={"version": 2})
    await handle(
        mailbox, f"talk:{conversation}", Effects(cards=(CardWrite(changed, expect=card.version),))
    )
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))
    effects = deciding(changed)
    assert await decisions.decide(card.token, update_id="2", answer="won", effects=effects) == "won"


async def test_a_decision_is_final_also_for_who_has_seen_it(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = await open_card(mailbox, partitions, conversation)
    await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))
    over_it = deciding(decided(card), by="lin", choice="reject")
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="2", answer="won too", effects=over_it)


async def test_a_deadline_refuses_decisions_from_its_millisecond_on_and_not_the_expiry(
    scripts: Scripts,
    mailbox: RedisMailbox,
    decisions: RedisDecisions,
    partitions: Partitions,
    conversation: str,
) -> None:
    deadline = datetime.now(UTC) + timedelta(hours=1)
    early = await open_card(mailbox, partitions, conversation, deadline=deadline)
    await decisions.decide(early.token, update_id="1", answer="won", effects=deciding(early))
    await mailbox.commit(await claim_one(mailbox), Effects(), pop=True)
    late = await open_card(mailbox, partitions, conversation, deadline=deadline)
    scripts.offset_ms = 3_700_000
    expired = late.model_copy(update={"status": "expired", "version": 2})
    await handle(mailbox, f"run:{late.run}", Effects(cards=(CardWrite(expired, expect=1),)))
    assert await decisions.open_cards(conversation) == []


async def test_a_decision_in_the_millisecond_of_the_deadline_is_late(
    scripts: Scripts, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    card = card_for(partitions.new_id(conversation), partitions.new_id(conversation), conversation)
    opening = json.loads(wire.effects(Effects(cards=(CardWrite(card),))))
    # So far away that a double cannot tell it from a few years later: the clock stands still.
    scripts.offset_ms = opening["cards"][0]["deadline"] = 10**30
    partition = partitions.of_conversation(conversation)
    await scripts.run("decide", partition, "open", 60_000, "opened", json.dumps(opening))
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))


async def test_a_card_of_an_ended_run_cannot_be_decided(
    mailbox: RedisMailbox, decisions: RedisDecisions, partitions: Partitions, conversation: str
) -> None:
    run = partitions.new_id(conversation)
    card = card_for(run, partitions.new_id(conversation), conversation)
    ended = run_write(run, conversation, ended="completed")
    await handle(mailbox, f"run:{run}", Effects(runs=(ended,)))
    await handle(mailbox, f"talk:{conversation}", Effects(cards=(CardWrite(card),)))
    with pytest.raises(StaleWrite):
        await decisions.decide(card.token, update_id="1", answer="won", effects=deciding(card))


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
    effects = Effects(parts=(PartWrite(gone, 0, "p"),), slots=((gone, card.token),), runs=(run,))
    await handle(mailbox, f"talk:{conversation}", effects)
    await handle(mailbox, f"control:{conversation}", Effects(cancels=((run.id, 0),)))
    names = (f"reply:{gone}", f"rows:{card.token}")
    assert await lives(scripts, tag, *names) == ["gone", "gone"]


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

"""A Cluster with replicas: what is acknowledged survives a fail-over, and slots may move."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest
from redis.asyncio import RedisCluster

from adapters.redis.connect import connect, open_acks, probe_writes
from adapters.redis.keys import BELL, Partitions, tag
from adapters.redis.records import RedisRecords
from adapters.redis.replicas.acks import ReplicaAcks, beside
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox, RedisOutbox
from bot.settings import Settings
from engine.errors import StoreUnavailable
from engine.ports.storage.store import Effects, Post
from tests.docs.reading import ROOT
from tests.fakes.mail import CONVERSATION, handled, put, was_acknowledged
from tests.fakes.redis_cluster import ReplicatedCluster
from tests.fakes.redis_servers import quick_folder, until
from tests.fakes.settings import make_settings
from tests.fakes.study import visits_in
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import running
from tests.scenarios.test_web_walk import to_review, today

PARTITIONS = Partitions(64)
KEY = tag(PARTITIONS.of_conversation(CONVERSATION)) + "q"


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReplicatedCluster]:
    """Three primaries, each with a replica, whole again after each test."""
    with (
        quick_folder(lambda: tmp_path_factory.mktemp("nodes")) as folder,
        ReplicatedCluster.open(folder) as made,
    ):
        yield made


@pytest.fixture
async def client(nodes: ReplicatedCluster) -> AsyncIterator[RedisCluster]:
    """A client on the emptied Cluster."""
    found = await connect(nodes.url)
    assert isinstance(found, RedisCluster)
    await found.flushall(target_nodes=RedisCluster.PRIMARIES)
    yield found
    await found.aclose()


def mailbox_of(client: RedisCluster, acks: ReplicaAcks | None) -> RedisMailbox:
    return RedisMailbox(Scripts(client, acks=acks), PARTITIONS, lease_s=30, bell=client)


async def test_a_fail_over_loses_what_was_acknowledged_only_without_acks(
    nodes: ReplicatedCluster, client: RedisCluster
) -> None:
    careless, careful = mailbox_of(client, None), mailbox_of(client, ReplicaAcks(1))
    assert await put(careful, "on both")
    primary, replica = nodes.holder(KEY)
    nodes.halt(replica)
    assert await put(careless, "acknowledged and lost")
    with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
        await put(careful, "refused")
    nodes.kill(primary)
    nodes.drop_unread(replica)
    nodes.promote(replica)
    nodes.restore(primary)
    # Who was refused sends it again, and that counts.
    assert await put(careful, "refused")
    assert await handled(careful, 2) == {"on both", "refused"}


async def test_a_duplicate_waits_for_replicas_too(
    nodes: ReplicatedCluster, client: RedisCluster
) -> None:
    mailbox, (_, replica) = mailbox_of(client, ReplicaAcks(1)), nodes.holder(KEY)
    other = await connect(nodes.url)
    assert isinstance(other, RedisCluster)
    nodes.halt(replica)
    try:
        # The first has put it; the second finds it there, by a connection that wrote nothing.
        for each in (client, other):
            with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
                await put(mailbox_of(each, ReplicaAcks(1)), "once")
    finally:
        nodes.go_on(replica)
        await other.aclose()
    assert not await put(mailbox, "once")
    assert await handled(mailbox, 1) == {"once"}


async def test_work_whose_end_no_replica_would_have_is_not_begun_and_other_nodes_go_on(
    nodes: ReplicatedCluster, client: RedisCluster
) -> None:
    acks = ReplicaAcks(1)
    mailbox, (primary, replica) = mailbox_of(client, acks), nodes.holder(KEY)
    rooms = (f"web:local:room-{n}" for n in range(1000))
    other = next(
        room for room in rooms if nodes.holder(tag(PARTITIONS.of_conversation(room)))[0] != primary
    )
    assert await put(mailbox, "held")
    assert await put(mailbox, "elsewhere", f"talk:{other}")
    nodes.halt(replica)
    try:
        with pytest.raises(StoreUnavailable):
            await put(mailbox, "refused")
        with pytest.raises(StoreUnavailable):
            await probe_writes(client, PARTITIONS.count, acks)
        taken = await mailbox.take(16)
        assert [claim.mail for claim in taken.claims] == ["elsewhere"]
    finally:
        nodes.go_on(replica)


async def test_a_row_is_shown_only_once_replicas_have_it(
    nodes: ReplicatedCluster, client: RedisCluster
) -> None:
    acks = ReplicaAcks(1)
    mailbox, (_, replica) = mailbox_of(client, acks), nodes.holder(KEY)
    outbox = RedisOutbox(Scripts(client, acks=acks), PARTITIONS, lease_s=30)
    assert await put(mailbox, "ask")
    (claim,) = (await mailbox.take(1)).claims
    nodes.halt(replica)
    try:
        note = Post(row="note", conversation=CONVERSATION, kind="note", ref="note", body="said")
        with pytest.raises(StoreUnavailable):
            await mailbox.commit(claim, Effects(posts=(note,)), pop=True)
        # Another process, which was never refused anything.
        with pytest.raises(StoreUnavailable):
            await RedisOutbox(
                Scripts(client, acks=ReplicaAcks(1)), PARTITIONS, lease_s=0.001
            ).take_rows(1)
    finally:
        nodes.go_on(replica)
    assert await rows_of(outbox) == ["note"]


async def rows_of(outbox: RedisOutbox) -> list[str]:
    """What is to be shown, once its store is back and its last lease is over."""
    while True:
        try:
            rows, _ = await outbox.take_rows(1)
        except StoreUnavailable:
            continue
        if rows:
            return [row.row for row in rows]


@pytest.mark.parametrize("acks", [0, 1])
@pytest.mark.parametrize("way", ["at once", "key by key"])
async def test_slots_move_while_mail_comes_and_is_handled(
    nodes: ReplicatedCluster, client: RedisCluster, acks: int, way: str
) -> None:
    mailbox = mailbox_of(client, ReplicaAcks(acks) if acks else None)
    source, _ = nodes.holder(KEY)
    mail = {f"mail {n:02}" for n in range(60)}
    begun, refused, moved = (threading.Event() for _ in range(3))

    async def send() -> None:
        for one in sorted(mail):
            if one == "mail 20":
                await asyncio.to_thread(begun.wait)
            if one == "mail 40":
                await asyncio.to_thread(moved.wait)
            while not await was_acknowledged(mailbox, one):
                refused.set()

    def move() -> None:
        if way == "at once":
            begun.set()
            nodes.move(KEY)
        else:
            with nodes.moving(KEY) as move_key:
                for name in sorted(nodes.keys_of(KEY))[::2]:
                    move_key(name)
                begun.set()
                refused.wait()
        moved.set()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(send())
        tasks.create_task(asyncio.to_thread(move))
        done = tasks.create_task(handled(mailbox, len(mail)))
    assert done.result() == mail
    assert nodes.holder(KEY)[0] != source


async def test_commands_follow_a_slot_that_moves_key_by_key(
    nodes: ReplicatedCluster, client: RedisCluster
) -> None:
    acks, here, there = ReplicaAcks(1), beside(KEY) + ":1", beside(KEY) + ":2"
    for key in (here, there):
        await client.set(key, "1")
    with nodes.moving(KEY) as move:
        move(there)
        # The one has moved, the other is where it was, and of both nobody can tell.
        assert await acks.execute(client, there, ("INCR", there)) == 2
        both = asyncio.create_task(acks.execute(client, here, ("EXISTS", here, there)))
        await asyncio.sleep(0)
        move(here)
        assert await both == 2
    # A client that has not heard of it yet.
    assert await acks.execute(client, here, ("INCR", here)) == 2


async def test_each_key_is_found_while_a_slot_moves_also_on_a_node_that_had_none(
    nodes: ReplicatedCluster, client: RedisCluster
) -> None:
    here, there, new = (f"{beside(KEY)}:{name}" for name in ("here", "there", "new"))

    async def read() -> list[str | None]:
        # At once, so that there are several connections to each node.
        return list(await asyncio.gather(*(client.get(key) for key in (here, there, new) * 5)))

    for key in (here, there):
        await client.set(key, key)
    with nodes.joined() as added:
        with nodes.moving(KEY, to=added) as move:
            move(there)
            assert await read() == [here, there, None] * 5
            await asyncio.gather(*(client.set(new, new) for _ in range(5)))
            async with client.pipeline(transaction=False) as pipe:
                for key in (here, there, new):
                    pipe.get(key)
                assert await pipe.execute() == [here, there, new]
        assert await read() == [here, there, new] * 5
        nodes.move(KEY)
    assert await read() == [here, there, new] * 5


async def test_other_partitions_of_a_node_go_on_while_a_slot_of_it_moves(
    nodes: ReplicatedCluster, client: RedisCluster
) -> None:
    source, _ = nodes.holder(KEY)
    # A sweep comes to it after what moves.
    number = PARTITIONS.of_conversation(CONVERSATION)
    rooms = (f"web:local:room-{n}" for n in range(1000))
    other = next(
        room
        for room, at in ((room, PARTITIONS.of_conversation(room)) for room in rooms)
        if at > number and nodes.holder(tag(at))[0] == source
    )
    for acks in (None, ReplicaAcks(1)):
        mailbox = mailbox_of(client, acks)
        with nodes.moving(KEY):
            assert await put(mailbox, f"with {acks}", f"talk:{other}")
            taken = await mailbox.take(16)
            assert [claim.mail for claim in taken.claims] == [f"with {acks}"]
            await mailbox.commit(taken.claims[0], Effects(), pop=True)
        nodes.move(KEY)


async def test_nobody_is_told_that_all_was_read_of_a_store_whose_slots_moved(
    nodes: ReplicatedCluster, client: RedisCluster
) -> None:
    async def read() -> list[str]:
        return [record.text async for record in RedisRecords(client).all()]

    for number in range(PARTITIONS.count):
        await client.set(f"{tag(number)}e:update", f"answer {number}")
    assert len(await read()) == PARTITIONS.count
    with nodes.moving(KEY), pytest.raises(StoreUnavailable, match="slots move"):
        await read()
    records = RedisRecords(client).all()
    assert await anext(records)
    nodes.move(KEY)
    with pytest.raises(StoreUnavailable, match="slots have moved"):
        [record async for record in records]
    assert len(await read()) == PARTITIONS.count


async def test_connections_stay_while_slots_move(
    nodes: ReplicatedCluster, client: RedisCluster
) -> None:
    async def connections() -> list[tuple[str, int]]:
        ids = await client.execute_command("CLIENT ID", target_nodes=RedisCluster.PRIMARIES)
        return sorted(ids.items())

    before = await connections()
    for n in range(6):
        nodes.move(KEY)
        await client.set(KEY + "moved", n)
    assert await connections() == before


async def test_what_is_set_and_what_there_is_are_compared(client: RedisCluster) -> None:
    acks, warnings = await open_acks(client, 1)
    assert acks is not None
    assert acks.on_disk
    assert not warnings
    assert "until it has more" in (await open_acks(client, 2))[1][0]
    assert await open_acks(client, 0) == (None, [])


def settings_on(nodes: ReplicatedCluster, folder: Path) -> Settings:
    """What a store that was away held in the middle of something comes due soon."""
    return make_settings(
        redis_url=nodes.url,
        store_acks=1,
        partitions=PARTITIONS.count,
        lease_s=3,
        data_dir=folder / "data",
        playbooks=ROOT / "playbooks",
        people=ROOT / "playbooks" / "people.yaml",
    )


async def test_the_service_goes_on_after_a_fail_over_and_says_what_it_could_not_record(
    nodes: ReplicatedCluster, client: RedisCluster, tmp_path: Path
) -> None:
    settings = settings_on(nodes, tmp_path)
    async with running(settings) as service, WebRoom(service.url) as room:
        card = await to_review(room)
        primary, replica = nodes.holder(tag(PARTITIONS.of_id(card["token"]) or 0))
        nodes.halt(replica)
        status, answer = await room.tap("chen", card, "approve")
        assert (status, "Not recorded" in answer["text"]) == (503, True)
        async with aiohttp.ClientSession() as http, http.get(f"{service.url}/readyz") as ready:
            told = await ready.json()
            assert (ready.status, told["ready"], told["redis"]) == (503, False, "read only")
        nodes.go_on(replica)
        await asyncio.to_thread(until, lambda: nodes.follows(replica))
        nodes.kill(primary)
        nodes.promote(replica)
        await asyncio.to_thread(nodes.restore, primary)
        status, answer = await room.tap("chen", card, "approve")
        assert (status, answer["ok"]) == (200, True), answer
        assert await room.card("phase_done")


async def test_a_conversation_whose_slot_moves_key_by_key_is_told_so_and_then_goes_on(
    nodes: ReplicatedCluster, client: RedisCluster, tmp_path: Path
) -> None:
    settings = settings_on(nodes, tmp_path)
    question = {"text": "P002 的 ECOG 是多少?", "id": "web-test-moves"}
    async with (
        running(settings) as service,
        WebRoom(service.url) as room,
        WebRoom(service.url, "other") as other,
    ):
        card = await to_review(room)

        async def is_refused() -> None:
            status, answer = await room.tap("chen", card, "approve")
            assert (status, "Not recorded" in answer["text"]) == (503, True), answer
            assert (await room.post("messages", "lin", **question))[0] == 503

        key = tag(PARTITIONS.of_id(card["token"]) or 0) + "q"
        with nodes.moving(BELL), nodes.moving(key) as move:
            await is_refused()
            names = sorted(nodes.keys_of(key))
            for name in names[::2]:
                move(name)
            await is_refused()
            # Nobody else waits for that.
            await other.say("lin", question["text"])
            assert (await other.wait_for(is_answer))["parts"]
            for name in names[1::2]:
                move(name)
            await is_refused()
        status, answer = await room.tap("chen", card, "approve")
        assert (status, answer["ok"]) == (200, True), answer
        await room.say("lin", question["text"], message_id=question["id"])
        await room.card("phase_done")
        await room.say("lin", "P001 的 ECOG 是多少?")
        await room.wait_for(lambda m: is_answer(m) and "P001" in text_of(m))
        assert sum(is_answer(m) and "P002" in text_of(m) for m in room.shown.values()) == 1
        dates = [v.visit_date.isoformat() for v in visits_in(settings.data_dir, "P003")]
        assert dates.count(today()) == 1


def is_answer(message: Message) -> bool:
    """Whether it answers a question, with nothing beside it."""
    return message["card"] is None and "ECOG" in text_of(message)

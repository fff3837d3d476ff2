"""A Cluster with replicas: what is acknowledged survives a fail-over, and slots may move."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest
from redis.asyncio import RedisCluster

from adapters.redis.connect import connect, open_acks, probe_writes
from adapters.redis.keys import Partitions, tag
from adapters.redis.replicas.acks import ReplicaAcks, beside
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox, RedisOutbox
from engine.errors import StoreUnavailable
from engine.ports.storage.store import Claim, Effects, Post
from tests.docs.reading import ROOT
from tests.fakes.redis_cluster import ReplicatedCluster
from tests.fakes.redis_servers import SAFE, quick_folder, server, until
from tests.fakes.settings import make_settings
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import running
from tests.scenarios.test_web_walk import to_review

PARTITIONS = Partitions(64)
CONVERSATION = "web:local:moves"
LANE = f"talk:{CONVERSATION}"
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


async def handled(mailbox: RedisMailbox, wanted: int) -> set[str]:
    """The mail of all lanes, each committed; as often asked as a Cluster that changes needs."""
    found: set[str] = set()
    while len(found) < wanted:
        try:
            claims = (await mailbox.take(16)).claims
        except StoreUnavailable:
            continue
        for claim in claims:
            following: Claim | None = claim
            while following is not None:
                assert following.mail not in found
                found.add(following.mail)
                following = await again(mailbox, following)
    return found


async def again(mailbox: RedisMailbox, claim: Claim) -> Claim | None:
    """Commit, as a worker would whose store was away for a moment: under the same lease."""
    while True:
        try:
            return await mailbox.commit(claim, Effects(), pop=True)
        except StoreUnavailable:
            await mailbox.renew(claim)


async def put(mailbox: RedisMailbox, mail: str, lane: str = LANE) -> bool:
    return await mailbox.put(lane, mail, update_id=mail)


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
async def test_slots_move_while_mail_comes_and_is_handled(
    nodes: ReplicatedCluster, client: RedisCluster, acks: int
) -> None:
    mailbox = mailbox_of(client, ReplicaAcks(acks) if acks else None)
    source, _ = nodes.holder(KEY)
    mail = {f"mail {n:02}" for n in range(60)}
    moved = asyncio.Event()

    async def send() -> None:
        for one in sorted(mail):
            if one == "mail 40":
                await moved.wait()
            await put_until_acknowledged(mailbox, one)

    async def move() -> None:
        await asyncio.to_thread(nodes.move, KEY)
        moved.set()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(send())
        tasks.create_task(move())
        done = tasks.create_task(handled(mailbox, len(mail)))
    assert done.result() == mail
    assert nodes.holder(KEY)[0] != source


async def put_until_acknowledged(mailbox: RedisMailbox, mail: str) -> None:
    """As a platform does: again after each 503."""
    while True:
        try:
            await put(mailbox, mail)
            return
        except StoreUnavailable:
            continue


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


async def test_what_is_set_and_what_there_is_are_compared(client: RedisCluster) -> None:
    acks, warnings = await open_acks(client, 1)
    assert acks is not None
    assert acks.on_disk
    assert not warnings
    assert "until it has more" in (await open_acks(client, 2))[1][0]
    assert await open_acks(client, 0) == (None, [])


async def test_a_single_server_waits_for_its_replica_too(tmp_path: Path) -> None:
    follow = {**SAFE, "repl-diskless-sync-delay": "0"}
    with server(tmp_path / "1", **follow) as port:
        store = await connect(f"redis://127.0.0.1:{port}/0")
        acks, warnings = await open_acks(store, 1)
        assert "until it has more" in warnings[0]
        mailbox = RedisMailbox(Scripts(store, acks=acks), PARTITIONS, lease_s=30, bell=store)
        with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
            await put(mailbox, "mail")
        with pytest.raises(StoreUnavailable, match="0 of 1 replicas"):
            await mailbox.take(1)
        with server(tmp_path / "2", replicaof=f"127.0.0.1 {port}", **follow):
            await put_until_acknowledged(mailbox, "mail")
            assert await handled(mailbox, 1) == {"mail"}
            await asyncio.gather(*(put(mailbox, f"more {n}") for n in range(20)))
            assert len(await handled(mailbox, 20)) == 20
        await store.aclose()


async def test_the_service_goes_on_after_a_fail_over_and_says_what_it_could_not_record(
    nodes: ReplicatedCluster, client: RedisCluster, tmp_path: Path
) -> None:
    settings = make_settings(
        redis_url=nodes.url,
        store_acks=1,
        partitions=64,
        data_dir=tmp_path / "data",
        playbooks=ROOT / "playbooks",
        people=ROOT / "playbooks" / "people.yaml",
    )
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

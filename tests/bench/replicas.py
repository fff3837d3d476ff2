"""What it costs to acknowledge only what replicas have, on a server and on a Cluster of three.

The servers write to memory where there is enough: what a disk takes comes on top.
"""

import asyncio
import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from adapters.redis.client import Client
from adapters.redis.connect import connect
from adapters.redis.keys import Partitions
from adapters.redis.replicas.acks import ReplicaAcks
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from engine.ports.storage.store import Effects
from tests.bench.figures import Figures, medians, ms, table
from tests.bench.plan import Plan, Result
from tests.fakes.redis_cluster import ReplicatedCluster
from tests.fakes.redis_servers import SAFE, quick_folder, server, until_follows

PARTITIONS = Partitions(64)
ALONE = 200
_WAYS: Mapping[str, ReplicaAcks | None] = {
    "without": None,
    "in a replica's memory": ReplicaAcks(1),
    "on its disk": ReplicaAcks(1, on_disk=True),
}
_numbers = itertools.count()


async def replicas(plan: Plan, folder: Path) -> Result:
    """The same mail, put and handled, in turns: each way once in every round."""
    rows: dict[str, Figures] = {}
    with (
        # Six servers on one disk would measure how they wait for each other.
        quick_folder(lambda: folder) as place,
        _pair(place / "pair") as single,
        ReplicatedCluster.open(place / "nodes") as nodes,
    ):
        for name, url in (("server", single), ("Cluster", nodes.url)):
            client = await connect(url)
            seen: dict[str, list[Figures]] = {way: [] for way in _WAYS}
            for _ in range(plan.rounds):
                for way, acks in _WAYS.items():
                    seen[way].append(await _round(client, acks, plan))
            rows |= {f"{name}, {way}": medians(figures) for way, figures in seen.items()}
            await client.aclose()
            plan.say(f"replicas: {name}")
    title = "mail that is acknowledged once a replica has it: put; put, leased and committed"
    return Result("replicas", rows, table(title, rows, first="store, acknowledged"))


@contextmanager
def _pair(folder: Path) -> Iterator[str]:
    """The address of a server that has a replica."""
    safe = {**SAFE, "repl-diskless-sync-delay": "0"}
    with (
        server(folder / "1", **safe) as port,
        server(folder / "2", replicaof=f"127.0.0.1 {port}", **safe) as replica,
    ):
        until_follows(replica)
        yield f"redis://127.0.0.1:{port}/0"


async def _round(client: Client, acks: ReplicaAcks | None, plan: Plan) -> Figures:
    mailbox = RedisMailbox(Scripts(client, acks=acks), PARTITIONS, lease_s=30, bell=client)
    alone: list[float] = []
    for _ in range(ALONE):
        begun = perf_counter()
        await _put(mailbox)
        alone.append(perf_counter() - begun)
    begun, room = perf_counter(), asyncio.Semaphore(plan.at_once)

    async def one() -> None:
        async with room:
            await _put(mailbox)

    await asyncio.gather(*(one() for _ in range(plan.messages)))
    put_s = perf_counter() - begun
    begun, done = perf_counter(), 0
    while done < ALONE + plan.messages:
        claims = (await mailbox.take(plan.at_once)).claims
        await asyncio.gather(*(mailbox.commit(c, Effects(), pop=True) for c in claims))
        done += len(claims)
    return {
        "put alone p50 ms": ms(alone, 0.5),
        "p99 ms": ms(alone, 0.99),
        f"put / s, {plan.at_once} at once": plan.messages / put_s,
        "handled / s": done / (perf_counter() - begun),
    }


async def _put(mailbox: RedisMailbox) -> None:
    number = next(_numbers)
    await mailbox.put(f"talk:bench:{number}", "x" * 500, update_id=f"replicas-{number}")

"""A Cluster of three primaries, each with a replica, in place of the one Redis."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from bot.waits import pause
from tests.chaos.processes import START_S, Server
from tests.fakes.platforms.patience import within
from tests.fakes.redis_cluster import SAME
from tests.fakes.redis_servers import SLOTS

PRIMARIES = 3
# How long a node is silent before the others promote its replica.
NODE_TIMEOUT_MS = 5000
# A node's port for other nodes is its own and so many more.
BUS = 10_000


@dataclass
class Nodes:
    """Six servers, which tell clients and each other of ports that are not their own."""

    folder: Path
    servers: list[Server] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.servers = [Server(self.folder / str(n)) for n in range(2 * PRIMARIES)]

    @property
    def port(self) -> int:
        """A node's."""
        return self.servers[0].port

    @property
    def pid(self) -> int:
        """A node's process."""
        return self.servers[0].pid

    def show(self, ports: Sequence[int]) -> None:
        """By which port each server is reached; before the start."""
        for server, port in zip(self.servers, ports, strict=True):
            server.settings = {
                "cluster-enabled": "yes",
                "cluster-node-timeout": str(NODE_TIMEOUT_MS),
                "cluster-require-full-coverage": "no",
                "cluster-allow-replica-migration": "no",
                "cluster-announce-port": str(port),
                "cluster-announce-bus-port": str(server.port + BUS),
                "repl-diskless-sync-delay": "0",
            }

    async def start(self) -> None:
        """Start all, and make them a Cluster."""
        for server in self.servers:
            await server.start()
        share = SLOTS // PRIMARIES
        for n, server in enumerate(self.servers):
            if n < PRIMARIES:
                last = SLOTS - 1 if n == PRIMARIES - 1 else (n + 1) * share - 1
                await _ask(server, "CLUSTER", "ADDSLOTSRANGE", n * share, last)
            first = self.servers[0]
            place = (first.settings["cluster-announce-port"], first.port + BUS)
            await _ask(server, "CLUSTER", "MEET", "127.0.0.1", *place)
        names = [await _ask(server, "CLUSTER MYID") for server in self.servers[:PRIMARIES]]
        async with within(START_S, "the nodes know each other"):
            for n, server in enumerate(self.servers[PRIMARIES:]):
                while await _tried(server, "CLUSTER", "REPLICATE", names[n]) is None:
                    await _moment()
        await self.whole()

    async def primaries(self) -> list[Server]:
        """The three that have the data now."""
        told = [await _tried(server, "INFO", "replication") for server in self.servers]
        return [s for s, t in zip(self.servers, told, strict=True) if t and t["role"] == "master"]

    async def whole(self) -> None:
        """Return when three primaries have a replica each that has what they have."""
        async with within(START_S, "each primary has its replica"):
            while not await self._is_whole():
                await _moment()

    async def _is_whole(self) -> bool:
        told = [await _tried(server, "INFO", "replication") for server in self.servers]
        state = await _tried(self.servers[0], "CLUSTER INFO")
        if not all(told) or not state or state["cluster_state"] != "ok":
            return False
        first = [t for t in told if t["role"] == "master"]
        others = [t for t in told if t["role"] == "slave"]
        replicas = [t.get("slave0", {}).get("state") for t in first]
        followed = all(t["master_link_status"] == "up" for t in others)
        return replicas == ["online"] * PRIMARIES and followed

    async def taken_over(self, dead: Server) -> None:
        """Return when a replica has the place of a primary that was killed."""
        async with within(START_S, "a replica is promoted"):
            while len(await self.primaries()) < PRIMARIES or dead in await self.primaries():
                await _moment()

    async def move(self, key: str, rests_s: float) -> None:
        """Move a key's slot to another primary, key by key as redis-cli does; it rests half-way."""
        slot, ids = key_slot(key.encode()), await self._ids()
        shards = await _ask(self.servers[0], "CLUSTER SLOTS")
        here = next(shard[2][2] for shard in shards if shard[0] <= slot <= shard[1])
        there = next(name for name in ids if name != here)
        await _ask(ids[there], "CLUSTER SETSLOT", slot, "IMPORTING", here)
        await _ask(ids[here], "CLUSTER SETSLOT", slot, "MIGRATING", there)
        names = await _ask(ids[here], "CLUSTER GETKEYSINSLOT", slot, 100_000)
        await _move_keys(ids[here], ids[there], names[::2])
        await pause(asyncio.Event(), rests_s)
        while names := await _ask(ids[here], "CLUSTER GETKEYSINSLOT", slot, 100_000):
            await _move_keys(ids[here], ids[there], names)
        for name in (there, here):
            await _ask(ids[name], "CLUSTER SETSLOT", slot, "NODE", there)

    async def _ids(self) -> dict[str, Server]:
        """The primaries by the names that they have among each other."""
        return {await _ask(each, "CLUSTER MYID"): each for each in await self.primaries()}

    async def kill(self) -> None:
        """kill -9 of all."""
        for server in self.servers:
            await server.kill()

    async def victim(self, rng: random.Random) -> Server:
        """A primary whose replica has all that it has: two deaths at once are no one's promise."""
        await self.whole()
        return rng.choice(await self.primaries())


async def _ask(server: Server, *words: Any) -> Any:
    async with Redis(port=server.port, decode_responses=True) as client:
        return await client.execute_command(*words)


async def _move_keys(here: Server, there: Server, names: Sequence[str]) -> None:
    async with Redis(port=here.port, decode_responses=True) as client:
        for name in names:
            # What differs on the two nodes would be lost on one: that is refused.
            replace = ["REPLACE"] if name.endswith(SAME) else []
            await client.execute_command(
                "MIGRATE", "127.0.0.1", there.port, name, 0, 5000, *replace
            )


async def _tried(server: Server, *words: Any) -> Any:
    """Its answer, or None."""
    with suppress(RedisError, OSError):
        return await _ask(server, *words)
    return None


async def _moment() -> None:
    await pause(asyncio.Event(), 0.05)

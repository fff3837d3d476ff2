"""A Cluster of three primaries with replicas: nodes stand still, die, are promoted, come back."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from redis import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from tests.fakes.ports import free_port
from tests.fakes.redis_servers import SAFE, SLOTS, start_server, until

PRIMARIES = 3
# Keys whose values say nothing, so that it does not matter which of two is kept.
SAME = (":acks", ":probe")


@dataclass
class ReplicatedCluster:
    """Its nodes by port; each change is awaited. What it started it ends, by process id."""

    folder: Path
    settings: dict[str, str]
    replicas: int
    processes: dict[int, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def open(cls, folder: Path, *, replicas: int = 1, **settings: str) -> Iterator[Self]:
        """A new one, which ends with the block; `settings` are those of its servers."""
        safe = {
            **SAFE,
            "cluster-enabled": "yes",
            "cluster-require-full-coverage": "no",
            "repl-diskless-sync-delay": "0",
            # Of a busy machine nobody shall think that a node is dead.
            "cluster-node-timeout": "15000",
            **settings,
        }
        made = cls(folder, safe, replicas)
        try:
            made._begin()
            yield made
        finally:
            for port in list(made.processes):
                made.kill(port)

    @property
    def url(self) -> str:
        """The address of a node that lives."""
        return f"redis://127.0.0.1:{next(iter(self.processes))}"

    def start(self, port: int) -> None:
        """Start a node on what its folder has."""
        self.processes[port] = start_server(self.folder / str(port), port, **self.settings)

    def kill(self, port: int) -> None:
        """kill -9."""
        process = self.processes.pop(port)
        process.kill()
        process.wait()

    def halt(self, port: int) -> None:
        """SIGSTOP."""
        os.kill(self.processes[port].pid, signal.SIGSTOP)

    def go_on(self, port: int) -> None:
        """SIGCONT."""
        os.kill(self.processes[port].pid, signal.SIGCONT)

    def holder(self, key: str) -> tuple[int, int]:
        """The ports of the primary of a key, and of its replica, 0 for none."""
        slot = key_slot(key.encode())
        shards = self.ask(next(iter(self.processes)), "CLUSTER SLOTS")
        found = next(s for s in shards if s[0] <= slot <= s[1])
        return int(found[2][1]), int(found[3][1]) if len(found) > 3 else 0

    def drop_unread(self, replica: int) -> None:
        """What a replica that stands still was sent never reached it, as with a broken wire."""
        self.kill(replica)
        self.start(replica)

    def promote(self, replica: int) -> None:
        """The replica takes its dead primary's place."""
        self.ask(replica, "CLUSTER", "FAILOVER", "TAKEOVER")
        until(lambda: self.role(replica) == "master")

    def move(self, key: str) -> None:
        """Move the key's slot to another primary at once, as Valkey 9 does."""
        slot, (source, target) = key_slot(key.encode()), self._ends(key)
        words = ("SLOTSRANGE", slot, slot, "NODE", self.ask(target, "CLUSTER MYID"))
        self.ask(source, "CLUSTER", "MIGRATESLOTS", *words)
        until(lambda: self._has(target, slot) and not self._has(source, slot))

    @contextmanager
    def joined(self) -> Iterator[int]:
        """The port of a further primary, that has no slot and is to have none in the end."""
        port, others = free_port(), list(self.processes)
        self.start(port)
        name = self.ask(port, "CLUSTER MYID")
        self.ask(port, "CLUSTER", "MEET", "127.0.0.1", others[0])
        until(lambda: all(self._knows(each, len(others) + 1) for each in (port, *others)))
        yield port
        self.kill(port)
        for each in others:
            self.ask(each, "CLUSTER", "FORGET", name)

    @contextmanager
    def moving(self, key: str, to: int = 0) -> Iterator[Callable[[str], None]]:
        """While the key's slot moves to another primary; gives what moves one key of it."""
        slot, (source, target) = key_slot(key.encode()), self._ends(key)
        target = to or target
        there, here = self.ask(target, "CLUSTER MYID"), self.ask(source, "CLUSTER MYID")
        self.ask(target, "CLUSTER SETSLOT", slot, "IMPORTING", here)
        self.ask(source, "CLUSTER SETSLOT", slot, "MIGRATING", there)

        def move(name: str) -> None:
            # As redis-cli does: what is not the same on both sides would be lost on one.
            replace = ["REPLACE"] if name.endswith(SAME) else []
            self.ask(source, "MIGRATE", "127.0.0.1", target, name, 0, 5000, *replace)

        yield move
        while names := self.keys_of(key):
            for name in names:
                move(name)
        for port in (target, source):
            self.ask(port, "CLUSTER SETSLOT", slot, "NODE", there)

    def keys_of(self, key: str) -> list[str]:
        """What of the key's slot is on the primary that has it."""
        source, _ = self.holder(key)
        found: list[str] = self.ask(source, "CLUSTER GETKEYSINSLOT", key_slot(key.encode()), 1000)
        return found

    def _ends(self, key: str) -> tuple[int, int]:
        """The ports of the primary that has the key, and of another."""
        source, _ = self.holder(key)
        shards = self.ask(source, "CLUSTER SLOTS")
        return source, next(int(s[2][1]) for s in shards if s[2][1] != source)

    def _has(self, port: int, slot: int) -> bool:
        """Whether the node takes itself for the primary of the slot."""
        own = self.ask(port, "CLUSTER MYID")
        shards = self.ask(port, "CLUSTER SLOTS")
        return any(s[0] <= slot <= s[1] and s[2][2] == own for s in shards)

    def restore(self, port: int) -> None:
        """A killed node comes back, and follows whoever took its place."""
        self.start(port)
        until(lambda: self.role(port) == "slave" and self.follows(port))
        until(lambda: all(self._shows(each) for each in self.processes))

    def role(self, port: int) -> str:
        """What the node takes itself for."""
        return str(self.ask(port, "INFO", "replication")["role"])

    def follows(self, port: int) -> bool:
        """Whether the replica has all that its primary had, and follows it."""
        found = self.ask(port, "INFO", "replication")
        return bool(found.get("master_link_status") == "up")

    def ask(self, port: int, *words: Any) -> Any:
        """A node's answer; raises the library's errors."""
        with Redis(host="127.0.0.1", port=port, decode_responses=True) as client:
            return client.execute_command(*words)

    def _begin(self) -> None:
        ports = [free_port() for _ in range(PRIMARIES * (1 + self.replicas))]
        for port in ports:
            self.start(port)
        share = SLOTS // PRIMARIES
        primaries, rest = ports[:PRIMARIES], ports[PRIMARIES:]
        for n, port in enumerate(primaries):
            last = SLOTS - 1 if n == PRIMARIES - 1 else (n + 1) * share - 1
            self.ask(port, "CLUSTER", "ADDSLOTSRANGE", n * share, last)
        for port in ports[1:]:
            self.ask(port, "CLUSTER", "MEET", "127.0.0.1", ports[0])
        until(lambda: all(self._knows(port, len(ports)) for port in ports))
        names = {port: self.ask(port, "CLUSTER", "MYID") for port in primaries}
        for n, port in enumerate(rest):
            self._follow(port, names[primaries[n % PRIMARIES]])
        until(lambda: all(self.follows(port) for port in rest))
        until(lambda: all(self._shows(port) for port in ports))

    def _follow(self, port: int, primary: Any) -> None:
        def asked() -> bool:
            try:
                return bool(self.ask(port, "CLUSTER", "REPLICATE", primary))
            except RedisError:
                return False

        until(asked)

    def _knows(self, port: int, nodes: int) -> bool:
        told = self.ask(port, "CLUSTER INFO")
        return told["cluster_state"] == "ok" and int(told["cluster_known_nodes"]) == nodes

    def _shows(self, port: int) -> bool:
        """Whether the node knows of all replicas."""
        return all(len(s) == 3 + self.replicas for s in self.ask(port, "CLUSTER SLOTS"))

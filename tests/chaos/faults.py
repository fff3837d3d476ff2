"""Faults at random: processes killed and paused, Redis killed, answers cut off."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from adapters.redis import keys
from bot.waits import pause
from tests.chaos.nodes import Nodes
from tests.chaos.people import Web
from tests.chaos.plan import PARTITIONS
from tests.chaos.processes import Member, Server, family
from tests.chaos.proxy import CuttingProxy
from tests.chaos.waits import Waits

# A pause has to outlast the lease: it lasts so many leases.
HALT_LEASES = (1.2, 2.0)
IN_FLIGHT_S, CUT_S, MOVES_S = 2.0, 10.0, 2.0
KINDS = ("kill worker", "pause worker", "kill web", "kill Redis", "cut answers")
FAIL_OVER = "kill Redis, its replica promoted"
MOVE = "move a slot key by key"
# A machine that takes so long for next to nothing is busy with something else.
PULSE_S, STALL_S = 0.1, 0.35
# What a message passes besides its sender: our stubs and proxy, and Redis.
HARNESS, REDIS = "harness", "Redis"


@dataclass
class Fault:
    """One fault: what, to whom ("" for all), and from when until when."""

    kind: str
    whom: str
    begun: float
    ended: float = 0.0
    recovered: float = 0.0


@dataclass
class Faults:
    """Does harm every so often until told to stop; `done` lists it."""

    rng: random.Random
    server: Server | Nodes
    workers: Sequence[Member]
    webs: Sequence[tuple[Member, Web]]
    proxy: CuttingProxy
    every_s: float
    lease_s: float
    done: list[Fault] = field(default_factory=list)
    stalls: list[Fault] = field(default_factory=list)
    waits: Waits = field(default_factory=Waits)
    each_once: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, stop: asyncio.Event) -> None:
        """One fault after another; each is over, and its victim restarted, before the end."""
        kinds: list[tuple[Callable[[], Awaitable[None]], int]] = [
            (self._kill_worker, 4),
            (self._halt_worker, 4),
            (self._kill_web, 2),
            (self._kill_redis, 2),
            (self._cut, 8),
        ]
        if isinstance(self.server, Nodes):
            kinds += [(self._fail_over, 2), (self._move_slot, 4)]
        ways, weights = zip(*kinds, strict=True)
        # Each kind, and a pause twice, so that also a short run has them all; then as it comes.
        owed = self.rng.sample((*ways, self._halt_worker), len(ways) + 1)
        while not stop.is_set():
            await pause(stop, self.rng.expovariate(1 / self.every_s))
            if not stop.is_set():
                await (owed.pop() if owed else self.rng.choices(ways, weights)[0])()
                if not owed:
                    self.each_once.set()

    async def watch(self, stop: asyncio.Event) -> None:
        """Note when the machine or its disk, and not we, held everything up."""
        loop = asyncio.get_running_loop()
        while not stop.is_set():
            begun = loop.time()
            await pause(stop, PULSE_S)
            self._note_answers()
            self._note_waits()
            if loop.time() - begun > PULSE_S + STALL_S:
                self.stalls.append(Fault("stall of the machine", "", begun, loop.time()))
            begun = loop.time()
            # A write, which is answered only after the disk has it.
            with suppress(RedisError, OSError):
                async with Redis(port=self.server.port, retry=Retry(NoBackoff(), 0)) as client:
                    await client.set("chaos:pulse", "1")
                    if loop.time() - begun > STALL_S:
                        self.stalls.append(Fault("stall of the disk", "", begun, loop.time()))

    def note_handled(self, asked: float) -> None:
        """Mail was handled and committed: what was broken before works again, but for a door."""
        now = asyncio.get_running_loop().time()
        for fault in reversed(self.done):
            if fault.kind.startswith("kill web") or asked <= fault.begun:
                continue
            if fault.recovered:
                break
            fault.recovered = now

    def _note_answers(self) -> None:
        """A door that was killed works again when its next process answers."""
        for fault in self.done:
            if not fault.kind.startswith("kill web") or fault.recovered:
                continue
            member, web = next(d for d in self.webs if fault.whom.startswith(d[0].slot))
            if member.name == fault.whom:
                web.answered_at = 0.0
            elif web.answered_at > fault.begun:
                fault.recovered = web.answered_at

    def _begin(self, kind: str, whom: str) -> Fault:
        now = asyncio.get_running_loop().time()
        fault = Fault(kind, whom, now, now)
        self.done.append(fault)
        return fault

    def _end(self, fault: Fault) -> None:
        fault.ended = asyncio.get_running_loop().time()

    def _note_waits(self) -> None:
        now = asyncio.get_running_loop().time()
        self.waits.note(HARNESS, "self", now)
        self.waits.note(REDIS, self.server.pid, now)
        for worker in self.workers:
            if worker.process is not None:
                self.waits.note(worker.name, family(worker.process.pid)[-1], now)

    async def _busy_worker(self) -> Member:
        """One in the middle of something, mostly just begun; any if none is for a moment."""
        victim = self.rng.choice(self.workers)
        await self._until(lambda: self.proxy.ledger.busy(victim.name))
        await pause(asyncio.Event(), self.rng.choice((0.0, 0.0, 0.003, 0.01)))
        return victim

    async def _until(self, holds: Callable[[], bool]) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + IN_FLIGHT_S
        while not holds() and loop.time() < until:
            await pause(asyncio.Event(), 0.001)

    async def _kill_worker(self) -> None:
        victim = await self._busy_worker()
        self._begin("kill worker", victim.name)
        victim.kill()

    async def _halt_worker(self) -> None:
        victim = await self._busy_worker()
        fault = self._begin("pause worker", victim.name)
        victim.halt()
        try:
            await pause(asyncio.Event(), self.lease_s * self.rng.uniform(*HALT_LEASES))
        finally:
            victim.go_on()
            self._end(fault)

    async def _kill_web(self) -> None:
        """While a request is inside, if one comes within a moment."""
        victim, web = self.rng.choice(self.webs)
        await self._until(lambda: web.inside > 0)
        self._begin(f"kill web, {'mid-request' if web.inside else 'idle'}", victim.name)
        victim.kill()

    async def _kill_redis(self) -> None:
        victim = await self._victim()
        fault = self._begin("kill Redis", "")
        await victim.kill()
        await pause(asyncio.Event(), self.rng.uniform(0, 1.0))
        await victim.start()
        await self.server.whole()
        self._end(fault)

    async def _victim(self) -> Server:
        return await self.server.victim(self.rng) if isinstance(self.server, Nodes) else self.server

    async def _fail_over(self) -> None:
        """A primary stays away until its replica is in its place, whose replica it becomes."""
        assert isinstance(self.server, Nodes)
        victim = await self._victim()
        fault = self._begin(FAIL_OVER, "")
        await victim.kill()
        await self.server.taken_over(victim)
        await victim.start()
        await self.server.whole()
        self._end(fault)

    async def _move_slot(self) -> None:
        """A partition's keys are on two nodes for a while."""
        assert isinstance(self.server, Nodes)
        await self.server.whole()
        tag = keys.tag(self.rng.randrange(PARTITIONS))
        fault = self._begin(MOVE, tag.rstrip(":"))
        await self.server.move(tag, self.rng.uniform(0.0, MOVES_S))
        self._end(fault)

    async def _cut(self) -> None:
        """One lost answer is repaired by the client's repeat; four in a row reach us."""
        before = len(self.proxy.cuts)
        until = asyncio.get_running_loop().time() + CUT_S
        while len(self.proxy.cuts) == before and asyncio.get_running_loop().time() < until:
            member = self.rng.choice([*self.workers, *(web for web, _ in self.webs)])
            fault = self._begin("cut answers", member.name)
            self.proxy.arm(member.slot, self.rng.choice((1, 1, 2, 4)))
            await pause(asyncio.Event(), 0.3)
            self._end(fault)
            if len(self.proxy.cuts) == before:
                # It asked for nothing.
                self.done.remove(fault)

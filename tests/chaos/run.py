"""`make chaos`: the real service under load while everything breaks, and what holds afterwards.

It kills processes, which shows process death and not power loss: what a killed Redis had handed
to the operating system survives here, whether or not it had reached the disk.
"""

import argparse
import asyncio
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from redis.asyncio import Redis

from adapters.redis.keys import Partitions
from bot.stopping import pause
from tests.chaos.checks import Checks, read_state, unfinished
from tests.chaos.copies import Copies
from tests.chaos.faults import Fault, Faults
from tests.chaos.ledger import Ledger
from tests.chaos.load import SLACK_REVIEWER, TELEGRAM_REVIEWER, Load
from tests.chaos.people import SIGNING_SECRET, TEAM, WEBHOOK_SECRET, Talk, Web
from tests.chaos.platforms import SLACK_TOKEN, TELEGRAM_TOKEN, Platforms, Shown
from tests.chaos.processes import START_S, Member, Server, environment, free_port
from tests.chaos.proxy import CuttingProxy

# Each lets one message per second into a reviewer's chat, so that these do not hold everybody up.
PARTITIONS = 8
WORKERS, WEBS = ("worker1", "worker2", "worker3"), ("web1", "web2")
SHOWN_VIOLATIONS = 40
PEOPLE = f"""
roles:
  - {{id: crc, zh: 研究协调员, en: study coordinator}}
  - {{id: reviewer, zh: 数据审核员, en: data reviewer}}
people:
  - {{id: chen, name: Chen Bo, slack: ["{TEAM}:{SLACK_REVIEWER}"], roles: [reviewer]}}
  - {{id: wu, name: Wu Jing, telegram: ["{TELEGRAM_REVIEWER}"], roles: [reviewer]}}
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything."""

    seed: int
    seconds: float
    conversations: int
    updates: int
    fault_every_s: float
    trouble: float
    settle_s: float
    lease_s: int


class Chaos:
    """One run; `main` prints what it found."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.folder = folder
        self.server = Server(folder / "redis")
        # The event loop's clock.
        self.ledger = Ledger(time.monotonic)
        self.proxy = CuttingProxy(self.server.port, self.ledger)
        self.platforms = Platforms(self._rng("platforms"), plan.trouble, self._shown)
        self.webs = [Web(f"http://127.0.0.1:{free_port()}") for _ in WEBS]
        talks = [Talk(n, slack=n % 2 == 0) for n in range(plan.conversations)]
        self.load = Load(
            self._rng("load"),
            self.platforms,
            self.webs,
            talks,
            plan.updates,
            plan.seconds * 0.9,
        )
        self.members: list[Member] = []
        self.faults = Faults(
            self._rng("faults"), self.server, [], [], self.proxy, plan.fault_every_s, plan.lease_s
        )
        self.load.more = lambda: not self.faults.each_once.is_set()
        self.left: list[str] = []
        self.took_s = 0.0
        self.settled_s = 0.0

    def _rng(self, what: str) -> random.Random:
        return random.Random(f"{self.plan.seed} {what}")

    def _shown(self, shown: Shown) -> None:
        self.load.shown(shown)
        if not shown.edits:
            self.faults.note_handled(asyncio.get_running_loop().time())

    async def run(self) -> Checks:
        """Everything from start to end; leaves no process behind."""
        await self.server.start()
        await self.platforms.open()
        await self.proxy.open(*WORKERS, *WEBS)
        self._members()
        stop = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as group:
                await self._start_members(group, stop)
                await self._storm(group)
                stop.set()
                await asyncio.gather(*(member.end() for member in self.members))
            return await self._check()
        finally:
            for member in self.members:
                member.kill()
            await self.server.kill()
            self.proxy.close()
            await self.platforms.close()

    def _members(self) -> None:
        people = self.folder / "people.yaml"
        people.write_text(PEOPLE)
        for slot in (*WEBS, *WORKERS):
            port = self.webs[WEBS.index(slot)].url.rpartition(":")[2] if slot in WEBS else "8080"
            variables = environment(
                self.folder,
                PORT=port,
                # What a process that was killed or paused held goes to another after this long.
                SIGNOFF_LEASE_S=str(self.plan.lease_s),
                SIGNOFF_PARTITIONS=str(PARTITIONS),
                SIGNOFF_PEOPLE=str(people),
                SLACK_BOT_TOKEN=SLACK_TOKEN,
                SLACK_SIGNING_SECRET=SIGNING_SECRET,
                TELEGRAM_BOT_TOKEN=TELEGRAM_TOKEN,
                TELEGRAM_WEBHOOK_SECRET=WEBHOOK_SECRET,
            )
            redis = f"redis://127.0.0.1:{self.proxy.ports[slot]}/0"
            self.members.append(Member(slot, self.folder, variables, self.platforms.url, redis))
        self.faults.workers = self.members[len(WEBS) :]
        self.faults.webs = list(zip(self.members, self.webs, strict=False))

    async def _start_members(self, group: asyncio.TaskGroup, stop: asyncio.Event) -> None:
        ups = [asyncio.Event() for _ in self.members]
        for member, up in zip(self.members, ups, strict=True):
            group.create_task(member.keep_up(up, stop))
        for up in ups:
            await up.wait()
        async with asyncio.timeout(START_S):
            for web in self.webs:
                while not await _listens(web.url):
                    await pause(asyncio.Event(), 0.05)

    async def _storm(self, group: asyncio.TaskGroup) -> None:
        """Load with faults, then load without, then rest."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        quiet, enough, end = asyncio.Event(), asyncio.Event(), asyncio.Event()
        loading = group.create_task(self.load.run(enough, end))
        harm = group.create_task(self.faults.run(quiet))
        watch = group.create_task(self.faults.watch(end))
        await pause(self.load.talked, self.plan.seconds)
        quiet.set()
        await harm
        self.platforms.calm()
        self.proxy.calm()
        enough.set()
        self.took_s = loop.time() - begun
        await self._settle()
        end.set()
        await asyncio.gather(loading, watch)
        self.settled_s = loop.time() - begun - self.took_s

    async def _settle(self) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + self.plan.settle_s
        quiet = 0
        async with Redis(port=self.server.port, decode_responses=True) as client:
            while quiet < 3 and loop.time() < until:
                await pause(asyncio.Event(), 0.3)
                self.left = await unfinished(client)
                await self._give_up_copies(client)
                at_rest = self.load.talked.is_set() and not self.load.open_cards()
                quiet = quiet + 1 if at_rest and not self.left else 0

    async def _give_up_copies(self, client: Redis) -> None:
        """A second copy of a message keeps its buttons; its card is closed all the same."""
        for token in self.load.open_cards():
            partition = token.partition("-")[0]
            status = await client.hget(f"{{p{partition}}}:card:{token}", "status")
            if status not in (None, "open"):
                self.load.cards[token].closed.set()

    async def _check(self) -> Checks:
        async with Redis(port=self.server.port, decode_responses=True) as client:
            state = await read_state(client)
            self.left = await unfinished(client)
        checks = Checks(
            state,
            self.load,
            self.platforms,
            Copies(self.ledger, [*self.faults.done, *self.faults.stalls]),
            Partitions(PARTITIONS),
        )
        checks.all(self.folder / "data" / "study.sqlite3")
        checks.violations += [f"stuck: {what}" for what in self.left]
        checks.violations += [f"process: {m}" for member in self.members for m in member.odd_ends]
        if open_cards := self.load.open_cards():
            checks.violations.append(f"{len(open_cards)} cards that are shown stayed open")
        if not checks.counts["visits written"]:
            checks.violations.append("nothing was recorded: this run shows nothing about visits")
        return checks


async def _listens(url: str) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    except OSError:
        return False
    writer.close()
    return True


def report(chaos: Chaos, checks: Checks) -> str:
    """What happened, what was counted, what was violated."""
    plan, load, tally = chaos.plan, chaos.load, chaos.platforms.tally
    lines = [
        f"seed {plan.seed}: {load.sent} updates ({load.counts['messages']} messages,"
        f" {load.counts['taps']} taps), {plan.conversations} conversations,"
        f" {chaos.took_s:.0f} s under faults, {chaos.settled_s:.0f} s to rest",
        f"deliveries: {load.counts['acknowledged']} acknowledged, {load.counts['repeats']} repeated"
        f" after that, {load.counts['retries']} retried; "
        + ", ".join(f"{name} {n}" for name, n in sorted(load.counts.items()) if "HTTP" in name),
        f"platform answers: {tally.limited} rate-limited, {tally.failed} failed, {tally.lost} lost",
        f"starts: {', '.join(f'{m.slot} {m.starts}' for m in chaos.members)};"
        f" answers of Redis cut off: {len(chaos.proxy.cuts)}",
        "Killing processes shows process death, not power loss.",
        "faults, and how long from their beginning:",
        *_recoveries(chaos.faults.done, chaos.ledger),
        *_stalls(chaos.faults.stalls),
        "found in the end:",
        *(f"  {name}: {n}" for name, n in sorted(checks.counts.items())),
    ]
    shown = checks.violations[:SHOWN_VIOLATIONS]
    lines += [f"VIOLATION {violation}" for violation in shown]
    more = len(checks.violations) - len(shown)
    lines += [f"… and {more} more"] if more else []
    lines.append(f"seed {plan.seed}: {len(checks.violations)} violations")
    return "\n".join(lines)


def _recoveries(faults: Sequence[Fault], ledger: Ledger) -> list[str]:
    counted: Counter[str] = Counter(fault.kind for fault in faults)
    again: dict[str, list[float]] = defaultdict(list)
    taken: dict[str, list[float]] = defaultdict(list)
    for fault in faults:
        if fault.recovered:
            again[fault.kind].append(fault.recovered - fault.begun)
        held = [
            t.at for t in ledger.takeovers if t.by == fault.whom and t.since < fault.begun < t.at
        ]
        if held:
            taken[fault.kind].append(max(held) - fault.begun)
    return [
        f"  {kind}: {n} times, works again after {_spread(again[kind])}"
        + (f"; what it held went on after {_spread(taken[kind])}" if taken[kind] else "")
        for kind, n in sorted(counted.items())
    ]


def _spread(seconds: Sequence[float]) -> str:
    if not seconds:
        return "nothing came after"
    return f"p50 {statistics.median(seconds):.2f} s, max {max(seconds):.2f} s ({len(seconds)})"


def _stalls(stalls: Sequence[Fault]) -> list[str]:
    longest: dict[str, float] = defaultdict(float)
    for stall in stalls:
        longest[stall.kind] = max(longest[stall.kind], stall.ended - stall.begun)
    return [f"  {kind}: longest {longest_s:.2f} s" for kind, longest_s in longest.items()]


def _plan(argv: Sequence[str] | None) -> tuple[Plan, bool]:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.run", description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--seconds", type=float, default=720, help="of load under faults, at most")
    parser.add_argument("--conversations", type=int, default=200)
    parser.add_argument("--updates", type=int, default=20_000)
    parser.add_argument("--fault-every", type=float, default=2.0, help="seconds, on average")
    parser.add_argument("--trouble", type=float, default=0.01, help="of each kind, per call")
    parser.add_argument("--settle", type=float, default=120, help="seconds to come to rest")
    parser.add_argument("--lease", type=int, default=3, help="seconds (SIGNOFF_LEASE_S)")
    parser.add_argument("--keep", action="store_true", help="leave the folder with data and logs")
    args = parser.parse_args(argv)
    plan = Plan(
        args.seed,
        args.seconds,
        args.conversations,
        args.updates,
        args.fault_every,
        args.trouble,
        args.settle,
        args.lease,
    )
    return plan, args.keep


def main(argv: Sequence[str] | None = None) -> int:
    """Runs it; 1 when anything was violated."""
    plan, keep = _plan(argv)
    print(f"seed {plan.seed} begins", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="signoff-chaos-"))
    try:
        chaos = Chaos(plan, folder)
        checks = asyncio.run(chaos.run())
        print(report(chaos, checks), flush=True)
        return 1 if checks.violations else 0
    finally:
        if keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

"""`make chaos`: the real service under load while everything breaks, and what holds afterwards.

It kills processes, which shows process death and not power loss: what a killed Redis had handed
to the operating system survives here, whether or not it had reached the disk.
"""

import asyncio
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import yaml
from redis.asyncio import Redis
from redis.exceptions import MovedError, RedisError

from adapters.redis.keys import Partitions
from bot.waits import pause
from tests.chaos.cases import playbooks_with_cases
from tests.chaos.checks import Checks, State, read_state, unfinished
from tests.chaos.copies import Copies
from tests.chaos.faults import FAIL_OVER, KINDS, MOVE, Faults
from tests.chaos.ledger import Ledger
from tests.chaos.load import SLACK_REVIEWER, TELEGRAM_REVIEWER, Load
from tests.chaos.nodes import Nodes
from tests.chaos.people import SIGNING_SECRET, TEAM, WEBHOOK_SECRET, Talk, Web
from tests.chaos.plan import PARTITIONS, Plan, read_plan
from tests.chaos.platforms import SLACK_TOKEN, TELEGRAM_TOKEN, Platforms
from tests.chaos.processes import END_S, ROOT, START_S, Member, Server, environment
from tests.chaos.proxy import CuttingProxy
from tests.chaos.report import report
from tests.fakes.platforms.patience import within
from tests.fakes.ports import free_port

LANES = 8
WORKERS, WEBS = ("worker1", "worker2", "worker3"), ("web1", "web2")
# Who decides, of the people of the samples.
REVIEWERS: dict[str, dict[str, list[str]]] = {
    "chen": {"slack": [f"{TEAM}:{SLACK_REVIEWER}"]},
    "wu": {"telegram": [str(TELEGRAM_REVIEWER)]},
}


class Chaos:
    """One run; `main` prints what it found."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.folder = folder
        make = Nodes if plan.cluster else Server
        self.server: Server | Nodes = make(folder / "redis")
        # The event loop's clock.
        self.ledger = Ledger(time.monotonic, acks=plan.cluster)
        self.proxy = CuttingProxy(self.server.port, self.ledger)
        self.platforms = Platforms(
            self._rng("platforms"), plan.trouble, lambda shown: self.load.shown(shown)
        )
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
        self.ledger.on_commit = self.faults.note_handled
        self.load.more = lambda: not self.faults.each_once.is_set()
        self.left: list[str] = []
        self.took_s = 0.0
        self.settled_s = 0.0

    def _rng(self, what: str) -> random.Random:
        return random.Random(f"{self.plan.seed} {what}")

    async def run(self) -> Checks:
        """Everything from start to end; leaves no process behind."""
        await self.platforms.open()
        if isinstance(self.server, Nodes):
            shown = await self.proxy.open_nodes([each.port for each in self.server.servers])
            self.server.show(shown)
            self.proxy.ports = dict.fromkeys((*WORKERS, *WEBS), shown[0])
        else:
            await self.proxy.open(*WORKERS, *WEBS)
        self._members()
        stop = asyncio.Event()
        try:
            await self.server.start()
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
        people = _write_people(ROOT / "playbooks" / "people.yaml", self.folder)
        playbooks = playbooks_with_cases(ROOT / "playbooks", self.folder / "playbooks")
        for slot in (*WEBS, *WORKERS):
            port = self.webs[WEBS.index(slot)].url.rpartition(":")[2] if slot in WEBS else "8080"
            variables = environment(
                self.folder,
                PORT=port,
                # What a process that was killed or paused held goes to another after this long.
                SIGNOFF_LEASE_S=str(self.plan.lease_s),
                # Few enough that a busy machine can renew all leases that one worker holds.
                SIGNOFF_WORKER_LANES=str(LANES),
                SIGNOFF_PARTITIONS=str(PARTITIONS),
                SIGNOFF_STORE_ACKS=str(int(self.plan.cluster)),
                SIGNOFF_PEOPLE=str(people),
                SIGNOFF_PLAYBOOKS=str(playbooks),
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
        async with within(START_S, "every web process listens"):
            for web in self.webs:
                while not await _listens(web.url):
                    odd = [end for member in self.members for end in member.odd_ends]
                    assert not odd, f"what cannot start: {odd[0]}"
                    await pause(asyncio.Event(), 0.05)

    async def _storm(self, group: asyncio.TaskGroup) -> None:
        """Load with faults, then load without, then rest."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        quiet, enough, end = asyncio.Event(), asyncio.Event(), asyncio.Event()
        loading = group.create_task(self.load.run(enough, end))
        harm = group.create_task(self.faults.run(quiet))
        watch = group.create_task(self.faults.watch(end))
        # On a busy machine everything takes longer.
        await pause(self.load.talked, self.plan.limit_s)
        await pause(self.faults.each_once, self.plan.settle_s)
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
        while quiet < 3 and loop.time() < until:
            await pause(asyncio.Event(), 0.3)
            try:
                async with self._stores() as stores:
                    self.left = [what for client in stores for what in await unfinished(client)]
                    for client in stores:
                        await self._give_up_copies(client)
            except RedisError as error:
                # On a busy machine nodes take each other for dead.
                self.left = [f"a node: {error}"]
            at_rest = self.load.talked.is_set() and not self.load.open_cards()
            quiet = quiet + 1 if at_rest and not self.left else 0

    @asynccontextmanager
    async def _stores(self) -> AsyncIterator[list[Redis]]:
        """Clients of all servers that have data, once all of it is somewhere."""
        await self.server.whole()
        async with AsyncExitStack() as stack:
            yield [
                await stack.enter_async_context(Redis(port=each.port, decode_responses=True))
                for each in await self.server.primaries()
            ]

    async def _give_up_copies(self, client: Redis) -> None:
        """A second copy of a message keeps its buttons; its card is closed all the same."""
        for token in self.load.open_cards():
            partition = token.partition("-")[0]
            try:
                status = await client.hget(f"{{p{partition}}}:card:{token}", "status")
            except MovedError:
                continue
            if status not in (None, "open"):
                self.load.cards[token].closed.set()

    async def _check(self) -> Checks:
        state = State()
        async with self._stores() as stores:
            for client in stores:
                await read_state(client, state)
            self.left = [what for client in stores for what in await unfinished(client)]
        checks = Checks(
            state,
            self.load,
            self.platforms,
            Copies(self.ledger, self.faults),
            Partitions(PARTITIONS),
        )
        checks.all(self.folder / "data" / "study.sqlite3")
        checks.violations += [f"stuck: {what}" for what in self.left]
        checks.violations += [f"process: {m}" for member in self.members for m in member.odd_ends]
        if open_cards := self.load.open_cards():
            checks.violations.append(f"{len(open_cards)} cards that are shown stayed open")
        checks.violations += [
            f"this run shows nothing about: {what}" for what in self._missing(checks)
        ]
        return checks

    def _missing(self, checks: Checks) -> list[str]:
        """What has to happen in a run that is to show anything."""
        tally, load = self.platforms.tally, self.load.counts
        happened = {
            "visits": checks.counts["visits written"],
            "cases": checks.counts["cases"],
            "rate limits of the platforms": tally.limited,
            "errors of the platforms": tally.failed,
            "lost answers of the platforms": tally.lost,
            "lost answers of Redis": len(self.proxy.cuts),
            "repeated deliveries": load["repeats"],
        }
        for kind in (*KINDS, *([FAIL_OVER, MOVE] if self.plan.cluster else [])):
            happened[kind] = sum(fault.kind.startswith(kind) for fault in self.faults.done)
        return [what for what, times in happened.items() if not times]


def _write_people(samples: Path, folder: Path) -> Path:
    """The people of the samples, so that every role is held; reviewers have their accounts here."""
    told = yaml.safe_load(samples.read_text("utf-8"))
    told["people"] = [each | REVIEWERS.get(each["id"], {}) for each in told["people"]]
    path = folder / "people.yaml"
    told["admit"] = {"platforms": ["slack", "telegram"]}
    path.write_text(yaml.safe_dump(told, allow_unicode=True), encoding="utf-8")
    return path


async def _listens(url: str) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    except OSError:
        return False
    writer.close()
    return True


async def _bounded(chaos: Chaos) -> Checks:
    """Its checks; ends what it started also when it is told to end, or takes far too long."""
    task, plan = asyncio.current_task(), chaos.plan
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with asyncio.timeout(plan.limit_s + 2 * plan.settle_s + 2 * START_S + 2 * END_S):
        return await chaos.run()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs it; 1 when anything was violated."""
    plan, keep = read_plan(argv, __doc__)
    print(f"seed {plan.seed} begins", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="signoff-chaos-"))
    try:
        chaos = Chaos(plan, folder)
        checks = asyncio.run(_bounded(chaos))
        print(report(chaos, checks), flush=True)
        return 1 if checks.violations else 0
    finally:
        if keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

"""A worker that stands still is ended and begun anew; one mail is charged, the others go on."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.failpoints import SPIN
from bot.processes.watchdog import Silence, queued_s
from tests.bot.signoff_process import FILES, answering, ended, serving
from tests.fakes.forge import Forged
from tests.fakes.platforms.patience import START_S, end_of, until
from tests.fakes.ports import free_port
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.test_web_walk import ASK, GOOD

WATCHDOG_S = 1
# So long that nothing comes free by it while a test lasts.
LEASE_S = 3600
SPINNING = {"SIGNOFF_FAILPOINT": "spin handling.handle"}
OTHERS = ("chen", "wu", "lin")


@dataclass
class Place:
    """A service of one web process and some workers, each with a folder and log of its own."""

    folder: Path
    given: dict[str, str]
    url: str
    stack: AsyncExitStack
    homes: list[Path] = field(default_factory=list)

    async def worker(self, **more: str) -> Forged:
        """One more worker, once it takes mail."""
        home = self.folder / f"worker{len(self.homes)}"
        home.mkdir()
        self.homes.append(home)
        going = serving(home, "worker", **{**self.given, **more})
        process = await self.stack.enter_async_context(going)
        await until(lambda: self.logged("worker_started", home), START_S)
        return process

    def logged(self, event: str, *homes: Path) -> list[dict[str, Any]]:
        """Lines of the log of some workers, or of all."""
        lines = [
            line
            for home in homes or self.homes
            for line in (home / "stderr.log").read_text().splitlines()
            if line.startswith("{")
        ]
        return [line for line in map(json.loads, lines) if line["event"] == event]

    @asynccontextmanager
    async def rooms(self, *names: str) -> AsyncIterator[list[WebRoom]]:
        async with AsyncExitStack() as stack:
            yield [await stack.enter_async_context(WebRoom(self.url, name)) for name in names]


@pytest.fixture
async def place(redis: Redis, redis_server: EmbeddedServer, tmp_path: Path) -> AsyncIterator[Place]:
    port = free_port()
    given = {
        **FILES,
        "REDIS_URL": redis_server.url,
        "PORT": str(port),
        "SIGNOFF_WATCHDOG_S": str(WATCHDOG_S),
        "SIGNOFF_LEASE_S": str(LEASE_S),
    }
    url = f"http://127.0.0.1:{port}"
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(serving(tmp_path, "web", **given))
        await answering(url)
        yield Place(tmp_path, given, url, stack)


def children_of(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True
    )
    return [int(child) for child in listed.stdout.split()]


@pytest.mark.parametrize("workers", [1, 3])
async def test_mail_that_holds_its_worker_up_is_set_aside_after_two_and_all_others_are_answered(
    place: Place, workers: int
) -> None:
    for _ in range(workers):
        await place.worker(**SPINNING)
    names = [f"room{n}" for n in range(6)]
    async with place.rooms("main", *names) as (room, *others):
        await room.say("lin", SPIN)
        for n, other in enumerate(others):
            await other.say(OTHERS[n % 3], "ECOG of P003?")
        for other in others:
            # A worker has to end and another to start before that.
            await other.wait_for(lambda message: "P003" in text_of(message), START_S)
        failed = await room.wait_for(
            lambda m: any(p["state"] == "failed" for p in m["parts"]), START_S
        )
    assert failed
    ends = place.logged("worker_stood_still")
    assert [end["lanes"] for end in ends] == [["talk:web:local:main"]] * 2
    # They have waited for one such end, and not for the next one.
    second = datetime.fromisoformat(ends[1]["timestamp"]).timestamp()
    assert all(at < second for other in others for at in other.shown_at.values())
    assert all(any("_spin" in line for line in end["stack"]) for end in ends)
    told = await ended(place.folder, "aside", **place.given)
    assert told.out.count("\n") == 1
    assert SPIN in told.out
    # Nobody else's mail was charged anything.
    assert not place.logged("handling_failed")


async def test_who_is_halted_from_outside_is_begun_anew_and_nobody_is_charged(place: Place) -> None:
    watchdog = await place.worker()
    async with place.rooms("main") as (room,):
        (worker,) = children_of(watchdog.pid)
        os.kill(worker, signal.SIGSTOP)
        await room.say("lin", "ECOG of P003?")
        await room.wait_for(lambda message: "P003" in text_of(message), START_S)
    (end,) = place.logged("worker_stood_still")
    assert (end["halted"], end["lanes"], end["stack"]) == (True, [], [])
    assert children_of(watchdog.pid) != [worker]
    watchdog.terminate()
    assert await end_of(watchdog) == 0


async def test_a_worker_dies_with_its_watchdog_and_the_watchdog_as_its_worker_did(
    place: Place, redis: Redis
) -> None:
    first, second = await place.worker(), await place.worker()
    (orphan,), (crashing,) = children_of(first.pid), children_of(second.pid)
    first.kill()
    await until(lambda: not Path(f"/proc/{orphan}").exists(), START_S)
    os.kill(crashing, signal.SIGSEGV)
    assert await end_of(second) == -signal.SIGSEGV
    assert place.logged("lanes_given_back", place.homes[1])
    # The first one's counts for ten seconds more; the second was taken out.
    assert await redis.zcard("signoff:workers") <= 1


async def test_what_a_worker_held_that_crashed_is_free_at_once(
    place: Place,
) -> None:
    async with place.rooms("main", "other") as (room, other):
        watchdog = await place.worker(SIGNOFF_FAILPOINT="before handling.handle")
        await asyncio.gather(room.say("lin", "ECOG of P003?"), other.say("wu", "ECOG of P004?"))
        assert await end_of(watchdog) == -signal.SIGKILL
        await place.worker()
        await room.wait_for(lambda message: "P003" in text_of(message), START_S)
        await other.wait_for(lambda message: "P004" in text_of(message), START_S)


@pytest.mark.parametrize("point", ["after mailbox.commit", "before platform.edit"])
async def test_a_decided_run_whose_worker_dies_goes_on_without_waiting_for_a_lease(
    place: Place, point: str
) -> None:
    place.given["SIGNOFF_DATA_DIR"] = str(place.folder / "data")
    async with place.rooms("main") as (room,):
        begins = await place.worker()
        await room.say("lin", ASK["zh"])
        await room.fill("lin", await room.card("clarify"), "submit", **GOOD)
        review = await room.card("confirm")
        begins.terminate()
        assert await end_of(begins) == 0

        decides = await place.worker(SIGNOFF_FAILPOINT=point)
        assert (await room.tap("chen", review, "approve"))[1]["ok"]
        assert await end_of(decides) == -signal.SIGKILL
        await place.worker()
        # What was decided is done, and shown as done.
        await room.card("phase_done")
        await room.card("confirm", closed=True)
        await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))


@pytest.mark.parametrize(
    ("looks", "silent"),
    [
        pytest.param([(1, 1.0), (1, 2.0), (1, 3.0)], 2.0, id="it counts what it sees"),
        pytest.param([(1, 1.0), (1, 2.0), (2, 3.0)], 0.0, id="a beat ends it"),
        pytest.param([(1, 1.0), (1, 9_000.0)], 2.0, id="a suspended machine tells nothing"),
        pytest.param([(0, 1.0), (0, 2.0)], 0.0, id="who begins is not waited for"),
        pytest.param([(5, 1.0), (0, 2.0), (0, 3.0)], 0.0, id="nor who ends"),
    ],
)
def test_a_silence_is_what_the_watchdog_was_awake_for(
    looks: list[tuple[int, float]], silent: float
) -> None:
    silence = Silence(1.0, 0.0)
    for beats, now in looks:
        silence.look(beats, now)
    assert silence.seconds == silent


def test_a_worker_that_waits_for_a_processor_is_not_silent() -> None:
    silence = Silence(1.0, 0.0)
    for now, queued in ((1, 0.0), (2, 0.75), (3, 1.75), (4, 3.0), (5, 3.0)):
        silence.look(7, now, queued)
    assert silence.seconds == 0.25 + 0.0 + 0.0 + 1.0


def spin_on_one_processor(how_many: int) -> list["subprocess.Popen[bytes]"]:
    """Processes that never rest, and share a processor."""
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        command = (sys.executable, "-S", "-c", "while 1: 1")
        return [subprocess.Popen(command) for _ in range(how_many)]
    finally:
        os.sched_setaffinity(0, allowed)


async def test_the_time_that_a_process_waits_for_a_processor_is_known() -> None:
    spinning = spin_on_one_processor(2)
    try:
        for each in spinning:
            await until(lambda pid=each.pid: queued_s(pid) > 0.02)
    finally:
        for each in spinning:
            each.kill()
            each.wait()
    assert queued_s(spinning[0].pid) == 0.0

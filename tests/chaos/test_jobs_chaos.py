"""Job graphs and tool plans while workers are killed again and again: each job ends once, each
approved write happens once, and all of it ends as if nobody had died.

CHAOS_SEED=7 make test ARGS=tests/chaos chooses other moments.
"""

import asyncio
import json
import os
import random
import re
import signal
from asyncio.subprocess import Process
from collections import Counter
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from adapters.redis.keys import memos
from adapters.redis.server.embedded import EmbeddedServer
from bot.serve.work.lanes import ATTEMPTS
from engine.frames.state import ENDED
from tests.bot.signoff_process import FILES, answering, serving
from tests.fakes.model_server import API_KEY, ModelServer, Reply, say_json
from tests.fakes.platforms.patience import until, within
from tests.fakes.ports import free_port
from tests.fakes.stored import read_entries
from tests.fakes.team_server import TeamScript
from tests.fakes.web_room import WebRoom, text_of

SEED = int(os.environ.get("CHAOS_SEED", "3"))
KILLS = 4
LIMIT_S = 120.0
REPORTS, NOTES = ("P003", "P004"), ("P001", "P002")
PROJECT = "SIGNOFF-101"


class Office:
    """A model that takes its time: a team for reports, and a plan of one write for notes."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._team = TeamScript()

    def __call__(self, request: dict[str, Any]) -> Reply:
        until = asyncio.Event()
        asyncio.get_running_loop().call_later(self._rng.uniform(0, 0.3), until.set)
        return Reply(text=self._answer(request).text, until=until)

    def _answer(self, request: dict[str, Any]) -> Reply:
        if "JSON array of steps" not in request["messages"][0]["content"]:
            return self._team(request)
        subject = re.findall(r"P\d{3}", request["messages"][-1]["content"])[0]
        text = f"a note of {subject}"
        return say_json(
            [
                {"type": "tool", "name": "memory__remember", "arguments": {"text": text}},
                {"type": "reply", "text": f"kept for {subject}"},
            ]
        )


async def report(url: str, subject: str) -> None:
    """A report is asked for and seen."""
    async with WebRoom(url, f"report-{subject.lower()}") as room:
        await room.say("lin", f"prepare a monitoring report for {subject}")
        await room.card("phase_done")
        await room.wait_for(
            lambda m: "result of report" in text_of(m) and m["parts"][0]["state"] == "done"
        )


async def note(url: str, subject: str) -> None:
    """A note is asked for and approved."""
    async with WebRoom(url, f"note-{subject.lower()}") as room:
        await room.say("lin", f"remember the ECOG of {subject} for the project")
        card = await room.card("confirm")
        assert (await room.tap("chen", card, "approve"))[1]["ok"]
        await room.wait_for(lambda m: f"kept for {subject}" in text_of(m))


def started(home: Path) -> bool:
    return "worker_started" in (home / "stderr.log").read_text(encoding="utf-8")


async def bears_it(redis: Redis) -> bool:
    """Whether no mail is such that, if its worker died now, the next would set it aside."""
    tries = [await redis.hget(key, "attempts") for key in await redis.keys("*:l:*:h")]
    return all(int(each or 0) < ATTEMPTS for each in tries)


async def kill(process: Process, redis: Redis) -> None:
    """The worker dies, now or as soon as that is no mail's last death."""
    process.send_signal(signal.SIGSTOP)
    while not await bears_it(redis):
        process.send_signal(signal.SIGCONT)
        await asyncio.sleep(0.02)
        process.send_signal(signal.SIGSTOP)
    process.kill()
    await process.wait()


async def dying(folder: Path, given: dict[str, str], redis: Redis, rng: random.Random) -> int:
    """Workers one after another, each killed at some moment of its work; how many were."""
    for number in range(KILLS):
        home = folder / f"worker{number}"
        home.mkdir()
        async with serving(home, "worker", **given) as process:
            await until(lambda home=home: started(home))
            await asyncio.sleep(rng.uniform(0.1, 0.6))
            await kill(process, redis)
    return KILLS


async def logs(redis: Redis) -> dict[str, list[dict[str, Any]]]:
    """What each run's log says."""
    found = {}
    for key in await redis.keys("*:log:*"):
        entries = await read_entries(redis, key)
        if entries[0].get("event") == "started":
            found[key] = entries
    return found


def ends(entries: list[dict[str, Any]]) -> list[str]:
    """Every end that a log tells of."""
    return [entry["status"] for entry in entries if entry.get("status") in ENDED]


async def all_end(redis: Redis) -> bool:
    """Whether each run's log tells of its end."""
    return all(map(ends, (await logs(redis)).values()))


async def test_each_job_ends_once_and_each_write_happens_once_however_often_workers_die(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    rng = random.Random(SEED)
    async with ModelServer(Office(rng)) as model:
        given = {
            **FILES,
            "REDIS_URL": redis_server.url,
            "PORT": str(free_port()),
            # A worker that gets a small share of a processor shall not lose what it is handling:
            # each time counts as a try.
            "SIGNOFF_LEASE_S": "4",
            # What is halted here shall be the worker itself.
            "SIGNOFF_WATCHDOG_S": "0",
            "OPENAI_API_KEY": API_KEY,
            "OPENAI_BASE_URL": model.base_url,
            "LLM_MODEL": "stub-model",
        }
        url = f"http://127.0.0.1:{given['PORT']}"
        async with within(LIMIT_S, "every job and note ends"), serving(tmp_path, "web", **given):
            await answering(url)
            async with asyncio.TaskGroup() as people:
                asked = [*(report(url, one) for one in REPORTS), *(note(url, one) for one in NOTES)]
                waiting = [people.create_task(one) for one in asked]
                killed = await dying(tmp_path, given, redis, rng)
                async with serving(tmp_path, "worker", **given):
                    await asyncio.wait(waiting)
                    await until(lambda: all_end(redis))
    assert (killed, model.faults) == (KILLS, [])
    written = [json.loads(each)["text"] for each in await redis.lrange(memos(PROJECT), 0, -1)]
    assert sorted(written) == [f"a note of {subject}" for subject in sorted(NOTES)]
    told = await logs(redis)
    jobs = Counter(
        (each[0]["parent"], each[0]["key"]) for each in told.values() if "parent" in each[0]
    )
    # What decomposes the goal, and its three jobs.
    assert sorted(jobs.values()) == [1] * 4 * len(REPORTS), jobs
    for key, entries in told.items():
        assert ends(entries) == ["completed"], f"{key}, seed {SEED}"

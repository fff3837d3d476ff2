"""`signoff run` and honcho, with real processes from start to end."""

import asyncio
import fcntl
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path

import aiohttp
import pytest
from redis.asyncio import Redis

from adapters.redis.server.supervisor import RunningServer, open_lock, take_lock
from bot.failpoints import SPIN
from tests.bot.signoff_process import FILES, PLAYBOOKS, ROOT, running, serving
from tests.fakes.few_examples import few_examples
from tests.fakes.forge import Forged
from tests.fakes.platforms.patience import START_S, until, within
from tests.fakes.ports import free_port
from tests.fakes.web_room import Message, WebRoom
from tests.scenarios.test_web_walk import to_review

RUN = (sys.executable, "-m", "bot", "run")


async def status_of(address: str) -> int:
    """The HTTP status, 0 when nobody answers."""
    timeout = aiohttp.ClientTimeout(total=5)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as client, client.get(address) as answer:
            return answer.status
    except (aiohttp.ClientError, TimeoutError):
        return 0


def children_of(folder: Path) -> dict[str, int]:
    """The pids of the web process and the worker that were started last."""
    lines = (folder / "stderr.log").read_text().splitlines()
    told = [json.loads(line) for line in lines if line.startswith("{")]
    return {line["name"]: line["pid"] for line in told if line["event"] == "process_started"}


def is_gone(pid: int) -> bool:
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return listed.stdout.strip() in ("", "Z", "Zs")


def only_child(pid: int) -> int:
    (found,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(found)


def is_done(message: Message) -> bool:
    return any(part["state"] == "done" for part in message["parts"])


def server_is_gone(folder: Path) -> bool:
    for name in ("server.lock", "supervisor.lock"):
        descriptor = open_lock(folder / "data" / "redis" / name)
        try:
            if not take_lock(descriptor, fcntl.LOCK_SH):
                return False
        finally:
            os.close(descriptor)
    return True


async def announced(process: Process | Forged) -> str:
    assert process.stdout is not None
    async with within(START_S, "the process says something"):
        return (await process.stdout.readline()).decode()


async def stopped(process: Process | Forged, number: signal.Signals) -> int:
    process.send_signal(number)
    async with within(START_S, f"the process ends at {number.name}"):
        return await process.wait()


@asynccontextmanager
async def store(folder: Path) -> AsyncIterator["Redis"]:
    server = RunningServer.read(folder / "data" / "redis")
    assert server is not None
    async with Redis(unix_socket_path=server.socket, decode_responses=True) as client:
        yield client


def started(
    folder: Path, port: int, files: dict[str, str] = FILES
) -> AbstractAsyncContextManager[Forged]:
    """`signoff run`, whose own imports are done."""
    return serving(folder, "run", PORT=str(port), **files)


async def test_run_serves_stops_cleanly_and_finds_its_data_again(tmp_path: Path) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}/"
    async with running(tmp_path, *RUN, PORT=str(port), **FILES) as process:
        assert await announced(process) == f"Signoff web chat: {address}\n"
        assert await status_of(address) == 200
        assert await status_of(address + "healthz") == 200
        assert await status_of(address + "readyz") == 200
        children = children_of(tmp_path)
        async with store(tmp_path) as client:
            await client.set("left-by-test", "kept")

        assert await stopped(process, signal.SIGINT) == 0
    assert sorted(children) == ["web", "worker"]
    assert all(is_gone(pid) for pid in children.values())

    async with started(tmp_path, port) as again:
        assert await announced(again) == f"Signoff web chat: {address}\n"
        async with store(tmp_path) as client:
            assert await client.get("left-by-test") == "kept"
        assert await stopped(again, signal.SIGTERM) == 0
    await until(lambda: asyncio.to_thread(server_is_gone, tmp_path), START_S)


async def test_a_killed_child_comes_back_and_none_outlives_a_killed_parent(tmp_path: Path) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}/healthz"

    async def serves_again() -> bool:
        now = children_of(tmp_path).get("web", killed)
        return now != killed and await status_of(address) == 200

    async def all_gone() -> bool:
        return all(is_gone(pid) for pid in left) and server_is_gone(tmp_path)

    async with started(tmp_path, port, few_examples(tmp_path)) as process:
        await announced(process)
        killed = children_of(tmp_path)["web"]
        os.kill(killed, signal.SIGKILL)
        await until(serves_again, START_S)
        left = children_of(tmp_path).values()
        process.kill()
        await process.wait()
        await until(all_gone, START_S)

    assert len(left) == 2
    assert await status_of(address) == 0


async def test_what_a_worker_held_that_was_killed_with_its_watchdog_is_taken_by_the_next_at_once(
    tmp_path: Path,
) -> None:
    port = free_port()
    # Nothing comes free by its lease, and nobody minds that the worker stands still.
    patient = {"SIGNOFF_LEASE_S": "3600", "SIGNOFF_WATCHDOG_S": "3600"}
    files = {**few_examples(tmp_path), **patient, "SIGNOFF_FAILPOINT": "spin handling.handle"}

    async with started(tmp_path, port, files) as process:
        await announced(process)
        async with store(tmp_path) as client, WebRoom(f"http://127.0.0.1:{port}", "main") as room:

            async def holders() -> set[str]:
                lanes = [lane async for lane in client.scan_iter("{p*}:l:talk:*:h")]
                held = [await client.hmget(lane, "holder", "fence") for lane in lanes]
                return {str(holder) for holder, fence in held if fence not in (None, "0")}

            async def is_held_by_another() -> bool:
                return bool(await holders() - first)

            first: set[str] = set()
            await room.say("lin", SPIN)
            await until(is_held_by_another, START_S)
            first = await holders()
            os.kill(children_of(tmp_path)["worker"], signal.SIGKILL)
            await until(is_held_by_another, START_S)
            # The second one spins as well, and would be given time to finish.
            process.kill()
            os.kill(children_of(tmp_path)["worker"], signal.SIGKILL)
    log = (tmp_path / "stderr.log").read_text().splitlines()
    told = [json.loads(line) for line in log if "lanes_given_back" in line]
    assert next((line["process"], line["count"]) for line in told) == ("run", 1)


@pytest.mark.parametrize("with_watchdog", [False, True])
async def test_a_decided_run_whose_worker_is_killed_is_done_by_the_next_without_waiting_for_a_lease(
    tmp_path: Path, with_watchdog: bool
) -> None:
    port = free_port()
    patient = {"SIGNOFF_LEASE_S": "3600", "SIGNOFF_WATCHDOG_S": "3600"}
    async with started(tmp_path, port, {**few_examples(tmp_path), **patient}) as process:
        await announced(process)
        async with store(tmp_path) as client, WebRoom(f"http://127.0.0.1:{port}", "main") as room:
            review = await to_review(room)

            async def writes() -> bool:
                lanes = [lane async for lane in client.scan_iter("{p*}:l:run:*:h")]
                return any([await client.hget(lane, "fence") not in (None, "0") for lane in lanes])

            watchdog = children_of(tmp_path)["worker"]
            worker = only_child(watchdog)
            with closing(sqlite3.connect(tmp_path / "data" / "study.sqlite3")) as study:
                # What is approved cannot be written before the worker is gone.
                study.execute("BEGIN IMMEDIATE")
                assert (await room.tap("chen", review, "approve"))[1]["ok"]
                await until(writes, START_S)
                for pid in (watchdog, worker) if with_watchdog else (worker,):
                    os.kill(pid, signal.SIGKILL)
                await until(lambda: is_gone(worker), START_S)
                study.rollback()
            await room.wait_for(is_done, START_S)
        assert children_of(tmp_path)["worker"] != watchdog
    log = [json.loads(line) for line in (tmp_path / "stderr.log").read_text().splitlines()]
    assert [e["count"] for e in log if e["event"] == "lanes_given_back" and e["count"]] == [1]


async def test_two_runs_on_two_ports_share_one_server(tmp_path: Path) -> None:
    ports = free_port(), free_port()
    files = few_examples(tmp_path)
    async with (
        started(tmp_path, ports[0], files) as first,
        started(tmp_path, ports[1], files) as second,
    ):
        await announced(first)
        await announced(second)
        server = RunningServer.read(tmp_path / "data" / "redis")

        assert await stopped(first, signal.SIGINT) == 0
        assert await status_of(f"http://127.0.0.1:{ports[1]}/readyz") == 200
        assert RunningServer.read(tmp_path / "data" / "redis") == server
        assert await stopped(second, signal.SIGINT) == 0
    await until(lambda: asyncio.to_thread(server_is_gone, tmp_path), START_S)


async def test_a_child_that_finds_its_settings_wrong_ends_everything_with_2(
    tmp_path: Path,
) -> None:
    people = Path(shutil.copy(PLAYBOOKS / "people.yaml", tmp_path))
    files = {**few_examples(tmp_path), "SIGNOFF_PEOPLE": str(people)}
    async with started(tmp_path, free_port(), files) as process:
        await announced(process)
        await asyncio.to_thread(people.write_text, "roles: none\n")
        os.kill(children_of(tmp_path)["web"], signal.SIGKILL)
        async with within(START_S, "the process ends"):
            status = await process.wait()

    assert status == 2
    assert f"{people}:1: roles: " in (tmp_path / "stderr.log").read_text()
    await until(lambda: asyncio.to_thread(server_is_gone, tmp_path), START_S)


async def test_the_procfile_works_under_honcho(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Procfile", tmp_path)
    port = free_port()

    async def serves() -> bool:
        return await status_of(f"http://127.0.0.1:{port}/healthz") == 200

    async with running(
        tmp_path, "honcho", "start", "web", "worker", PORT=str(port), **few_examples(tmp_path)
    ) as process:
        await until(serves, START_S)
        await stopped(process, signal.SIGTERM)
    assert not await serves()
    await until(lambda: asyncio.to_thread(server_is_gone, tmp_path), START_S)

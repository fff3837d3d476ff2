"""Every process is killed while a card is open; after a new start the tap resumes the run."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from tests.fakes.forge import Forged, forged
from tests.fakes.platforms.patience import START_S, within
from tests.fakes.ports import free_port
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.test_web_walk import ASK, GOOD, today

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"
STARTED = "Signoff web chat: "


def environment(folder: Path, port: int) -> dict[str, str]:
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(PLAYBOOKS.parent),
        "PORT": str(port),
        "SIGNOFF_DATA_DIR": str(folder / "data"),
        # What a killed process held comes free after this long.
        "SIGNOFF_LEASE_S": "2",
        "SIGNOFF_PLAYBOOKS": str(PLAYBOOKS),
        "SIGNOFF_PEOPLE": str(PLAYBOOKS / "people.yaml"),
    }


async def run(folder: Path, port: int, **more: str) -> tuple[Forged, str]:
    """`signoff run` in a process of its own, and the address that it prints."""
    with (folder / "log").open("ab") as log:
        env = {**environment(folder, port), **more}
        process = await forged("bot", ("run",), cwd=folder, env=env, stderr=log.fileno())
    assert process.stdout is not None
    async with within(START_S, f"it prints {STARTED!r}", (folder / "log").read_text):
        async for line in process.stdout:
            if line.decode().startswith(STARTED):
                return process, line.decode().removeprefix(STARTED).strip().rstrip("/")
    raise AssertionError((folder / "log").read_text())


def pids_of(folder: Path) -> set[int]:
    """Every process that stands in the folder, or whose environment or command names it: web,
    worker, store, all. The store writes its title over its environment."""
    mark, found = str(folder).encode(), set()
    for proc in Path("/proc").iterdir():
        if not proc.name.isdigit() or int(proc.name) == os.getpid():
            continue
        try:
            told = (proc / "environ").read_bytes() + (proc / "cmdline").read_bytes()
            told += os.readlink(proc / "cwd").encode()
        except OSError:
            continue
        if mark in told:
            found.add(int(proc.name))
    return found


async def kill_all(folder: Path, process: Forged) -> int:
    """SIGKILL until nothing of it is left; returns how many processes there were."""
    killed: set[int] = set()
    async with within(START_S, "every process is gone", lambda: str(pids_of(folder))):
        while left := pids_of(folder):
            for pid in left:
                # A worker ends with its watchdog, before it is its turn.
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            killed |= left
            await asyncio.sleep(0.02)
        # To the end of its output, so that the pipe is closed as well.
        await process.communicate()
    return len(killed)


async def test_a_card_outlives_the_death_of_every_process(tmp_path: Path) -> None:
    port = free_port()
    process, url = await run(tmp_path, port)
    try:
        async with WebRoom(url) as room:
            await room.say("lin", ASK["zh"])
            clarify = await room.card("clarify")
            await room.fill("lin", clarify, "submit", **GOOD)
            card = await room.card("confirm")
        # run, web, worker, the store and what looks after it
        assert await kill_all(tmp_path, process) >= 4
        process, url = await run(tmp_path, port)
        async with WebRoom(url) as room:
            answers = await asyncio.gather(
                room.tap("chen", card, "approve"), room.tap("wu", card, "approve")
            )
            won, lost = sorted((answer for _, answer in answers), key=lambda a: not a["ok"])
            assert (won["ok"], lost["ok"]) == (True, False)
            winner = "陈博" if "陈博" in won["text"] else "吴静"
            assert winner in lost["text"]
            done = await room.card("phase_done")
            assert "61.5 kg" in text_of(done)
            await room.say("lin", "P003 的体重是多少?")
            await room.wait_for(
                lambda m: m["card"] is None and "61.5" in text_of(m) and today() in text_of(m)
            )
    finally:
        await kill_all(tmp_path, process)

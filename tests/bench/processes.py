"""The processes that are measured: started, read from /proc, ended by their own id."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from redis.asyncio import Redis
from redis.exceptions import RedisError

from adapters.redis.server.binary import find_server
from adapters.redis.server.supervisor import COMPACT_HASHES
from bot.waits import pause
from tests.chaos.processes import environment, family
from tests.fakes.ports import free_port
from tests.fakes.redis_servers import SAFE

START_S = 120.0
END_S = 20.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Child:
    """A process that we started, and the file that takes what it says."""

    name: str
    process: Process
    log: Path

    @property
    def pid(self) -> int:
        """Its id."""
        return self.process.pid

    def cpu_s(self) -> float:
        """Seconds of processor time that it and its children have used, in user and system mode."""
        return sum(map(_cpu_s, family(self.pid)))

    def rss_mb(self) -> float:
        """Its resident memory in MB, and its children's; what they share counts once."""
        return sum(map(memory_mb, family(self.pid)))

    def said(self, words: str) -> bool:
        """Whether its log has these words."""
        return words in self.log.read_text(errors="replace")

    async def end(self) -> None:
        """SIGTERM, and SIGKILL when that does not help."""
        if self.process.returncode is not None:
            return
        self.process.terminate()
        try:
            async with asyncio.timeout(END_S):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


def _cpu_s(pid: int) -> float:
    # The name in parentheses may hold spaces.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_mb(pid: int) -> float:
    """Its resident memory in MB; of what it shares, its part."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    named = dict(line.split(":", 1) for line in lines[1:])
    return int(named["Pss"].split()[0]) * 1024 / 1e6


async def start(
    name: str, folder: Path, *words: str, env: Mapping[str, str], tool: tuple[str, ...] = ()
) -> Child:
    """A Python process of ours; `words` are its arguments after `python`."""
    log = folder / f"{name}.log"
    command = (*tool, sys.executable, *words)
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=folder, env=dict(env), stdin=DEVNULL, stdout=DEVNULL, stderr=out
        )
    return Child(name, process, log)


async def until_said(child: Child, words: str) -> None:
    """Waits for a line of its log; raises RuntimeError when the process ends before."""
    async with asyncio.timeout(START_S):
        while not child.said(words):
            _alive(child)
            await moment()


async def until_listening(child: Child, port: int) -> None:
    """Waits until it takes connections; raises RuntimeError when the process ends before."""
    async with asyncio.timeout(START_S):
        while True:
            _alive(child)
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await moment()
                continue
            writer.close()
            return


async def moment() -> None:
    """Some milliseconds, for what tells nobody when it is ready."""
    await pause(asyncio.Event(), 0.01)


def _alive(child: Child) -> None:
    if child.process.returncode is not None:
        last = child.log.read_text(errors="replace")[-2000:]
        raise RuntimeError(f"{child.name} ended with {child.process.returncode}: {last}")


async def redis(folder: Path, *, name: str = "valkey") -> tuple[Child, int]:
    """A server set as ours is (append-only file, synced at every write), and its port.

    The folder must exist.
    """
    port = free_port()
    given = {"port": str(port), "bind": "127.0.0.1", "dir": str(folder), "save": ""}
    # A rewrite of the file would take processor time in whichever round it falls.
    settings = {**given, **SAFE, **COMPACT_HASHES, "hz": "100", "auto-aof-rewrite-percentage": "0"}
    words = [word for n, value in settings.items() for word in (f"--{n}", value)]
    process = await asyncio.create_subprocess_exec(
        str(find_server().path), *words, stdout=DEVNULL, stderr=DEVNULL
    )
    child = Child(name, process, folder / "none.log")
    try:
        async with asyncio.timeout(START_S), Redis(host="127.0.0.1", port=port) as client:
            while not await _answers(client):
                await moment()
    except BaseException:
        await child.end()
        raise
    return child, port


async def _answers(client: Redis) -> bool:
    try:
        return bool(await client.ping())
    except (RedisError, OSError):
        return False


def service_environment(folder: Path, redis_port: int, **more: str) -> dict[str, str]:
    """What our web and worker process are started with."""
    sample = Path(__file__).parents[2] / "playbooks" / "people.yaml"
    people = folder / "people.yaml"
    # Crowds write, and none of them is anybody's colleague.
    admit = "admit: {platforms: [slack, telegram]}\n"
    people.write_text(f"{sample.read_text(encoding='utf-8')}\n{admit}", encoding="utf-8")
    return environment(
        folder,
        REDIS_URL=f"redis://127.0.0.1:{redis_port}/0",
        SIGNOFF_PEOPLE=str(people),
        # What is measured is not how it refuses.
        SIGNOFF_MESSAGES_PER_MIN="100000",
        **more,
    )

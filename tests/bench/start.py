"""What a start of `signoff run` with the samples costs, and the memory it takes, by process."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from adapters.redis.server.supervisor import RunningServer
from tests.bench.figures import Figures, medians, table
from tests.bench.plan import Plan, Result
from tests.bench.processes import TICKS, Child, memory_mb, moment, start
from tests.bench.processes import until_said as until_logged
from tests.chaos.processes import environment, family
from tests.fakes.ports import free_port

_READY = ("web_started", "worker_started")


async def startup(plan: Plan, folder: Path) -> Result:
    """Starts of a new folder, and of the same once more."""
    first, again = [], []
    for number in range(plan.rounds):
        place = folder / str(number)
        place.mkdir()
        first.append(await _started(place))
        again.append(await _started(place))
    rows = {"a new folder": medians(first), "once more": medians(again)}
    text = table("start of `signoff run`, MB counted once where shared", rows)
    return Result("start", dict(rows), text)


async def _started(folder: Path) -> Figures:
    env = environment(folder, SIGNOFF_DATA_DIR=str(folder / "data"), PORT=str(free_port()))
    del env["SIGNOFF_WEBCHAT"]
    child = await start("run", folder, "-m", "bot", "run", env=env)
    try:
        for words in _READY:
            await until_logged(child, words)
        await _settled(child)
        found = dict(_processes(child, folder))
        cpu_s = sum(_cpu_s(pid) for pid in found)
        memory: Figures = {}
        for pid, name in found.items():
            memory[f"{name} MB"] = memory.get(f"{name} MB", 0.0) + memory_mb(pid)
        return {"cpu s": cpu_s, "MB": sum(memory.values()), **memory}
    finally:
        await child.end()


async def _settled(child: Child) -> None:
    """Return once a tenth of a second passes without work."""
    before = -1.0
    while (now := child.cpu_s()) != before:
        before = now
        for _ in range(10):
            await moment()


def _processes(child: Child, folder: Path) -> Iterator[tuple[int, str]]:
    """All that runs for the service, each with its name."""
    yield from ((pid, _name(pid)) for pid in family(child.pid))
    for running in (folder / "data").rglob("server.json"):
        if server := RunningServer.read(running.parent):
            yield server.pid, "store"
            yield _parent(server.pid), "store's keeper"


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return "?"


def _parent(pid: int) -> int:
    found = re.search(r"^PPid:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


def _cpu_s(pid: int) -> float:
    """Processor seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS

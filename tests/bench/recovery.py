"""How soon a decided run goes on whose worker is killed, in `signoff run`."""

import asyncio
import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from time import perf_counter

from redis.asyncio import Redis

from adapters.redis.server.supervisor import RunningServer
from tests.bench import wire
from tests.bench.approvals import WebChat
from tests.bench.figures import Figures, percentile, table
from tests.bench.load import PATIENCE_S
from tests.bench.plan import Plan, Result
from tests.bench.processes import Child, moment, start, until_listening, until_said
from tests.chaos.processes import environment, family
from tests.fakes.ports import free_port

_RUN_LANES = "{p0}:l:run:*:h"
_KILLED = {"a worker": slice(1, 2), "with its watchdog": slice(0, 2)}


async def recovery(plan: Plan, folder: Path) -> Result:
    """Each round, a service whose worker is killed while it holds a run that was decided."""
    took: dict[str, list[float]] = {who: [] for who in _KILLED}
    faults: list[str] = []
    number = 0
    for _ in range(plan.rounds):
        for who, which in _KILLED.items():
            number += 1
            try:
                took[who].append(await _killed(folder, number, which))
            except (TimeoutError, OSError, RuntimeError) as error:
                faults.append(f"{who} {number}: {type(error).__name__} {error}")
            plan.say(f"recovery: {who}, {took[who][-1:]}")
    rows: dict[str, Figures] = {
        who: {"kills": len(found), "p50 s": percentile(found, 0.5), "most s": max(found, default=0)}
        for who, found in took.items()
    }
    title = "from SIGKILL until the requester sees a decided run done, `signoff run`"
    return Result("recovery", dict(rows), table(title, rows, first="killed"), faults)


async def _killed(folder: Path, number: int, which: slice) -> float:
    """Seconds from the end of a worker that holds a decided run until that is shown as done."""
    port = free_port()
    # Nothing comes free by its lease meanwhile.
    given = {"SIGNOFF_WEBCHAT": "on", "SIGNOFF_LEASE_S": "3600", "PORT": str(port)}
    env = environment(folder, SIGNOFF_DATA_DIR=str(folder / "data"), **given)
    async with AsyncExitStack() as stack:
        child = await start(f"run{number}", folder, "-m", "bot", "run", env=env)
        stack.push_async_callback(child.end)
        await until_listening(child, port)
        await until_said(child, "worker_started")
        server = RunningServer.read(folder / "data" / "redis")
        assert server is not None
        client = await stack.enter_async_context(
            Redis(unix_socket_path=server.socket, decode_responses=True, socket_timeout=PATIENCE_S)
        )
        web = wire.Client(port)
        stack.callback(web.close)
        chat = WebChat(web, client)
        async with asyncio.timeout(PATIENCE_S):
            card = await chat.ask(number)
            while await _held(client):
                await moment()
            tapping = asyncio.create_task(chat.tap(number, card))
            while not await _held(client):
                pass
            begun = perf_counter()
            for pid in _workers(child)[which]:
                os.kill(pid, signal.SIGKILL)
            await tapping
            await chat.until_done(number)
            return perf_counter() - begun


async def _held(client: Redis) -> bool:
    """Whether a worker has the lease of a run."""
    lanes = [lane async for lane in client.scan_iter(_RUN_LANES, count=1000)]
    held = [await client.hget(lane, "fence") for lane in lanes]
    return any(fence not in (None, "0") for fence in held)


def _workers(child: Child) -> list[int]:
    """The watchdog and its worker."""
    names = {pid: Path(f"/proc/{pid}/comm").read_text().strip() for pid in family(child.pid)}
    return [pid for pid, name in names.items() if name == "signoff-worker"]

"""Item 4: what runs cost that wait for a person, and whether their number slows anything down."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from time import perf_counter
from typing import Any

from redis.asyncio import Redis

from tests.bench import processes, wire
from tests.bench.clones import REQUEST, ROOM, Names, Original, fill, original, weights
from tests.bench.contestants import Contestant, ours
from tests.bench.figures import Figures, ms, percentile, table
from tests.bench.load import PATIENCE_S
from tests.bench.messages import SLACK
from tests.bench.plan import Plan, Result
from tests.fakes.web_room import WebRoom

STARTS = 3
SETTLE_S = 1.0


async def suspended(plan: Plan, folder: Path) -> Result:
    """The same taps on runs among more and more others."""
    async with AsyncExitStack() as stack:
        folder = folder / "signoff"
        contestant = await ours(stack, folder, SLACK, SIGNOFF_WEBCHAT="on")
        # A bulk of clones keeps the server busy for longer than a client waits by default.
        client = await stack.enter_async_context(
            Redis(port=contestant.store, decode_responses=True, socket_timeout=PATIENCE_S)
        )
        real = await real_run(contestant, client)
        empty = await _used(client)
        rows: dict[str, Figures] = {}
        faults: list[str] = []
        have = 0
        for size in sorted(plan.sizes):
            await fill(client, real, range(have, size))
            await asyncio.sleep(SETTLE_S)
            figures = {"bytes / run, all": (await _used(client) - empty) / size}
            weighed = await weights(client, real, real.clone(size - 1))
            figures |= {f"keys: {kind}": heavy for kind, heavy in weighed.items()}
            have = size
            # The newest are tapped, so that no run is tapped at two sizes.
            tapped = [real.clone(size - 1 - n) for n in range(min(plan.taps, size // 2))]
            figures |= await _tap_all(contestant, client, tapped, faults)
            figures |= await _start(contestant)
            rows[f"{size:,}"] = figures
            plan.say(f"suspended: {size:,}")
    title = "runs that wait for a reviewer: bytes in the store, a tap, a new worker"
    return Result("suspended", rows, table(title, rows, first="runs"), faults)


async def real_run(contestant: Contestant, client: Redis) -> Original:
    """A run that waits for a reviewer, to be cloned."""
    async with WebRoom(f"http://127.0.0.1:{contestant.port}", ROOM) as room:
        await room.say("lin", REQUEST)
        card = await room.card("confirm")
    await asyncio.sleep(SETTLE_S)
    return await original(client, card["token"])


async def _used(client: Redis) -> float:
    info: dict[str, Any] = await client.info("memory")
    return float(info["used_memory_dataset"]) + float(info["used_memory_overhead"])


async def _tap_all(
    contestant: Contestant, client: Redis, runs: list[Names], faults: list[str]
) -> Figures:
    web = wire.Client(contestant.port)
    decided: list[float] = []
    resumed: list[float] = []
    for run in runs:
        try:
            async with asyncio.timeout(PATIENCE_S):
                first, second = await approve(web, client, run)
        except (TimeoutError, OSError, RuntimeError) as error:
            faults.append(f"{run.run}: {type(error).__name__} {error}")
            continue
        decided.append(first)
        resumed.append(second)
    web.close()
    return {
        "tap ack p50 ms": ms(decided, 0.5),
        "tap ack p99 ms": ms(decided, 0.99),
        "resumed p50 ms": ms(resumed, 0.5),
        "resumed p99 ms": ms(resumed, 0.99),
    }


async def approve(web: wire.Client, client: Redis, run: Names) -> tuple[float, float]:
    """Seconds from the tap to its acknowledgement, and until the requester sees the run done."""
    body = {"room": run.room, "person": "chen", "id": f"tap-{run.room}", "button": run.button}
    request = wire.post(
        web.port, "/chat/taps", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    begun = perf_counter()
    answer = await web.ask(request)
    decided = perf_counter() - begun
    if answer.status != 200 or not json.loads(answer.body).get("ok"):
        raise RuntimeError(f"{answer.status} {answer.body.decode()}")
    await until_shown(client, run.stream, _is_done)
    return decided, perf_counter() - begun


async def until_shown(client: Redis, stream: str, fits: Callable[[dict[str, Any]], bool]) -> None:
    """Return when the chat shows what fits."""
    after, shown = "0", await _shown(client, stream, "0")
    while not any(fits(entry) for _, entry in shown):
        after = shown[-1][0] if shown else after
        shown = await _shown(client, stream, after)


async def _shown(client: Redis, stream: str, after: str) -> list[tuple[str, dict[str, Any]]]:
    """What the chat shows next, waited for."""
    found: Any = await client.xread({stream: after}, block=1000)
    if not found:
        return []
    # RESP3 wraps the entries of a stream once more than RESP2.
    entries = found[stream][0] if isinstance(found, dict) else found[0][1]
    return [(seq, json.loads(fields["b"])) for seq, fields in entries]


def _is_done(entry: dict[str, Any]) -> bool:
    parts = entry.get("view", {}).get("parts", ())
    return any(part["state"] == "done" for part in parts)


async def _start(contestant: Contestant) -> Figures:
    """Seconds from its start until another worker takes mail, and its processor seconds."""
    took, spent = [], []
    for number in range(STARTS):
        begun = perf_counter()
        worker = await processes.start(
            f"late{number}", contestant.folder, "-m", "bot", "worker", env=contestant.env
        )
        try:
            await processes.until_said(worker, "worker_started")
            took.append(perf_counter() - begun)
            spent.append(worker.cpu_s())
        finally:
            await worker.end()
    return {"worker start s": percentile(took, 0.5), "its cpu s": percentile(spent, 0.5)}

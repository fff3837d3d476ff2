"""Item 5: what one message asks of the store, counted and not timed, script by script."""

import asyncio
import hashlib
import itertools
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from adapters.redis.scripts import script_text
from tests.bench.contestants import ours
from tests.bench.figures import table
from tests.bench.load import Load, Seen
from tests.bench.messages import SLACK
from tests.bench.plan import Plan, Result
from tests.chaos.processes import ROOT

ALONE = 25
# What follows the answer of a lonely message is over by then; the next poll seldom is.
AFTERWARDS_S = 0.15
GOAL = 4
_WEB = ("enqueue", "decide", "card", "LPUSH", "LTRIM")
_SCRIPTS = {
    hashlib.sha1(script_text(path.stem).encode()).hexdigest(): path.stem
    for path in (ROOT / "adapters" / "redis" / "lua").glob("*.lua")
    if path.stem not in ("beside", "common", "effects", "rows")
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A command as the server saw it; `inner` when a script gave it."""

    name: str
    inner: bool


class Watch:
    """Everything that the server is asked while the block lasts."""

    def __init__(self, port: int) -> None:
        self.asked: list[Asked] = []
        self._port = port

    async def follow(self, begun: asyncio.Event) -> None:
        """Note commands until cancelled."""
        async with Redis(host="127.0.0.1", port=self._port) as client, client.monitor() as monitor:
            begun.set()
            async for entry in monitor.listen():
                self.asked.append(_asked(entry))


def _asked(entry: Mapping[str, Any]) -> Asked:
    words = str(entry["command"]).split(" ", 2)
    name = words[0].upper()
    if name in ("EVALSHA", "EVAL"):
        name = _SCRIPTS.get(words[1], name)
    return Asked(name, inner=entry["client_type"] == "lua")


async def commands(plan: Plan, folder: Path) -> Result:
    """One message after the other in silence, then many at once."""
    async with AsyncExitStack() as stack:
        folder = folder / "signoff"
        contestant = await ours(stack, folder, SLACK)
        load = contestant.load(SLACK, plan.conversations, itertools.count(1))
        stack.callback(load.close)
        await load.window(plan.at_once * 4, plan.at_once)
        watch, begun = Watch(contestant.store), asyncio.Event()
        watching = asyncio.create_task(watch.follow(begun))
        try:
            await begun.wait()
            turns, seen = await _alone(load, watch)
            crowd, crowded = await _crowd(load, watch, plan)
        finally:
            watching.cancel()
            await asyncio.wait([watching])
    return _result(turns, crowd, plan.messages, [*seen.faults, *crowded.faults])


async def _alone(load: Load, watch: Watch) -> tuple[list[list[Asked]], Seen]:
    turns, seen = [], Seen()
    for _ in range(ALONE):
        await asyncio.sleep(AFTERWARDS_S)
        first = len(watch.asked)
        await load.say(seen, 0.0)
        await asyncio.sleep(AFTERWARDS_S)
        turns.append(watch.asked[first:])
    return turns, seen


async def _crowd(load: Load, watch: Watch, plan: Plan) -> tuple[list[Asked], Seen]:
    first = len(watch.asked)
    seen = await load.window(plan.messages, plan.at_once)
    await asyncio.sleep(AFTERWARDS_S)
    return watch.asked[first:], seen


def _result(
    turns: Sequence[Sequence[Asked]], crowd: Sequence[Asked], messages: int, faults: list[str]
) -> Result:
    alone = [Counter(a.name for a in turn if not a.inner) for turn in turns]
    names = list(dict.fromkeys(a.name for turn in turns for a in turn if not a.inner))
    busy = Counter(a.name for a in crowd if not a.inner)
    rows = {
        name: {
            "alone": statistics.median(turn[name] for turn in alone),
            "full load": busy[name] / messages,
        }
        for name in dict.fromkeys((*names, *busy))
    }
    web = [row for name, row in rows.items() if name in _WEB]
    worker = [row for name, row in rows.items() if name not in _WEB]
    for label, mine in (("web", web), ("worker", worker)):
        rows[f"all of {label}"] = {n: sum(row[n] for row in mine) for n in ("alone", "full load")}
    rows["inside scripts"] = {
        "alone": statistics.median(sum(a.inner for a in turn) for turn in turns),
        "full load": sum(a.inner for a in crowd) / messages,
    }
    order = Counter(" ".join(a.name for a in turn if not a.inner) for turn in turns)
    usual, times = order.most_common(1)[0]
    text = table("round trips to the store for one look-up", rows)
    text += f"\n  alone, {times} times of {len(turns)}: {usual}"
    text += f"\n  goal: at most {GOAL} of the worker"
    return Result("commands", {"per message": rows, "usual order": usual}, text, faults)

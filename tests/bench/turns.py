"""Items 1 and 2: a message from delivery to answer, ours beside bare bots, in turns."""

import asyncio
import itertools
from collections.abc import Awaitable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.bench.contestants import OURS, PEERS, Contestant, ours, peer
from tests.bench.figures import Figures, medians, ms, ratio, table
from tests.bench.load import Load, Seen
from tests.bench.messages import Kind
from tests.bench.plan import Plan, Result

# Work that goes on after the last answer belongs to the messages as well.
AFTERWARDS_S = 0.3
PER, CALM = "cpu s / 1000", "calm cpu s / 1000"
_COMPARED = (PER, CALM, "msg/s", "ack p50 ms", "ack p99 ms", "e2e p50 ms", "e2e p99 ms")


@dataclass
class _Measured:
    contestant: Contestant
    load: Load
    rounds: list[Figures]
    faults: list[str]


async def turns(plan: Plan, folder: Path, kind: Kind) -> Result:
    """Rounds in which each contestant is measured once."""
    async with AsyncExitStack() as stack:
        numbers = itertools.count(1)
        measured = [
            await _ready(stack, plan, folder / name, kind, name, numbers)
            for name in (*PEERS[kind.name], OURS)
        ]
        for one in measured:
            stack.callback(one.load.close)
        for number in range(plan.rounds):
            for one in _turned(measured, number):
                await _round(one, plan)
            plan.say(f"{kind.name}: round {number + 1} of {plan.rounds}")
    rows = {one.contestant.name: medians(one.rounds) for one in measured}
    return _result(kind, rows, [fault for one in measured for fault in one.faults])


def _turned(measured: list[_Measured], number: int) -> list[_Measured]:
    # Nobody always comes after the same other one.
    first = number % len(measured)
    return measured[first:] + measured[:first]


async def _ready(
    stack: AsyncExitStack,
    plan: Plan,
    folder: Path,
    kind: Kind,
    name: str,
    numbers: Iterator[int],
) -> _Measured:
    if name == OURS:
        contestant = await ours(stack, folder, kind)
    else:
        contestant = await peer(stack, folder, kind, name)
    one = _Measured(contestant, contestant.load(kind, plan.conversations, numbers), [], [])
    # Caches fill, connections open, conversations begin.
    await one.load.window(min(plan.conversations, plan.messages), plan.at_once)
    return one


async def _round(one: _Measured, plan: Plan) -> None:
    figures: Figures = {}
    busy, spent = await _spent(one, one.load.window(plan.messages, plan.at_once))
    figures[PER] = sum(spent.values())
    figures["msg/s"] = busy.per_s
    figures |= {f"{name} s": s for name, s in spent.items() if name != "bot"}
    calm, spent = await _spent(one, one.load.steady(plan.calm_messages, plan.rate))
    figures |= _latencies(calm)
    figures[CALM] = sum(spent.values())
    figures["rss MB"] = sum(one.contestant.rss_mb().values())
    one.rounds.append(figures)
    one.faults += [f"{one.contestant.name}: {fault}" for fault in (*busy.faults, *calm.faults)]


async def _spent(one: _Measured, load: Awaitable[Seen]) -> tuple[Seen, dict[str, float]]:
    """What was seen, and the processor seconds of each process per 1,000 messages."""
    await asyncio.sleep(AFTERWARDS_S)
    before = one.contestant.cpu_s()
    seen = await load
    await asyncio.sleep(AFTERWARDS_S)
    after = one.contestant.cpu_s()
    answered = max(1, len(seen.answers_s))
    return seen, {name: (after[name] - before[name]) * 1000 / answered for name in after}


def _latencies(seen: Seen) -> Figures:
    return {
        "ack p50 ms": ms(seen.acks_s, 0.5),
        "ack p99 ms": ms(seen.acks_s, 0.99),
        "e2e p50 ms": ms(seen.answers_s, 0.5),
        "e2e p99 ms": ms(seen.answers_s, 0.99),
    }


def _result(kind: Kind, rows: dict[str, Figures], faults: list[str]) -> Result:
    mine = rows[OURS]
    ratios = {
        f"{OURS} / {name}": {n: ratio(mine[n], row[n]) for n in _COMPARED}
        for name, row in rows.items()
        if name != OURS
    }
    title = f"{kind.name}: a look-up (ours) or an echo (others), from delivery to answer"
    text = table(title, rows) + "\n" + table("ratios", ratios)
    return Result(f"{kind.name} turn", {"medians": rows, "ratios": ratios}, text, faults)

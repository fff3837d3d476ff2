"""Item 3: how fast messages are taken and looked up while a model thinks, and when not."""

import asyncio
import itertools
from contextlib import AsyncExitStack
from pathlib import Path
from time import perf_counter

from tests.bench.contestants import Contestant, ours
from tests.bench.figures import Figures, medians, ms, ratio, table
from tests.bench.load import Load, Seen
from tests.bench.messages import OPEN_QUESTION, SLACK
from tests.bench.plan import Plan, Result
from tests.bench.processes import moment

MOST_ROUNDS = 3
# Probes end before the model does.
MARGIN_S = 1.0


async def acks(plan: Plan, folder: Path) -> Result:
    """The same probes in turns: nothing else happens, and one model call is under way."""
    settings = {"OPENAI_API_KEY": "bench", "LLM_MODEL": "bench"}
    quiet: list[Figures] = []
    thinking: list[Figures] = []
    faults: list[str] = []
    async with AsyncExitStack() as stack:
        contestant = await ours(stack, folder / "signoff", SLACK, model=True, **settings)
        load = contestant.load(SLACK, plan.conversations, itertools.count(1))
        stack.callback(load.close)
        await load.window(plan.at_once * 4, plan.at_once)
        probes = max(1, int(plan.rate * max(1.0, plan.hold_s - MARGIN_S)))
        for number in range(min(plan.rounds, MOST_ROUNDS)):
            seen = await load.steady(probes, plan.rate)
            quiet.append(probed(seen))
            faults += seen.faults
            held = await _while_it_thinks(contestant, load, plan, probes)
            thinking.append(probed(held))
            faults += held.faults
            plan.say(f"acks: round {number + 1}")
    return _result(plan, medians(quiet), medians(thinking), faults)


async def _while_it_thinks(contestant: Contestant, load: Load, plan: Plan, probes: int) -> Seen:
    stub = contestant.stub
    asked = Seen()
    stub.hold_s = plan.hold_s
    async with asyncio.TaskGroup() as group:
        group.create_task(load.say(asked, perf_counter(), OPEN_QUESTION))
        async with asyncio.timeout(plan.hold_s + MARGIN_S):
            while not stub.thinking:
                await moment()
        # Only this call is slow: what the turn asks afterwards must not reach the next round.
        stub.hold_s = 0.0
        seen = await load.steady(probes, plan.rate)
        if not stub.thinking:
            seen.faults.append("the model had answered before the probes were through")
    seen.faults += asked.faults
    return seen


def probed(seen: Seen) -> Figures:
    """How fast probes were taken and answered."""
    return {
        "ack p50 ms": ms(seen.acks_s, 0.5),
        "ack p99 ms": ms(seen.acks_s, 0.99),
        "look-up p50 ms": ms(seen.answers_s, 0.5),
        "look-up p99 ms": ms(seen.answers_s, 0.99),
    }


def _result(plan: Plan, quiet: Figures, thinking: Figures, faults: list[str]) -> Result:
    rows = {
        "quiet": quiet,
        "model thinks": thinking,
        "ratio": {name: ratio(thinking[name], quiet[name]) for name in quiet},
    }
    title = f"while a model call of {plan.hold_s:.0f} s is under way, at {plan.rate:.0f} messages/s"
    return Result("acks", rows, table(title, rows), faults)

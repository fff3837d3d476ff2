"""Item: where the processor time of a look-up and of an approval goes, part by part.

A service in this process, whose handle is turned by hand. Own time of functions counts for the
room that they stand in, libraries by their name; waiting is left out, and asyncio, since a service
runs on uvloop. The profiler makes small functions dear: shares are what counts.
"""

import asyncio
import cProfile
import pstats
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from pathlib import Path

from adapters.redis.server.embedded import open_server
from tests.bench.figures import Figures, table
from tests.bench.plan import Plan, Result
from tests.chaos.processes import ROOT
from tests.fakes.crank import Crank, cranked
from tests.scenarios.conftest import settings_over

TIMES = 40
PARTS = 16
MOST_A_MINUTE = 10_000
FIRST_DAY = date(1600, 1, 1)
_WAITS = ("poll", "acquire")
Work = Callable[[Crank, int], Awaitable[None]]


async def profile(plan: Plan, folder: Path) -> Result:
    """Milliseconds and shares of each part, for one of each kind."""
    server = await open_server(folder / "redis")
    try:
        # One person writes more than anybody may in a minute.
        settings = settings_over(server, folder, messages_per_min=MOST_A_MINUTE)
        async with cranked(settings) as crank:
            await crank.parts.reloader.learn()
            columns = {
                "look-up": await _measure(crank, _look_up),
                "approval": await _measure(crank, _approve),
            }
    finally:
        await asyncio.to_thread(server.close)
    plan.say("profile: measured")
    rows = _rows(columns)
    return Result("profile", rows, table("own time by part, one of each", rows, first="part"))


async def _look_up(crank: Crank, number: int) -> None:
    await crank.say("lin", "ECOG of P003?", f"look-{number}")
    await crank.still()


async def _approve(crank: Crank, number: int) -> None:
    day = (FIRST_DAY + timedelta(days=number)).isoformat()
    text = f"补录 P003 {day} 的访视，体重 61.5，血压 120/80，ECOG 1"
    room = f"approve-{number}"
    await crank.say("lin", text, room)
    await crank.still()
    await crank.tap("chen", await crank.card(room), "approve")
    await crank.still()


async def _measure(crank: Crank, work: Work) -> Counter[str]:
    """Milliseconds of each part for one, after some that nobody counts."""
    for number in range(5):
        await work(crank, number)
    running = cProfile.Profile()
    running.enable()
    for number in range(5, 5 + TIMES):
        await work(crank, number)
    running.disable()
    spent: Counter[str] = Counter()
    for (file, _, name), (_, _, own_s, _, _) in pstats.Stats(running).stats.items():  # type: ignore[attr-defined]
        if "asyncio" not in Path(file).parts and not any(wait in name for wait in _WAITS):
            spent[_part(file, name)] += own_s * 1000 / TIMES
    return spent


def _part(file: str, name: str) -> str:
    """The room or the library that a function stands in."""
    path = Path(file)
    if path.is_relative_to(ROOT) and ".venv" not in path.parts:
        inside = path.relative_to(ROOT).parts
        return "/".join(inside[:2]) if len(inside) > 2 else inside[0]
    if "site-packages" in path.parts:
        return path.parts[path.parts.index("site-packages") + 1]
    if file == "~":
        return "pydantic" if "pydantic" in name else "built-in"
    return "python: json" if path.parent.name == "json" else "python"


def _rows(columns: dict[str, Counter[str]]) -> dict[str, Figures]:
    sums = {name: sum(spent.values()) for name, spent in columns.items()}
    every: Counter[str] = sum((*columns.values(),), Counter())
    first = [part for part, _ in every.most_common(PARTS)]
    rows: dict[str, Figures] = {}
    for part in (*first, "all else", "all"):
        row: Figures = {}
        for name, spent in columns.items():
            match part:
                case "all":
                    ms = sums[name]
                case "all else":
                    ms = sums[name] - sum(spent[each] for each in first)
                case _:
                    ms = spent[part]
            row |= {f"{name} ms": ms, f"{name} %": 100 * ms / sums[name]}
        rows[part] = row
    return rows

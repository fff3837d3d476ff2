"""`make bench`: what the service costs beside bare bots; see README.md for what numbers mean.

Everything is started here, on loopback, and ended here. Nothing is asserted about time.
"""

import asyncio
import json
import math
import os
import platform
import shutil
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import uvloop

from adapters.clock import SystemClock
from bot.terminal.output import show_progress
from tests.bench.acks import acks
from tests.bench.approvals import approvals
from tests.bench.commands import commands
from tests.bench.jobs import jobs
from tests.bench.messages import SLACK, TELEGRAM
from tests.bench.model_cost import model_cost
from tests.bench.pages import pages
from tests.bench.partitions import partitions
from tests.bench.plan import Plan, Result, read
from tests.bench.planner import planner
from tests.bench.profile import profile
from tests.bench.recovery import recovery
from tests.bench.replicas import replicas
from tests.bench.reviews import reviews
from tests.bench.router.frames import frames
from tests.bench.router.score import router
from tests.bench.rules import rules
from tests.bench.sharing import sharing
from tests.bench.start import startup
from tests.bench.suspended import suspended
from tests.bench.taps import taps
from tests.bench.turns import turns
from tests.chaos.processes import ROOT

OUT = ROOT / "build" / "bench.json"
SHOWN_FAULTS = 10


async def _slack(plan: Plan, folder: Path) -> Result:
    return await turns(plan, folder, SLACK)


async def _telegram(plan: Plan, folder: Path) -> Result:
    return await turns(plan, folder, TELEGRAM)


Item = Callable[[Plan, Path], Awaitable[Result]]
MEASURES: Mapping[str, Item] = {
    "router": router,
    "frames": frames,
    "planner": planner,
    "rules": rules,
    "model": model_cost,
    "jobs": jobs,
    "slack": _slack,
    "telegram": _telegram,
    "approvals": approvals,
    "acks": acks,
    "sharing": sharing,
    "taps": taps,
    "suspended": suspended,
    "commands": commands,
    "reviews": reviews,
    "pages": pages,
    "profile": profile,
    "replicas": replicas,
    "partitions": partitions,
    "start": startup,
    "recovery": recovery,
}


async def _measure(plan: Plan, folder: Path) -> list[Result]:
    # What was started ends with its block, which a signal must not skip.
    measuring = asyncio.current_task()
    assert measuring is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, measuring.cancel)
    results = []
    for name in show_progress(plan.only, "measured", len(plan.only)):
        plan.say(f"{name} begins")
        place = folder / name
        place.mkdir()
        results.append(await MEASURES[name](plan, place))
        _write(plan, results)
        print(_shown(results[-1]), flush=True)
    return results


def _shown(result: Result) -> str:
    lines = ["", result.text]
    lines += [f"  FAULT {fault}" for fault in result.faults[:SHOWN_FAULTS]]
    more = len(result.faults) - SHOWN_FAULTS
    return "\n".join(lines + ([f"  ... and {more} more faults"] if more > 0 else []))


def _write(plan: Plan, results: Sequence[Result]) -> None:
    OUT.parent.mkdir(exist_ok=True)
    found = {
        "at": SystemClock("UTC").now().isoformat(),
        "machine": {"cores": os.cpu_count(), "system": platform.system()},
        "python": platform.python_version(),
        "plan": {name: getattr(plan, name) for name in plan.__slots__},
        "results": {r.name: {**r.figures, "faults": len(r.faults)} for r in results},
    }
    OUT.write_text(json.dumps(_known(found), indent=2, ensure_ascii=False) + "\n")


def _known(value: Any) -> Any:
    """The same with null for what was not measured, as JSON has no NaN."""
    match value:
        case dict():
            return {name: _known(one) for name, one in value.items()}
        case float() if math.isnan(value):
            return None
        case _:
            return value


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes build/bench.json; 1 when an answer was missing or wrong."""
    if not Path("/proc/self/stat").exists():
        print("the bench reads processor time from /proc, which only Linux has", file=sys.stderr)
        return 2
    plan = read(argv)
    folder = Path(tempfile.mkdtemp(prefix="signoff-bench-"))
    try:
        results = uvloop.run(_measure(plan, folder))
        print(f"\nwritten to {OUT.relative_to(ROOT)}")
        return 1 if any(result.faults for result in results) else 0
    except (asyncio.CancelledError, KeyboardInterrupt):
        return 130
    finally:
        if plan.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

"""A short chaos run; `make chaos` is the long one."""

import asyncio
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT

from tests.chaos.processes import ROOT

SEED = 3
LIMIT_S = 150.0
SIZE = {"conversations": 20, "updates": 400, "seconds": 20, "fault-every": 0.7, "settle": 60}


async def test_nothing_is_lost_doubled_or_reordered_while_everything_breaks() -> None:
    size = [f"--{name}={value}" for name, value in SIZE.items()]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.chaos.run", f"--seed={SEED}", *size),
        cwd=ROOT,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
    )
    try:
        async with asyncio.timeout(LIMIT_S):
            told, _ = await process.communicate()
    finally:
        if process.returncode is None:
            # So that it ends what it has started.
            process.send_signal(signal.SIGINT)
            await process.wait()
    assert process.returncode == 0, told.decode()
    assert f"seed {SEED}: 0 violations" in told.decode()

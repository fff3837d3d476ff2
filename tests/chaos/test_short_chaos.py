"""A short chaos run, with every kind of fault; `make chaos` is the long one."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT

from tests.chaos.processes import ROOT

SEED = int(os.environ.get("CHAOS_SEED", "3"))
# It takes half a minute on two idle cores; every wait inside has a limit of its own.
LIMIT_S = 600.0


async def test_nothing_is_lost_doubled_or_reordered_while_everything_breaks() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.chaos.run", "--short", f"--seed={SEED}"),
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

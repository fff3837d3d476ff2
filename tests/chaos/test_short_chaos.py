"""A short chaos run, with every kind of fault; `make chaos` is the long one."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT

import pytest

from tests.chaos.processes import ROOT

SEED = int(os.environ.get("CHAOS_SEED", "3"))
# It takes half a minute on two idle cores; every wait inside has a limit of its own.
LIMIT_S = 600.0
# For what it has started to end.
END_S = 120.0


@pytest.mark.timeout(LIMIT_S + 2 * END_S)
async def test_nothing_is_lost_doubled_or_reordered_while_everything_breaks() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.chaos.run", "--short", f"--seed={SEED}"),
        cwd=ROOT,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
    )
    telling = asyncio.create_task(process.communicate())
    # Past its limit it is asked to end what it has started, and what it says is still read.
    if not (await asyncio.wait([telling], timeout=LIMIT_S))[0]:
        process.send_signal(signal.SIGINT)
    if not (await asyncio.wait([telling], timeout=END_S))[0]:
        process.kill()
    told, _ = await telling
    assert process.returncode == 0, told.decode()
    assert f"seed {SEED}: 0 violations" in told.decode()

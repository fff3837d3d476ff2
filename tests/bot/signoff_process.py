"""Starts `signoff` as a process of its own, in an empty folder and a clean environment."""

import asyncio
import os
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from tests.fakes.forge import PIPE, Forged, forged
from tests.fakes.platforms.patience import START_S, until, within

ROOT = Path(__file__).parents[2]
PLAYBOOKS = ROOT / "playbooks"
FILES = {
    "SIGNOFF_PLAYBOOKS": str(PLAYBOOKS),
    "SIGNOFF_PEOPLE": str(PLAYBOOKS / "people.yaml"),
}


def environment(folder: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """What a fresh terminal would have, and our files on the import path."""
    scripts = str(Path(sys.executable).parent)
    return {
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        **variables,
    }


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended."""

    status: int
    out: str
    err: str


async def ended(folder: Path, *words: str, given: bytes = b"", **variables: str) -> Ended:
    """`python -m bot WORDS`, waited for; `given` is its standard input."""
    env = environment(folder, variables)
    if "PYTHONPATH" in variables:
        # It is about what there is to import.
        command = (sys.executable, "-m", "bot", *words)
        process: Process | Forged = await asyncio.create_subprocess_exec(
            *command, cwd=folder, env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
    else:
        process = await forged("bot", words, cwd=folder, env=env, stdin=PIPE)
    async with _killed_at_the_end(process), within(START_S, f"`signoff {' '.join(words)}` ends"):
        out, err = await process.communicate(given)
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())


@asynccontextmanager
async def running(folder: Path, *command: str, **variables: str) -> AsyncIterator[Process]:
    """A process that goes on; it is killed at the end when it has not ended by then."""
    with (folder / "stderr.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=environment(folder, variables),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=PIPE,
            stderr=log,
        )
    async with _killed_at_the_end(process):
        yield process


@asynccontextmanager
async def serving(
    folder: Path, *words: str, module: str = "bot", **variables: str
) -> AsyncIterator[Forged]:
    """The same for `python -m bot WORDS`, which begins with everything imported."""
    env = environment(folder, variables)
    with (folder / "stderr.log").open("ab") as log:
        process = await forged(module, words, cwd=folder, env=env, stderr=log.fileno())
    async with _killed_at_the_end(process):
        yield process


@asynccontextmanager
async def _killed_at_the_end(process: Process | Forged) -> AsyncIterator[None]:
    try:
        yield
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def answering(url: str) -> None:
    """Returns once the web process answers there."""
    async with aiohttp.ClientSession() as session:

        async def answers() -> bool:
            try:
                async with session.get(f"{url}/healthz"):
                    return True
            except aiohttp.ClientError:
                return False

        await until(answers, START_S)

"""Peers that keep approvals in PostgreSQL: LangGraph with its checkpointer, and DBOS.

They are installed apart (`build/peers`), and PostgreSQL is Debian's; what is missing is skipped.
"""

import asyncio
import os
import shutil
from asyncio.subprocess import DEVNULL
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.bench import processes
from tests.chaos.processes import ROOT
from tests.fakes.ports import free_port

PYTHON = ROOT / "build" / "peers" / "bin" / "python"
PEERS = ("langgraph", "dbos")
_USER = "postgres"


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer that runs: where it listens, and its processes with its database's."""

    name: str
    port: int
    children: Mapping[str, processes.Child]


async def peers(stack: AsyncExitStack, folder: Path, say: Callable[[str], None]) -> list[Peer]:
    """Each peer with a PostgreSQL of its own; what is not installed is said and left out."""
    programs = _programs()
    if programs is None or not PYTHON.exists():
        missing = "PostgreSQL" if programs is None else f"{PYTHON.relative_to(ROOT)} (make bench)"
        say(f"no peers are measured: there is no {missing}")
        return []
    found = []
    for name in PEERS:
        check = await asyncio.create_subprocess_exec(
            str(PYTHON), "-c", f"import {name}", stdout=DEVNULL, stderr=DEVNULL
        )
        if await check.wait():
            say(f"{name} is not measured: it is not in {PYTHON.parents[1].relative_to(ROOT)}")
            continue
        found.append(await _start(stack, folder / name, name, programs))
    return found


def _programs() -> Path | None:
    """Where Debian has PostgreSQL's programs."""
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


def _made(folder: Path, user: str = "") -> Path:
    """The folder, which belongs to that user; others may pass through those above it."""
    folder.mkdir(parents=True)
    if user:
        shutil.chown(folder, user)
        for parent in folder.parents:
            if parent.stat().st_uid == os.geteuid() and not parent.stat().st_mode & 0o001:
                parent.chmod(parent.stat().st_mode | 0o011)
    return folder


async def _start(stack: AsyncExitStack, folder: Path, name: str, programs: Path) -> Peer:
    _made(folder)
    server, address = await _postgresql(folder / "postgres", programs)
    stack.push_async_callback(server.end)
    port = free_port()
    log = folder / f"{name}.log"
    script = Path(__file__).parent / "peers" / f"{name}_approvals.py"
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            *(str(PYTHON), str(script), str(port), address),
            cwd=folder,
            env={"PATH": str(PYTHON.parent), "HOME": str(folder)},
            stdin=DEVNULL,
            stdout=out,
            stderr=out,
        )
    peer = processes.Child(name, process, log)
    stack.push_async_callback(peer.end)
    await processes.until_listening(peer, port)
    return Peer(name, port, {"peer": peer, "postgres": server})


async def _postgresql(folder: Path, programs: Path) -> tuple[processes.Child, str]:
    """A server of its own, which syncs each commit as it does by default, and its address."""
    # It refuses to run as root.
    user = ("runuser", "-u", _USER, "--") if os.geteuid() == 0 else ()
    _made(folder, _USER if user else "")
    data, log = folder / "data", folder.parent / "postgres.log"
    made = await asyncio.create_subprocess_exec(
        *user,
        str(programs / "initdb"),
        *("-D", str(data), "-U", _USER, "-A", "trust", "-E", "UTF8", "--no-locale"),
        stdout=DEVNULL,
        stderr=DEVNULL,
        cwd=folder,
    )
    if await made.wait():
        raise RuntimeError("initdb failed")
    port = free_port()
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            *user,
            str(programs / "postgres"),
            *("-D", str(data), "-p", str(port), "-k", str(folder), "-h", "127.0.0.1"),
            stdout=DEVNULL,
            stderr=out,
            cwd=folder,
        )
    server = processes.Child("postgres", process, log)
    await processes.until_said(server, "ready to accept connections")
    return server, f"postgresql://{_USER}@127.0.0.1:{port}/postgres"

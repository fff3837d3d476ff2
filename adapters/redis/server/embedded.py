"""A real Redis-compatible server inside the data folder, shared by the processes that use it.

Every user holds a shared lock on `users.lock`. A detached supervisor, started by whoever finds none
alive, runs the server as its child, restarts it after a crash, and stops it once it can take the
users' lock for itself (store.md, "Embedded server").
"""

import asyncio
import contextlib
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, RedisError

from adapters.filesystem import make_private_folder
from adapters.redis.server.binary import ServerBinary, check_data_version, find_server
from adapters.redis.server.supervisor import (
    LEFT_BEHIND,
    RUNNING,
    RunningServer,
    open_lock,
    socket_path,
    take_lock,
)
from engine.errors import DefinitionError, StoreUnavailable

_PATIENCE_S = 30.0
_POLL_S = 0.03
_SUPERVISE_EVERY_S = 1.0
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class EmbeddedServer:
    """A share in the server of one data folder; the server stays up while anybody has a share."""

    def __init__(self, folder: Path, *, url: str, share: int) -> None:
        self.url = url
        self._folder = folder
        self._share: int | None = share

    def close(self) -> None:
        """Gives the share back; the last one to do so lets the server stop. Again is harmless."""
        if self._share is not None:
            os.close(self._share)
            self._share = None

    async def keep_supervised(self) -> None:
        """Start a new supervisor whenever it was killed, until cancelled or closed."""
        while self._share is not None:
            await asyncio.to_thread(self.supervise)
            await asyncio.sleep(_SUPERVISE_EVERY_S)

    def supervise(self) -> None:
        """Start a new supervisor if it was killed; due every second while in use."""
        _start_supervisor_if_none(self._folder)


async def open_server(data_dir: Path) -> EmbeddedServer:
    """Starts or joins the server of `data_dir` and waits until it answers (store.md).

    Raises DefinitionError when there is no server program, the folder cannot be written, or its
    data was written by a newer server; StoreUnavailable when the server does not answer within ten
    seconds, not counting the time in which it loads its data.
    """
    binary = await asyncio.to_thread(find_server)
    folder = await asyncio.to_thread(_prepare, data_dir, binary)
    share = open_lock(folder / "users.lock")
    try:
        await _join_users(share)
        running = await _wait_until_running(folder)
    except BaseException:
        os.close(share)
        raise
    return EmbeddedServer(folder, url="unix://" + quote(running.socket), share=share)


def _prepare(data_dir: Path, binary: ServerBinary) -> Path:
    folder = data_dir.resolve()
    try:
        make_private_folder(folder)
        for name in ("users.lock", "supervisor.lock", "server.lock"):
            os.close(open_lock(folder / name))
    except OSError as error:
        raise DefinitionError(
            f"SIGNOFF_DATA_DIR: should be a folder that can be written: {folder}: {error.strerror}"
        ) from error
    check_data_version(folder, binary)
    socket_path(folder)
    return folder


async def _join_users(share: int) -> None:
    # Only a supervisor that stops its server keeps others from this lock, and not for long.
    deadline = time.monotonic() + 2 * _PATIENCE_S
    while not take_lock(share, fcntl.LOCK_SH):
        if time.monotonic() > deadline:
            raise StoreUnavailable("the embedded server is stopping and does not come to an end")
        await asyncio.sleep(_POLL_S)


async def _wait_until_running(folder: Path) -> RunningServer:
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        # Each time: a supervisor that is about to end looks alive for a moment.
        await asyncio.to_thread(_start_supervisor_if_none, folder)
        running = RunningServer.read(folder)
        if running is not None:
            try:
                await _ping(running.socket)
            except BusyLoadingError:
                deadline = time.monotonic() + _PATIENCE_S
            except (RedisError, OSError):
                pass
            else:
                return running
        await asyncio.sleep(_POLL_S)
    raise StoreUnavailable(f"the embedded server does not answer; see {folder / 'server.log'}")


async def _ping(socket: str) -> None:
    once = Retry(NoBackoff(), 0)
    async with Redis(unix_socket_path=socket, socket_timeout=1.0, retry=once) as client:
        await client.ping()


def _start_supervisor_if_none(folder: Path) -> None:
    lock = open_lock(folder / "supervisor.lock")
    try:
        if not take_lock(lock, fcntl.LOCK_EX):
            return
        # Nobody may join a server whose supervisor was killed: it is about to be stopped.
        with contextlib.suppress(FileNotFoundError):
            os.replace(folder / RUNNING, folder / LEFT_BEHIND)
        # The lock goes to the supervisor with its descriptor, so nobody can start a second one.
        with (folder / "server.log").open("ab") as log:
            subprocess.run(  # noqa: S603
                _supervisor_command(folder, lock),
                cwd=folder,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(lock,),
                check=False,
            )
    finally:
        os.close(lock)


def _supervisor_command(folder: Path, lock: int) -> list[str]:
    module = "adapters.redis.server.supervisor"
    return [sys.executable, "-P", "-m", module, str(folder), str(lock)]


def _environment() -> dict[str, str]:
    # The supervisor outlives whoever starts it: it gets no secrets, and finds this very code.
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**kept, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}

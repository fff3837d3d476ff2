"""The detached process that keeps the embedded server running as long as anybody uses it.

Run as `python -m adapters.redis.server.supervisor FOLDER LOCK`, where LOCK is an inherited
descriptor that holds `supervisor.lock`.
"""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final, NamedTuple

from adapters.redis.server.binary import (
    check_data_version,
    find_server,
    note_data_version,
    replace_file,
)
from engine.errors import DefinitionError

RUNNING = "server.json"
LEFT_BEHIND = "server-left.json"

_WATCH_S = 0.1
_STOP_S = 10.0
_STEADY_S = 5.0
_LONGEST_PAUSE_S = 5.0
_LONGEST_SOCKET_PATH_BYTES = 100


class RunningServer(NamedTuple):
    """The server that a supervisor started last in a folder; it may still be loading its data."""

    pid: int
    socket: str

    @classmethod
    def read(cls, folder: Path, name: str = RUNNING) -> "RunningServer | None":
        """Return what the folder names, or None while no server is meant to run."""
        try:
            body = json.loads((folder / name).read_text("utf-8"))
            return cls(pid=int(body["pid"]), socket=str(body["socket"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, folder: Path) -> None:
        """Publish it to the users of the folder."""
        replace_file(folder / RUNNING, json.dumps(self._asdict()))


def open_lock(path: Path) -> int:
    """A descriptor of a lock file, which is created when it is missing."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def take_lock(descriptor: int, mode: int) -> bool:
    """Whether the lock could be had at once; `mode` is fcntl.LOCK_SH or fcntl.LOCK_EX."""
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def socket_path(folder: Path) -> str:
    """Where the server listens: in the folder, or in the run-time folder when that is too long."""
    path = str(folder / "server.sock")
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH_BYTES:
        return path
    # This process stays as long as the service does: what is rare is loaded when it is wanted.
    import hashlib
    import tempfile

    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    short = Path(tempfile.gettempdir()) / f"signoff-{os.getuid()}-{digest}"
    short.mkdir(mode=0o700, exist_ok=True)
    stat = short.lstat()
    # The run-time folder is open to everybody: another user may have made ours before us.
    if short.is_symlink() or stat.st_uid != os.getuid() or stat.st_mode & 0o077:
        raise DefinitionError(f"{short}: should be a folder that only this user can enter")
    return str(short / "server.sock")


def _shut_down_orphan(folder: Path, server_lock: int) -> None:
    left = RunningServer.read(folder, LEFT_BEHIND)
    sockets = {socket_path(folder)} | ({left.socket} if left else set())
    deadline = time.monotonic() + _STOP_S
    while not take_lock(server_lock, fcntl.LOCK_EX):
        if time.monotonic() > deadline:
            raise SystemExit(f"{folder}: another server works here and does not stop")
        for path in sockets:
            _shut_down(path)
        time.sleep(_WATCH_S)
    (folder / LEFT_BEHIND).unlink(missing_ok=True)


def _shut_down(socket: str) -> None:
    # Rare as well.
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.exceptions import RedisError
    from redis.retry import Retry

    once = Retry(NoBackoff(), 0)
    with (
        contextlib.suppress(RedisError, OSError),
        Redis(unix_socket_path=socket, socket_timeout=_STOP_S, retry=once) as client,
    ):
        client.shutdown()


class _ServerProcess:
    """Starts the server again whenever it is gone, with a growing pause when it does not last."""

    def __init__(self, folder: Path, server_lock: int) -> None:
        self._folder = folder
        self._lock = server_lock
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._pause_s = 0.0

    def check(self) -> None:
        """Starts the server when it is not running and its pause is over."""
        now = time.monotonic()
        if self._process is not None:
            if self._process.poll() is None:
                return
            lasted = now - self._started > _STEADY_S
            self._pause_s = 0.0 if lasted else min(_LONGEST_PAUSE_S, self._pause_s * 2 + 0.1)
            self._process = None
            self._started = now
            (self._folder / RUNNING).unlink(missing_ok=True)
        if now - self._started >= self._pause_s:
            self._start()

    def _start(self) -> None:
        binary = find_server()
        check_data_version(self._folder, binary)
        note_data_version(self._folder, binary)
        socket = socket_path(self._folder)
        # It inherits `server.lock`: as long as this server lives, no other one can start here.
        self._process = subprocess.Popen(  # noqa: S603
            [binary.path, *_options(self._folder, socket)],
            stdin=subprocess.DEVNULL,
            pass_fds=(self._lock,),
        )
        self._started = time.monotonic()
        RunningServer(self._process.pid, socket).write(self._folder)

    def stop(self) -> None:
        """Stops the server after it has written everything down."""
        (self._folder / RUNNING).unlink(missing_ok=True)
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


COMPACT_HASHES: Final = {"hash-max-ziplist-value": "2048", "hash-max-ziplist-entries": "64"}
"""With these a run that waits fits into compact hashes; by the names that 6.2 knows too."""


def _options(folder: Path, socket: str) -> list[str]:
    settings = {
        "port": "0",
        "unixsocket": socket,
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "always",
        "no-appendfsync-on-rewrite": "no",
        "save": "",
        "hz": "100",
        "maxmemory-policy": "noeviction",
        **COMPACT_HASHES,
        "daemonize": "no",
    }
    return [word for name, value in settings.items() for word in (f"--{name}", value)]


def supervise(folder: Path) -> None:
    """Runs the server of `folder` until nobody uses it any more, or until SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    users = open_lock(folder / "users.lock")
    server_lock = open_lock(folder / "server.lock")
    _shut_down_orphan(folder, server_lock)
    keeper = _ServerProcess(folder, server_lock)
    try:
        while not take_lock(users, fcntl.LOCK_EX):
            keeper.check()
            time.sleep(_WATCH_S)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        keeper.stop()


def main() -> None:
    """Detaches from whoever started it, then supervises; the lock is let go when it ends."""
    folder, lock = Path(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(lock, False)
    os.umask(0o077)
    if os.fork():
        os._exit(0)
    try:
        supervise(folder)
    except DefinitionError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

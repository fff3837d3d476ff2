"""Servers with a setup of the test's own: one with other settings, or a Cluster of three."""

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from adapters.redis.server.binary import find_server
from adapters.redis.server.supervisor import open_lock, take_lock
from tests.fakes.platforms.patience import START_S
from tests.fakes.ports import free_port

SAFE = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}
SLOTS = 16384
MEMORY = Path("/dev/shm")
LEAST_MEMORY_BYTES = 1 << 30
_PREFIX = f"signoff-tests-{os.getuid()}-"


@contextmanager
def quick_folder(other: Callable[[], Path]) -> Iterator[Path]:
    """A folder for a server's data: in memory where there is enough, else the other one.

    A server waits for its disk at each write, as it should; in memory that takes no time.
    """
    for left in MEMORY.glob(f"{_PREFIX}*"):
        if (left / "session.lock").exists() and _is_left(left / "session.lock"):
            # By a session that was killed.
            shutil.rmtree(left, ignore_errors=True)
    if not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < LEAST_MEMORY_BYTES:
        yield other()
        return
    with tempfile.TemporaryDirectory(
        prefix=_PREFIX, dir=MEMORY, ignore_cleanup_errors=True
    ) as made:
        # Nobody finds it before it is held.
        lock = open_lock(Path(made) / "new.lock")
        assert take_lock(lock, fcntl.LOCK_EX)
        (Path(made) / "new.lock").rename(Path(made) / "session.lock")
        yield Path(made)
        # An embedded server is stopped soon after its last user has gone.
        until(lambda: _is_left(Path(made) / "server.lock"))
        os.close(lock)


def _is_left(path: Path) -> bool:
    """Whether nobody holds the lock."""
    lock = open_lock(path)
    try:
        return take_lock(lock, fcntl.LOCK_EX)
    finally:
        os.close(lock)


@contextmanager
def server(folder: Path, **settings: str) -> Iterator[int]:
    """The port of a new server on 127.0.0.1, which ends with the block."""
    port = free_port()
    process = start_server(folder, port, **settings)
    try:
        yield port
    finally:
        process.kill()
        process.wait()


def start_server(folder: Path, port: int, **settings: str) -> "subprocess.Popen[bytes]":
    """A server on what the folder has, once it answers; the caller ends it."""
    folder.mkdir(parents=True, exist_ok=True)
    given = {"port": str(port), "bind": "127.0.0.1", "dir": str(folder), "save": "", **settings}
    words = [word for name, value in given.items() for word in (f"--{name}", value)]
    process = subprocess.Popen([find_server().path, *words], stdout=subprocess.DEVNULL)
    try:
        with Redis(host="127.0.0.1", port=port) as client:
            until(lambda: _answers(client))
    except BaseException:
        process.kill()
        process.wait()
        raise
    return process


@contextmanager
def loading(folder: Path, port: int) -> Iterator[str]:
    """The address of a server that loads slowly what another left in the folder.

    It answers after every 1024 commands that it has loaded.
    """
    given = {"port": str(port), "bind": "127.0.0.1", "dir": str(folder), "save": "", **SAFE}
    slow = {"key-load-delay": "100"}
    words = [word for name, value in {**given, **slow}.items() for word in (f"--{name}", value)]
    process = subprocess.Popen([find_server().path, *words], stdout=subprocess.DEVNULL)
    try:
        with Redis(host="127.0.0.1", port=port) as client:
            until(lambda: _loads(client))
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.kill()
        process.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """The address of a Cluster of three masters."""
    with ExitStack() as stack:
        safe = {**SAFE, "cluster-enabled": "yes"}
        ports = [stack.enter_context(server(folder / str(n), **safe)) for n in range(3)]
        nodes = [stack.enter_context(Redis(host="127.0.0.1", port=port)) for port in ports]
        share = SLOTS // 3
        for n, node in enumerate(nodes):
            last = SLOTS - 1 if n == 2 else (n + 1) * share - 1
            node.execute_command("CLUSTER", "ADDSLOTSRANGE", n * share, last)
            node.execute_command("CLUSTER", "MEET", "127.0.0.1", ports[0])
        until(lambda: all(_agrees(node) for node in nodes))
        yield f"redis://127.0.0.1:{ports[0]}"


def until_follows(port: int) -> None:
    """Wait until a replica has what its primary had."""
    with Redis(host="127.0.0.1", port=port) as client:
        until(lambda: client.info("replication").get("master_link_status") == "up")


def until(holds: Callable[[], bool]) -> None:
    """Wait for a process of its own, which tells nobody when it is ready."""
    end = time.monotonic() + START_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def _answers(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except (RedisError, OSError):
        return False


def _loads(client: Redis) -> bool:
    try:
        return bool(client.info()["loading"])
    except (RedisError, OSError):
        return False


def _agrees(node: Redis) -> bool:
    info = node.cluster("INFO")
    return info["cluster_state"] == "ok" and int(info["cluster_known_nodes"]) == 3

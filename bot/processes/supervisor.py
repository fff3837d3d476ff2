"""`signoff run`: the embedded server, a web process and a worker, as one command.

What both need is imported and read here, once, and shared with them: they are forked. When it
forks, this process has neither threads nor an event loop. Where libraries of the system do not
survive a fork (macOS), both start from nothing instead.
"""

import asyncio
import contextlib
import ctypes
import http.client
import os
import select
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import structlog

from bot.processes.left_lanes import LeftLanes, give_back
from bot.processes.sd_notify import ALIVE, READY, STOPPING, Notifier
from bot.serve.work.pulse import Pulse
from bot.settings import Settings
from bot.waits import run_unless_stopped
from bot.wiring.store import check_store, open_own_server

_log = structlog.get_logger()

_PROCESSES: Final = ("web", "worker")
_WRONG_SETTINGS: Final = 2
_STOP_S: Final = 20.0
_LONGEST_PAUSE_S: Final = 5.0
_STEADY_S: Final = 30.0
_LOOK_S: Final = 0.1
_SUPERVISE_EVERY_S: Final = 1.0
_ENDINGS: Final = (signal.SIGTERM, signal.SIGINT)
_SET_NAME: Final = 15


class OwnServer(Protocol):
    """The service's own store: its address, its share in it, and the care that it needs."""

    url: str

    def supervise(self) -> None:
        """Start what runs it again, if that was killed."""

    def close(self) -> None:
        """Give this process's share back."""


async def open_store(settings: Settings, stop: asyncio.Event) -> OwnServer | None:
    """Open the service's own server, if it has one, and wait until the store can be used.

    The caller closes it: it stays up while web and worker are restarted. Raises DefinitionError for
    a store that cannot be used, StoreUnavailable for one that stays away, Stopped once `stop` is
    set.
    """
    if settings.redis_url is not None:
        await run_unless_stopped(stop, check_store(settings.redis_url, settings))
        return None
    server = await run_unless_stopped(stop, open_own_server(settings))
    try:
        await run_unless_stopped(stop, check_store(server.url, settings))
    except BaseException:
        server.close()
        raise
    return server


@dataclass(slots=True)
class _Process:
    """One that this starts again when it ends; `pulse` is what it shows of its work."""

    name: str
    pulse: Pulse | None = None
    pid: int = 0
    life: int = -1
    """Its standard input, which ends with this process."""
    since: float = 0.0
    due: float = 0.0
    pause_s: float = 0.0
    left: LeftLanes | None = None
    """What the one before held, until it is given back."""


@dataclass(frozen=True, slots=True)
class ProcessRole:
    """In a process that was forked: what it is, and where it shows what it is at.

    `store_url` is of the service's own store, which its share in that keeps up; None without one.
    """

    name: str
    pulse: Pulse | None
    store_url: str | None


@dataclass(slots=True)
class Supervisor:
    """Keeps both processes going until it is told to stop."""

    settings: Settings
    server: OwnServer | None
    _notifier: Notifier = field(default_factory=Notifier)
    _processes: tuple[_Process, ...] = ()
    _woken: int = -1
    _wakes: int = -1
    _stopping: bool = False
    _deadline: float = float("inf")
    _status: int = 0
    _announced: bool = False
    _supervised_at: float = 0.0
    _notified_at: float = float("-inf")

    def run(self) -> ProcessRole | int:
        """In each process that it starts, what that one is; here the exit status in the end.

        0 after a signal to stop; 2 when a process finds its settings wrong.
        """
        # Its memory is shared, so that what a worker held is known after its end.
        pulses = {"worker": Pulse()} if self.settings.watchdog_s else {}
        self._processes = tuple(_Process(name, pulses.get(name)) for name in _PROCESSES)
        self._woken, self._wakes = os.pipe()
        for end in (self._woken, self._wakes):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wakes)
        for number in (*_ENDINGS, signal.SIGCHLD):
            signal.signal(number, self._on_signal)
        self._notifier.send(READY)
        while not self._is_over():
            for process in self._processes:
                if self._is_due(process) and self._start(process):
                    url = self.server.url if self.server else None
                    return ProcessRole(process.name, process.pulse, url)
            # While the next one starts, which then takes these lanes.
            self._give_back()
            self._look_after()
            self._wait()
            for process in self._processes:
                self._reap(process)
        self._give_back()
        return self._status

    def _on_signal(self, number: int, *_: object) -> None:
        self._stopping = self._stopping or number != signal.SIGCHLD

    def _is_over(self) -> bool:
        return self._stopping and not any(process.pid for process in self._processes)

    def _is_due(self, process: _Process) -> bool:
        return not (self._stopping or process.pid) and time.monotonic() >= process.due

    def _start(self, process: _Process) -> bool:
        """Start it; True in the new process."""
        reads, life = os.pipe()
        sys.stdout.flush()
        # Signals wait until the handlers of parent and child are set.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)
        pid = os.fork()
        if not pid:
            os.close(life)
            self._become(process, reads)
            return True
        os.close(reads)
        process.pid, process.life, process.since = pid, life, time.monotonic()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDINGS)
        _log.info("process_started", name=process.name, pid=pid)
        return False

    def _become(self, process: _Process, reads: int) -> None:
        """Make this new process one of its own, or start it from nothing."""
        # Ctrl-C reaches the supervisor alone.
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (*_ENDINGS, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDINGS)
        os.dup2(reads, 0)
        lives = [other.life for other in self._processes if other.pid]
        for end in (reads, self._woken, self._wakes, *lives):
            os.close(end)
        os.environ.pop("NOTIFY_SOCKET", None)
        if not can_fork():
            # Nothing is imported from the folder that is served.
            words = ("-P", "-m", "bot", process.name, "--stop-at-eof")
            os.execv(sys.executable, (sys.executable, *words))  # noqa: S606
        if not sys.flags.safe_path and sys.path[:1] in ([""], [str(Path.cwd())]):
            del sys.path[0]
        name_process(f"signoff-{process.name}")

    def _look_after(self) -> None:
        """Whatever else is due: the server, the notifier, and telling where the service is."""
        now = time.monotonic()
        if self.server is not None and now - self._supervised_at >= _SUPERVISE_EVERY_S:
            self._supervised_at = now
            self.server.supervise()
        if self._stopping:
            self._stop(now)
            return
        if now - self._notified_at >= self._notifier.every_s:
            self._notified_at = now
            self._notifier.send(ALIVE)
        if not self._announced and _is_healthy(self.settings):
            self._announced = True
            what = "Signoff web chat:" if self.settings.has_page else "Signoff listens on"
            print(f"{what} {address_of(self.settings)}", flush=True)

    def _stop(self, now: float) -> None:
        if self._deadline == float("inf"):
            self._deadline = now + _STOP_S
            self._notifier.send(STOPPING)
            self._send(signal.SIGTERM)
        elif now > self._deadline:
            self._send(signal.SIGKILL)

    def _send(self, number: int) -> None:
        for process in self._processes:
            if process.pid:
                os.kill(process.pid, number)

    def _wait(self) -> None:
        """Wait for a signal, or the next look."""
        pauses = [process.due - time.monotonic() for process in self._processes if not process.pid]
        look_s = _LOOK_S if self._stopping or not self._announced else _SUPERVISE_EVERY_S
        look_s = min(look_s, self._notifier.every_s, *(max(pause, 0.0) for pause in pauses))
        if select.select([self._woken], [], [], look_s)[0]:
            os.read(self._woken, 4096)

    def _reap(self, process: _Process) -> None:
        """Take note of its end; it is started again, after a growing pause."""
        if not process.pid:
            return
        found, status = os.waitpid(process.pid, os.WNOHANG)
        if not found:
            return
        process.pid, code = 0, os.waitstatus_to_exitcode(status)
        os.close(process.life)
        if process.pulse is not None and code:
            process.left = LeftLanes(process.pulse.holder, process.pulse.lanes, 0)
            process.pulse.clear()
        if self._stopping:
            return
        if code == _WRONG_SETTINGS:
            self._status, self._stopping = code, True
            return
        now = time.monotonic()
        # The first end, or one after some time, is an accident: what waits shall go on at once.
        pause_s = 0.0 if now - process.since > _STEADY_S else process.pause_s
        process.due = now + pause_s
        process.pause_s = min(_LONGEST_PAUSE_S, pause_s * 2 + 0.2)
        _log.error(
            "process ended, starting it again", name=process.name, status=code, pause_s=pause_s
        )

    def _give_back(self) -> None:
        """Free what those held that ended, for whoever is there to take it."""
        for process in self._processes:
            if process.left is not None:
                give_back(process.left, self.settings)
                process.left = None


def can_fork() -> bool:
    """Whether a copy of this process can serve: it has one thread, and a system that allows it."""
    # What macOS loads for itself does not work in a copy of a process.
    return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1


def name_process(name: str) -> None:
    """Show this process under that name, of at most 15 characters, where the system can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_NAME, name.encode(), 0, 0, 0)


def _is_healthy(settings: Settings) -> bool:
    host, port = _reached_at(settings), settings.port
    connection = http.client.HTTPConnection(host, port, timeout=2)
    with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    return False


def _reached_at(settings: Settings) -> str:
    anywhere: Mapping[str, str] = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
    return anywhere.get(settings.host, settings.host)


def address_of(settings: Settings) -> str:
    """Where this machine reaches the service by HTTP, as a URL that ends with a slash."""
    host = _reached_at(settings)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}/"

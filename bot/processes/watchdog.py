"""The process that watches over a worker: one that stands still is ended, and another begun.

What a worker needs is imported and read here before it is forked, so that the next one takes
mail at once. This process has neither threads nor an event loop when it forks.
"""

import asyncio
import ctypes
import faulthandler
import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

import structlog

from bot.definitions.loader import load_definitions
from bot.processes.sd_notify import ALIVE, READY, STOPPING, Notifier
from bot.serve.work.pulse import Pulse
from bot.settings import Settings
from bot.wiring.store import open_store_ports
from engine.errors import DefinitionError, StoreError

_log = structlog.get_logger()

_LOOKS: Final = 40
_LONGEST_LOOK_S: Final = 0.1
_GIVE_BACK_S: Final = 5.0
_SHORTEST_RETRY_S: Final = 1.0
_STACK_S: Final = 0.2
_STACK_LINES: Final = 12
_IDLE: Final = "in _worker"
_SHOW_STACK: Final = signal.SIGUSR1
# How long a worker may finish what it has in hand when nobody is left to ask for it.
_ORPHAN_S: Final = 20.0
_ENDINGS: Final = (signal.SIGTERM, signal.SIGINT)
_SET_PARENT_DEATH_SIGNAL: Final = 1


def prepare(settings: Settings) -> None:
    """Read and check what every worker begins with; raises DefinitionError."""
    load_definitions(settings)


class Silence:
    """For how long a worker has not been heard.

    Only time in which its watchdog was awake counts: a machine that was suspended, a container that
    was paused, and a processor that is given to others tell nothing about the worker.
    """

    def __init__(self, look_s: float, now: float) -> None:
        self._most_s = 2 * look_s
        self._beats = 0
        self._at = now
        self.seconds = 0.0

    def look(self, beats: int, now: float) -> None:
        """Take note of the beats that there were up to now, 0 while none is to be waited for."""
        passed_s, self._at = min(now - self._at, self._most_s), now
        heard = beats != self._beats or not beats
        self._beats, self.seconds = beats, 0.0 if heard else self.seconds + passed_s


class Watchdog:
    """Begins a worker as its child, and the next one when that one stands still."""

    def __init__(self, settings: Settings, *, stop_at_eof: bool) -> None:
        self._settings = settings
        self._look_s = min(settings.watchdog_s / _LOOKS, _LONGEST_LOOK_S)
        self._pulse = Pulse()
        self._notifier = Notifier()
        self._stack = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._inputs = [0] if stop_at_eof else []
        self._told_at = float("-inf")
        self._ready = self._stopping = False
        self._deadline = float("inf")
        self._woken, self._wakes = os.pipe()
        for end in (self._woken, self._wakes):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wakes)
        for number in (*_ENDINGS, signal.SIGCHLD):
            signal.signal(number, self._heard)

    def _heard(self, number: int, *_: object) -> None:
        self._stopping = self._stopping or number != signal.SIGCHLD

    def run(self) -> Pulse | int:
        """Its pulse, in each worker; in the watchdog the exit status, once one ended by itself."""
        left: _Left | None = None
        while True:
            worker = self._begin()
            if not worker:
                return self._pulse
            if left:
                # Beside the start of the next one, which takes it then.
                self._give_back(left)
            ended = self._watch(worker)
            os.close(self._life)
            if isinstance(ended, int):
                return self._ended(ended)
            left = ended
            if self._stopping:
                self._give_back(left)
                return 1

    def _begin(self) -> int:
        """The worker's process id, 0 in the worker."""
        parent, (reads, self._life) = os.getpid(), os.pipe()
        # What is said meanwhile is for the handlers of the one or of the other.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)
        worker = os.fork()
        if not worker:
            self._become_worker(parent, reads)
        os.close(reads)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDINGS)
        return worker

    def _become_worker(self, parent: int, reads: int) -> None:
        signal.set_wakeup_fd(-1)
        for number in (*_ENDINGS, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        # The end of this pipe, which is that of the watchdog, is read as its standard input.
        os.dup2(reads, 0)
        for end in (self._life, self._woken, self._wakes):
            os.close(end)
        os.environ.pop("NOTIFY_SOCKET", None)
        faulthandler.register(_SHOW_STACK, self._stack)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)

    def _watch(self, worker: int) -> "int | _Left":
        """The status with which the worker ended, or what it left that was ended here."""
        silence, asked = Silence(self._look_s, time.monotonic()), False
        while True:
            found, status = os.waitpid(worker, os.WNOHANG)
            if found:
                return status
            now = time.monotonic()
            silence.look(self._pulse.beats, now)
            if silence.seconds > self._settings.watchdog_s and not _is_traced(worker):
                return self._end(worker, silence.seconds)
            if self._stopping and not asked:
                asked = True
                self._notifier.tell(STOPPING)
                os.kill(worker, signal.SIGTERM)
            if now > self._deadline:
                os.kill(worker, signal.SIGKILL)
            self._notify(now)
            self._wait()

    def _wait(self) -> None:
        """Until something is heard, or it is time to look."""
        ready, _, _ = select.select([self._woken, *self._inputs], [], [], self._look_s)
        if self._woken in ready:
            os.read(self._woken, 4096)
        if 0 in ready:
            # Nobody writes there: whoever began this process is gone.
            self._inputs, self._stopping = [], True
            self._deadline = time.monotonic() + _ORPHAN_S

    def _notify(self, now: float) -> None:
        if self._pulse.beats and not self._ready:
            self._ready = True
            self._notifier.tell(READY)
        if now - self._told_at >= self._notifier.every_s:
            self._told_at = now
            self._notifier.tell(ALIVE)

    def _end(self, worker: int, silent_s: float) -> "_Left":
        """End a worker that stands still; its mail is charged."""
        halted = _state(worker) == "T"
        if not halted:
            os.kill(worker, _SHOW_STACK)
            self._await_stack()
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
        # Who was halted from outside stands still through no fault of a mail.
        left = _Left(self._pulse.holder, () if halted else self._pulse.lanes, extra=1)
        self._pulse.clear()
        _log.error(
            "worker_stood_still",
            worker=worker,
            silent_s=round(silent_s, 1),
            lanes=left.charged,
            halted=halted,
            stack=self._read_stack(),
        )
        return left

    def _await_stack(self) -> None:
        """Until it is written as far as it comes, which takes a moment at most."""
        size, deadline = -1, time.monotonic() + _STACK_S
        while (now := os.fstat(self._stack.fileno()).st_size) != size or not now:
            if time.monotonic() > deadline:
                return
            size = now
            time.sleep(_STACK_S / 10)

    def _read_stack(self) -> list[str]:
        self._stack.seek(0)
        text = self._stack.read().decode(errors="replace")
        self._stack.seek(0)
        self._stack.truncate()
        threads = [part.splitlines()[1:] for part in text.split("\n\n")]
        # One that waits for work to come is of no interest.
        working = [part for part in threads if part and _IDLE not in part[0]]
        return [line.strip() for part in working for line in part[:_STACK_LINES]]

    def _ended(self, status: int) -> int:
        """End as the worker did; what it held is given back when it could not do that itself."""
        code = os.waitstatus_to_exitcode(status)
        if code == 0:
            return 0
        if self._stopping and -code in _ENDINGS:
            # It had not begun anything.
            return 0
        self._give_back(_Left(self._pulse.holder, self._pulse.lanes, extra=0))
        if code < 0:
            _die_by(-code)
        return code

    def _give_back(self, left: "_Left") -> None:
        if not left.holder:
            return
        try:
            freed = asyncio.run(self._forfeit(left))
        except (StoreError, DefinitionError, TimeoutError) as error:
            # They come free with their leases.
            _log.warning("lanes_not_given_back", error=str(error))
        else:
            _log.info("lanes_given_back", count=len(freed))

    async def _forfeit(self, left: "_Left") -> Sequence[str]:
        settings = self._settings
        # All others are served before that mail is met again; a crash holds them up only shortly.
        retry_in_s = max(left.extra * settings.watchdog_s / 3, _SHORTEST_RETRY_S)
        async with asyncio.timeout(_GIVE_BACK_S), open_store_ports(settings) as store:
            return await store.operations.forfeit(
                left.holder, charged=left.charged, extra=left.extra, retry_in_s=retry_in_s
            )


@dataclass(frozen=True, slots=True)
class _Left:
    """What a worker left that ended: as whom it held lanes, and whose mail is charged, how much."""

    holder: str
    charged: Sequence[str]
    extra: int


def _state(process: int) -> str:
    """The letter that the system has for what the process does; "" where it tells none."""
    with suppress(OSError):
        # The name in parentheses may hold spaces.
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def _is_traced(process: int) -> bool:
    """Whether a debugger holds it."""
    return _state(process) == "t"


def _die_by(number: int) -> NoReturn:
    # SIGKILL has no handler that could be taken away.
    with suppress(OSError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)

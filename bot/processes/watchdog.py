"""The process that watches over a worker: it ends one that stands still, and starts another.

What a worker needs is imported and read here before it is forked, so that the next one takes
mail at once. This process has neither threads nor an event loop when it forks.
"""

import ctypes
import faulthandler
import os
import select
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

import structlog

from bot.processes.left_lanes import LeftLanes, give_back
from bot.processes.sd_notify import ALIVE, READY, STOPPING, Notifier
from bot.serve.work.pulse import Pulse
from bot.settings import Settings

_log = structlog.get_logger()

_LOOKS: Final = 40
_LONGEST_LOOK_S: Final = 0.1
_STACK_S: Final = 0.2
_STACK_LINES: Final = 12
_IDLE: Final = "in _worker"
_SHOW_STACK: Final = signal.SIGUSR1
# How long a worker may take to finish after the process that started it is gone.
_ORPHAN_S: Final = 20.0
_ENDINGS: Final = (signal.SIGTERM, signal.SIGINT)
_SET_PARENT_DEATH_SIGNAL: Final = 1


class Silence:
    """For how long a worker has shown no beat.

    Only time in which its watchdog was awake and the worker did not wait for a processor counts: a
    machine that was suspended, a container that was paused, and a processor that is given to others
    tell nothing about the worker.
    """

    def __init__(self, look_s: float, now: float) -> None:
        self._most_s = 2 * look_s
        self._beats = 0
        self._at = now
        self._queued_s = 0.0
        self.seconds = 0.0

    def look(self, beats: int, now: float, queued_s: float = 0.0) -> None:
        """Take note of the number of beats so far, 0 while no beat is expected.

        `queued_s` is for how long the worker has waited for a processor, in all its life.
        """
        passed_s, self._at = min(now - self._at, self._most_s), now
        waited_s, self._queued_s = queued_s - self._queued_s, queued_s
        heard = beats != self._beats or not beats
        counted_s = max(passed_s - waited_s, 0.0)
        self._beats, self.seconds = beats, 0.0 if heard else self.seconds + counted_s


class Watchdog:
    """Starts a worker as its child, and another one when that one stands still."""

    def __init__(
        self, settings: Settings, *, stop_at_eof: bool, pulse: Pulse | None = None
    ) -> None:
        """With a `pulse`, whoever made it sees what the worker holds, too."""
        self._settings = settings
        self._look_s = min(settings.watchdog_s / _LOOKS, _LONGEST_LOOK_S)
        self._is_supervised = pulse is not None
        self._pulse = pulse or Pulse()
        self._notifier = Notifier()
        self._stack = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._inputs = [0] if stop_at_eof else []
        self._notified_at = float("-inf")
        self._ready = self._stopping = False
        self._deadline = float("inf")
        self._woken, self._wakes = os.pipe()
        for end in (self._woken, self._wakes):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wakes)
        for number in (*_ENDINGS, signal.SIGCHLD):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, *_: object) -> None:
        self._stopping = self._stopping or number != signal.SIGCHLD

    def run(self) -> Pulse | int:
        """Returns the pulse in each worker, and in the watchdog the exit status of the last one."""
        left: LeftLanes | None = None
        while True:
            worker = self._fork_worker()
            if not worker:
                return self._pulse
            if left:
                # While the next one starts, which then takes these lanes.
                give_back(left, self._settings)
            ended = self._watch(worker)
            os.close(self._life)
            if isinstance(ended, int):
                return self._exit_status(ended)
            left = ended
            if self._stopping:
                give_back(left, self._settings)
                return 1

    def _fork_worker(self) -> int:
        """The worker's process id, 0 in the worker."""
        parent, (reads, self._life) = os.getpid(), os.pipe()
        # Signals wait until the handlers of parent and child are set.
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
        # The standard input ends with the watchdog.
        os.dup2(reads, 0)
        for end in (self._life, self._woken, self._wakes):
            os.close(end)
        os.environ.pop("NOTIFY_SOCKET", None)
        faulthandler.register(_SHOW_STACK, self._stack)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)

    def _watch(self, worker: int) -> int | LeftLanes:
        """The worker's exit status; or the lanes of a worker that was ended here."""
        silence, asked = Silence(self._look_s, time.monotonic()), False
        while True:
            found, status = os.waitpid(worker, os.WNOHANG)
            if found:
                return status
            now = time.monotonic()
            silence.look(self._pulse.beats, now, queued_s(worker))
            if silence.seconds > self._settings.watchdog_s and not _is_traced(worker):
                return self._end_silent(worker, silence.seconds)
            if self._stopping and not asked:
                asked = True
                self._notifier.send(STOPPING)
                os.kill(worker, signal.SIGTERM)
            if now > self._deadline:
                os.kill(worker, signal.SIGKILL)
            self._notify(now)
            self._wait()

    def _wait(self) -> None:
        """Wait for a signal, the end of the input, or the next look."""
        ready, _, _ = select.select([self._woken, *self._inputs], [], [], self._look_s)
        if self._woken in ready:
            os.read(self._woken, 4096)
        if 0 in ready:
            # Nobody writes there: the process that started this one is gone.
            self._inputs, self._stopping = [], True
            self._deadline = time.monotonic() + _ORPHAN_S

    def _notify(self, now: float) -> None:
        if self._pulse.beats and not self._ready:
            self._ready = True
            self._notifier.send(READY)
        if now - self._notified_at >= self._notifier.every_s:
            self._notified_at = now
            self._notifier.send(ALIVE)

    def _end_silent(self, worker: int, silent_s: float) -> LeftLanes:
        """End a worker that stands still; its mail is charged with a failed attempt."""
        halted = _state(worker) == "T"
        if not halted:
            os.kill(worker, _SHOW_STACK)
            self._await_stack()
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
        # A process that was halted from outside stands still through no fault of a mail.
        left = LeftLanes(self._pulse.holder, () if halted else self._pulse.lanes, extra=1)
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
        """Wait until the stack is written, for a moment at most."""
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
        # Idle threads are left out.
        working = [part for part in threads if part and _IDLE not in part[0]]
        return [line.strip() for part in working for line in part[:_STACK_LINES]]

    def _exit_status(self, status: int) -> int:
        """The watchdog's exit status after the worker's; lanes that this held are given back.

        By whoever made the pulse, while it is there: that starts the next worker meanwhile.
        """
        code = os.waitstatus_to_exitcode(status)
        if code == 0:
            return 0
        if self._stopping and -code in _ENDINGS:
            # It was stopped before it took any mail.
            return 0
        if self._stopping or not self._is_supervised:
            give_back(LeftLanes(self._pulse.holder, self._pulse.lanes, extra=0), self._settings)
        if code < 0:
            _die_by(-code)
        return code


def _state(process: int) -> str:
    """The letter that the system has for what the process does; "" where it tells none."""
    with suppress(OSError):
        # The name in parentheses may hold spaces.
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def queued_s(process: int) -> float:
    """For how long a process has waited for a processor; 0 where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


def _is_traced(process: int) -> bool:
    """Whether a debugger holds it."""
    return _state(process) == "t"


def _die_by(number: int) -> NoReturn:
    # SIGKILL has no handler that could be taken away.
    with suppress(OSError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)

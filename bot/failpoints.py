"""Named points at which a process ends itself: tests show there that nothing is lost (design §3).

A point is a call of one of the ports, before or after it: `after mailbox.commit` ends the process
by SIGKILL once the first commit has been applied and before anybody knows. `spin handling.handle`
has a mail with the words of SPIN hold the interpreter for ever. Off unless set.
"""

import os
import signal
from collections.abc import Callable
from typing import Any, TypeVar, cast

# Intake, worker, commit, what a tool writes, and delivery.
POINTS = (
    "mailbox.put",
    "decisions.decide",
    "handling.handle",
    "mailbox.commit",
    "records.record_visit",
    "memory.remember",
    "platform.send",
    "platform.edit",
    "outbox.sent",
)
SPIN = "hold the worker up"
"""What a message says that a worker is to spin at."""

_SPINNING = "spin handling.handle"
Port = TypeVar("Port")


def failpoint_names() -> list[str]:
    """Every point, as SIGNOFF_FAILPOINT takes it."""
    return [*(f"{when} {point}" for point in POINTS for when in ("before", "after")), _SPINNING]


class Failpoint:
    """The point that is set, if any."""

    def __init__(self, name: str | None) -> None:
        self._when, _, point = (name or "").partition(" ")
        self._owner, _, self._call = point.partition(".")

    def arm(self, name: str, port: Port) -> Port:
        """The port, which ends this process at the point if that is one of its calls."""
        if name != self._owner:
            return port
        return cast(Port, _Armed(port, self._call, self._when))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _spin() -> None:
    """As a pattern does that tries all there is: no other thread gets the interpreter meanwhile."""
    sum(iter(int, 1))


class _Armed:
    """Passes everything on to a port, and ends the process before or after one of its calls."""

    def __init__(self, port: Any, call: str, when: str) -> None:
        self._port, self._call, self._when = port, call, when

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        return self._dying(found) if name == self._call else found

    def _dying(self, call: Callable[..., Any]) -> Callable[..., Any]:
        async def dying(*args: Any, **named: Any) -> Any:
            if self._when == "before":
                _die()
            if self._when == "spin" and SPIN in args[0].mail:
                _spin()
            answer = await call(*args, **named)
            if self._when == "after":
                _die()
            return answer

        return dying

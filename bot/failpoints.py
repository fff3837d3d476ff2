"""Named points at which a process ends itself, for tests that nothing is lost (design §3).

A point is before or after a call of a port: `after mailbox.commit` ends the process by SIGKILL once
the first commit is applied and before anybody knows. At `spin handling.handle`, mail with the words
of SPIN holds the interpreter for ever. Off unless SIGNOFF_FAILPOINT is set.
"""

import os
import signal
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from pydantic import JsonValue

from engine.ports.systems.connections import CallRequest, Connection, PreparedCall

# Intake, worker, commit, what a tool or an admin writes, delivery, and erasing.
POINTS = (
    "mailbox.put",
    "decisions.decide",
    "handling.handle",
    "mailbox.commit",
    "connection.write",
    "memory.remember",
    "projects.add",
    "projects.bind",
    "platform.send",
    "platform.edit",
    "outbox.sent",
    "records.swap",
)
SPIN = "hold the worker up"
"""The text of a message at which a worker spins."""

_SPINNING = "spin handling.handle"
Port = TypeVar("Port")


def failpoint_names() -> list[str]:
    """Every point, as it is written in SIGNOFF_FAILPOINT."""
    return [*(f"{when} {point}" for point in POINTS for when in ("before", "after")), _SPINNING]


class Failpoint:
    """The point that is set, or none."""

    def __init__(self, name: str | None) -> None:
        self._when, _, point = (name or "").partition(" ")
        self._owner, _, self._call = point.partition(".")

    def arm(self, name: str, port: Port) -> Port:
        """The port; if the point is one of its calls, a wrapper that ends this process there."""
        if name != self._owner:
            return port
        return cast(Port, _Armed(port, self._call, self._when))


def arm_connection(point: Failpoint, connection: Connection) -> Connection:
    """The connection; where the point is its write, with calls that end this process there."""
    if point.arm("connection", connection) is connection:
        return connection
    return cast(Connection, _ArmedConnection(point, connection))


class _ArmedConnection:
    """A connection of which every write ends the process."""

    def __init__(self, point: Failpoint, connection: Connection) -> None:
        self._point = point
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def prepare(self, request: CallRequest) -> PreparedCall:
        call = self._connection.prepare(request)
        return _ArmedWrite(self._point, call) if request.writes else call


class _ArmedWrite:
    def __init__(self, point: Failpoint, call: PreparedCall) -> None:
        self._call = call
        self._armed = point.arm("connection", self)

    @property
    def keyed(self) -> bool:
        return self._call.keyed

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        return await self._armed.write(values, key=key)

    async def write(self, values: Mapping[str, JsonValue], *, key: str) -> JsonValue:
        return await self._call(values, key=key)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _spin() -> None:
    """Hold the interpreter for ever, as a pattern does that backtracks."""
    sum(iter(int, 1))


class _Armed:
    """A port that ends the process before or after one of its calls."""

    def __init__(self, port: Any, call: str, when: str) -> None:
        self._port, self._call, self._when = port, call, when

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._port, name)
        return self._with_end(attribute) if name == self._call else attribute

    def _with_end(self, call: Callable[..., Any]) -> Callable[..., Any]:
        async def wrapped(*args: Any, **named: Any) -> Any:
            if self._when == "before":
                _die()
            if self._when == "spin" and SPIN in args[0].mail:
                _spin()
            answer = await call(*args, **named)
            if self._when == "after":
                _die()
            return answer

        return wrapped

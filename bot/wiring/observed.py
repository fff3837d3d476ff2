"""Ports of the store that tell somebody of everything that was committed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from bot.wiring.store import StorePorts
from engine.ports.storage.store import Effects

Observe = Callable[[Effects], None]
Port = TypeVar("Port")


def observe_commits(store: StorePorts, observe: Observe) -> StorePorts:
    """The same store, whose commits and decisions `observe` hears of once they are made."""
    mailbox = _observed(store.mailbox, "commit", observe)
    return replace(store, mailbox=mailbox, decisions=_observed(store.decisions, "decide", observe))


def _observed(port: Port, call: str, observe: Observe) -> Port:
    return cast(Port, _ObservedPort(port, call, observe))


class _ObservedPort:
    """A port of which one call takes Effects, and tells of them afterwards."""

    def __init__(self, port: Any, call: str, observe: Observe) -> None:
        self._port, self._call, self._observe = port, call, observe

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._port, name)
        return self._telling(attribute) if name == self._call else attribute

    def _telling(self, call: Callable[..., Any]) -> Callable[..., Any]:
        async def call_and_tell(*args: Any, **named: Any) -> Any:
            answer = await call(*args, **named)
            effects = named.get("effects") or next(a for a in args if isinstance(a, Effects))
            self._observe(effects)
            return answer

        return call_and_tell

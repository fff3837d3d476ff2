"""How often a platform lets itself be written to."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """One message per `every_s`, and `burst` of them at once."""

    every_s: float
    burst: int


class Limits:
    """How much of each limit is used up, by name, at the platform's own time."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._free_at: dict[str, float] = {}

    def ask(self, name: str, limit: Limit) -> float:
        """Takes one message of the limit called `name` and answers 0, or the seconds to wait."""
        now = self._now()
        free_at = max(self._free_at.get(name, 0.0), now - limit.every_s * (limit.burst - 1))
        if free_at > now:
            return free_at - now
        self._free_at[name] = free_at + limit.every_s
        return 0.0

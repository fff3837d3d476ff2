"""Counts and durations of the service, for operators (design §9)."""

from typing import Final, Protocol


class Meter(Protocol):
    """Counts things as they happen; must not raise or wait."""

    def count(self, name: str, *labels: str, amount: float = 1.0) -> None:
        """Add to a count."""
        ...

    def took(self, name: str, seconds: float, *labels: str) -> None:
        """Record how long something took."""
        ...


class _NoMeter:
    def count(self, name: str, *labels: str, amount: float = 1.0) -> None:
        """Nobody counts."""

    def took(self, name: str, seconds: float, *labels: str) -> None:
        """Nobody counts."""


NO_METER: Final[Meter] = _NoMeter()
"""A meter that drops all counts."""

"""Time, as an argument."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol


class Clock(Protocol):
    """The one source of time outside the store's scripts."""

    def now(self) -> datetime:
        """The current moment, aware, UTC."""
        ...

    def today(self) -> date:
        """Today's date in the service's time zone."""
        ...

    def elapsed_s(self) -> float:
        """Seconds since some moment; only ever goes on, and only differences mean anything."""
        ...


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still at one moment; only `elapsed_s` goes on, as `running` does."""

    moment: datetime
    day: date
    running: Clock

    def now(self) -> datetime:
        """The moment."""
        return self.moment

    def today(self) -> date:
        """Its day in the service's time zone."""
        return self.day

    def elapsed_s(self) -> float:
        """Seconds that only ever go on."""
        return self.running.elapsed_s()

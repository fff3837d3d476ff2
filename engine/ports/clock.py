"""Time, as an argument."""

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

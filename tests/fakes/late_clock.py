"""A clock that goes on as the system's does, ahead of it or behind."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from adapters.clock import SystemClock


@dataclass(frozen=True)
class LateClock:
    """The Clock port, `ahead_s` seconds in the future."""

    ahead_s: float = 0.0
    zone: str = "UTC"

    def now(self) -> datetime:
        """The moment, so much later."""
        return datetime.now(UTC) + timedelta(seconds=self.ahead_s)

    def today(self) -> date:
        """Its day in the zone."""
        return self.now().astimezone(ZoneInfo(self.zone)).date()

    def elapsed_s(self) -> float:
        """Seconds that only ever go on."""
        return SystemClock("UTC").elapsed_s() + self.ahead_s

"""The system clock."""

import time
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo


class SystemClock:
    """Wall-clock time; `zone` (IANA name) decides which day today is."""

    def __init__(self, zone: str) -> None:
        self._zone = ZoneInfo(zone)

    def now(self) -> datetime:
        """The current moment in UTC."""
        return datetime.now(UTC)

    def today(self) -> date:
        """Today's date in the service's time zone."""
        return datetime.now(self._zone).date()

    def elapsed_s(self) -> float:
        """Seconds that only ever go on."""
        return time.monotonic()

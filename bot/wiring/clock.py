"""The clock of a process."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from adapters.clock import SystemClock
from bot.settings import Settings
from engine.ports.clock import Clock


def open_clock(settings: Settings) -> Clock:
    """The machine's time, in the service's time zone."""
    return SystemClock(settings.timezone)


class MovedClock:
    """The machine's clock, moved: it goes on by itself, and jumps where it is told to."""

    def __init__(self, zone: str) -> None:
        self._zone = ZoneInfo(zone)
        self._machine = SystemClock(zone)
        self._moved = timedelta()
        self._jumped_s = 0.0

    @property
    def offset_ms(self) -> int:
        """How far it is ahead of the machine's."""
        return round(self._moved.total_seconds() * 1000)

    def start_at(self, moment: str) -> None:
        """Begin at a day and time of the zone, as ISO 8601 writes it without one."""
        wanted = datetime.fromisoformat(moment).replace(tzinfo=self._zone)
        self._moved = wanted.astimezone(UTC) - self._machine.now()

    def jump(self, seconds: float) -> None:
        """Go on by so much at once."""
        self._moved += timedelta(seconds=seconds)
        self._jumped_s += seconds

    def now(self) -> datetime:
        """The moment, in UTC."""
        return self._machine.now() + self._moved

    def today(self) -> date:
        """Its day in the zone."""
        return self.now().astimezone(self._zone).date()

    def elapsed_s(self) -> float:
        """Seconds that only ever go on, jumps among them."""
        return self._machine.elapsed_s() + self._jumped_s

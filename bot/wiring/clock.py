"""The clock of a process."""

from adapters.clock import SystemClock
from bot.settings import Settings
from engine.ports.clock import Clock


def open_clock(settings: Settings) -> Clock:
    """The machine's time, in the service's time zone."""
    return SystemClock(settings.timezone)

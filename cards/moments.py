"""Moments in texts: by the clock of a zone, or for each reader by their own."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

READERS_OWN = "reader"
"""The zone of texts that are shown by each reader's own clock: their moments stand marked."""

MARKED = re.compile(r"⟦(\d{4}-\d\d-\d\dT\d\d:\d\dZ)⟧")
_MARK = "⟦%Y-%m-%dT%H:%MZ⟧"


def local_time(moment: datetime, zone: str) -> str:
    """A moment as `MM-DD HH:MM` in that zone (IANA), or marked for `READERS_OWN`."""
    if zone == READERS_OWN:
        return moment.astimezone(UTC).strftime(_MARK)
    return moment.astimezone(ZoneInfo(zone)).strftime("%m-%d %H:%M")

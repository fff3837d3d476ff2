"""Moments in texts, in a time zone or in each reader's own."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

READERS_OWN = "reader"
"""The zone of texts whose moments are marked, to be shown in each reader's own zone."""

MARKED = re.compile(r"⟦(\d{4}-\d\d-\d\dT\d\d:\d\dZ)⟧")
_MARK = "⟦%Y-%m-%dT%H:%MZ⟧"


def local_time(moment: datetime, zone: str) -> str:
    """Return a moment as `MM-DD HH:MM` in that zone (IANA), or marked for `READERS_OWN`."""
    if zone == READERS_OWN:
        return moment.astimezone(UTC).strftime(_MARK)
    return moment.astimezone(ZoneInfo(zone)).strftime("%m-%d %H:%M")

"""A review's policy on time: durations, working hours, reminders, escalation."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, ConfigDict
from pydantic import Field as Key

from cards.frozen import Frozen

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PIECE = re.compile(r"(\d{1,9})\s*([smhdw])")
_WHOLE = re.compile(r"(\d{1,9}\s*[smhdw]\s*)+")
_LONGEST_S = 366 * 86_400
_FORM = "a duration like 90s, 30m, 4h, 2d or 1d 12h, or whole seconds"
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_TIME = r"^([01]\d|2[0-3]):[0-5]\d$"

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def seconds(value: Any) -> int:
    """Return a written duration in seconds. Raises ValueError that says what to write."""
    if isinstance(value, int) and not isinstance(value, bool):
        found = value
    elif isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        found = sum(int(number) * _UNITS[unit] for number, unit in _PIECE.findall(value))
    else:
        raise ValueError(f"should be {_FORM}, not {value!r:.40}")
    if not 0 < found <= _LONGEST_S:
        raise ValueError(f"should be more than 0 and at most 366d, not {value!r:.40}")
    return found


Written = Annotated[str, Key(pattern=rf"^\s*{_WHOLE.pattern}$")]
"""A duration as files have it."""
Seconds = Annotated[int, BeforeValidator(seconds, json_schema_input_type=Written | int)]
"""A duration of a file, in seconds: `4h`, `2d`, or a number."""


class FilePolicy(Frozen):
    """A policy in a file, where durations have short keys; here their names end in `_s`."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)


class Hours(Frozen):
    """When people are at work: on `days`, from `opens` to `closes` (HH:MM) in `zone` (IANA)."""

    zone: str
    opens: str = Key(default="09:00", pattern=_TIME)
    closes: str = Key(default="18:00", pattern=_TIME)
    days: tuple[Weekday, ...] = Key(default=("mon", "tue", "wed", "thu", "fri"), min_length=1)

    def next_open(self, moment: datetime) -> datetime:
        """Return the moment itself in working hours, else when the next ones begin, in UTC."""
        zone = ZoneInfo(self.zone)
        today = moment.astimezone(zone).date()
        for ahead in range(8):
            day = today + timedelta(days=ahead)
            opens, closes = (
                datetime.combine(day, time.fromisoformat(each), zone).astimezone(UTC)
                for each in (self.opens, self.closes)
            )
            if _DAYS[day.weekday()] in self.days and moment < closes:
                return max(moment, opens)
        # Only hours that never open get here; the loader refuses them.
        return moment


class Reminders(FilePolicy):
    """When those who have not decided are reminded: `after` the card opened, then `every` so often.

    Each pause is `backoff` times the one before, with at most `at_most` reminders in all.
    """

    after_s: Seconds = Key(alias="after")
    every_s: Seconds | None = Key(default=None, alias="every")
    at_most: int = Key(default=3, ge=1, le=10)
    backoff: int = Key(default=1, ge=1, le=4)
    hours: Hours | None = None

    def first_at(self, opened: datetime) -> datetime:
        """When the first reminder of a card that opens now is due."""
        return self._in_hours(opened + timedelta(seconds=self.after_s))

    def next_at(self, sent: int, now: datetime) -> datetime | None:
        """Return when the next one is due after `sent` of them, None after the last.

        It counts from now, so that nothing is made up after an outage.
        """
        if sent >= self.at_most:
            return None
        pause_s = (self.every_s or self.after_s) * self.backoff ** (sent - 1)
        return self._in_hours(now + timedelta(seconds=pause_s))

    def _in_hours(self, moment: datetime) -> datetime:
        return self.hours.next_open(moment) if self.hours else moment


class Escalation(FilePolicy):
    """Holders of `role` may decide too once the card has been open for `after`."""

    role: str
    after_s: Seconds = Key(alias="after")

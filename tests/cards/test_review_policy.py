"""Durations, working hours and reminders: when, and how often at most."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.policy import Hours, Reminders, seconds
from tests.fakes.tables import table

FRIDAY_EVENING = datetime(2026, 11, 20, 10, 30, tzinfo=UTC)
"""18:30 in Shanghai."""


@table(
    ("written", "expected"),
    [("90s", 90), ("30m", 1800), ("4h", 14_400), ("2d", 172_800), ("1d 12h", 129_600), (5, 5)],
)
def test_a_duration_is_read_as_a_person_writes_it(written: str | int, expected: int) -> None:
    assert seconds(written) == expected


@table("written", ["", "h", "4", "4x", "-4h", "4.5h", 4.5, True, None, [4], {}])
def test_what_is_no_duration_is_told_with_examples(written: object) -> None:
    with pytest.raises(ValueError, match="4h"):
        seconds(written)


@pytest.mark.parametrize("written", [0, -1, "0s", "367d"])
def test_a_duration_has_bounds(written: object) -> None:
    with pytest.raises(ValueError, match="more than 0 and at most 366d"):
        seconds(written)


def test_people_are_left_alone_outside_of_their_hours() -> None:
    hours = Hours(zone="Asia/Shanghai")
    monday = datetime(2026, 11, 23, 1, 0, tzinfo=UTC)
    assert hours.next_open(FRIDAY_EVENING) == monday
    assert hours.next_open(monday) == monday
    at_noon = monday + timedelta(hours=3)
    assert hours.next_open(at_noon) == at_noon
    closing = monday + timedelta(hours=9)
    assert hours.next_open(closing - timedelta(seconds=1)) == closing - timedelta(seconds=1)
    assert hours.next_open(closing) == monday + timedelta(days=1)


def test_hours_follow_the_clocks_of_their_zone() -> None:
    hours = Hours(zone="Europe/Berlin", days=("mon", "tue", "wed", "thu", "fri", "sat", "sun"))
    summer, winter = datetime(2026, 10, 24, 20, tzinfo=UTC), datetime(2026, 10, 25, 20, tzinfo=UTC)
    assert hours.next_open(summer) == datetime(2026, 10, 25, 8, tzinfo=UTC)
    assert hours.next_open(winter) == datetime(2026, 10, 26, 8, tzinfo=UTC)
    assert hours.next_open(summer - timedelta(days=1)) == datetime(2026, 10, 24, 7, tzinfo=UTC)


@given(st.integers(0, 366 * 86_400), st.sampled_from(["mon", "sun"]))
def test_the_next_opening_is_never_earlier_and_always_open(after_s: int, day: str) -> None:
    moment = FRIDAY_EVENING + timedelta(seconds=after_s)
    hours = Hours.model_validate({"zone": "America/New_York", "days": (day,)})
    opens = hours.next_open(moment)
    assert moment <= opens <= moment + timedelta(days=8)
    assert hours.next_open(opens) == opens


def test_reminders_are_so_many_and_each_pause_grows_by_the_back_off() -> None:
    remind = Reminders(after_s=3600, every_s=7200, at_most=4, backoff=2)
    assert remind.first_at(FRIDAY_EVENING) == FRIDAY_EVENING + timedelta(hours=1)
    now = FRIDAY_EVENING
    pauses = [(found - now) if (found := remind.next_at(n, now)) else None for n in (1, 2, 3, 4)]
    assert pauses == [timedelta(hours=2), timedelta(hours=4), timedelta(hours=8), None]


def test_without_every_the_pauses_are_as_long_as_the_first() -> None:
    remind = Reminders(after_s=3600)
    assert remind.next_at(1, FRIDAY_EVENING) == FRIDAY_EVENING + timedelta(hours=1)
    assert remind.next_at(3, FRIDAY_EVENING) is None


def test_a_reminder_waits_for_working_hours() -> None:
    remind = Reminders(after_s=60, hours=Hours(zone="Asia/Shanghai"))
    assert remind.first_at(FRIDAY_EVENING) == datetime(2026, 11, 23, 1, 0, tzinfo=UTC)

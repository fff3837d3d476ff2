"""Moments in texts: in a zone, or marked for the clock of whoever reads."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from cards.markdown import literal
from cards.moments import MARKED, READERS_OWN, local_time

NOON = datetime(2026, 11, 21, 12, 5, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "told"),
    [
        ("UTC", "11-21 12:05"),
        ("Asia/Shanghai", "11-21 20:05"),
        (READERS_OWN, "⟦2026-11-21T12:05Z⟧"),
    ],
)
def test_a_moment_is_told_in_the_zone_of_who_reads(zone, told):
    assert local_time(NOON, zone) == told
    assert local_time(NOON.astimezone(timezone(timedelta(hours=-5))), zone) == told


def test_a_mark_is_found_also_where_a_text_was_made_literal():
    text = literal(f"until {local_time(NOON, READERS_OWN)}, *not* ⟦now⟧")
    assert MARKED.findall(text) == ["2026-11-21T12:05Z"]

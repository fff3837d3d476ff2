"""What a turn or a step may use, as a test gives it, at a moment that stands still."""

import itertools
from dataclasses import MISSING, fields
from datetime import UTC, date, datetime
from typing import Any

from adapters.clock import SystemClock
from engine.ports.clock import FixedClock
from engine.services import Services, TraceSettings

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
TODAY = date(2026, 11, 21)


def services_of(*, now: datetime = NOW, today: date = TODAY, **given: Any) -> Services:
    """Services with what is given; nothing else that has no default is there to be asked.

    `records` are a `Study`, whose tools every playbook has.
    """
    if (records := given.pop("records", None)) is not None:
        given.setdefault("toolbox", records.toolbox)
    required = [
        each.name
        for each in fields(Services)
        if each.default is MISSING and each.default_factory is MISSING
    ]
    numbers = itertools.count()
    usual: dict[str, Any] = {
        "clock": FixedClock(now, today, SystemClock("UTC")),
        "zone": "UTC",
        "new_id": lambda _: f"00-id{next(numbers):06d}",
        "derived_id": lambda *seeds: "",
        "project": lambda _: "",
        "tracing": TraceSettings(0, str),
    }
    return Services(**{**dict.fromkeys(required), **usual, **given})

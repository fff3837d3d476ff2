"""Minimums and maximums: what they may be, and how they are written."""

from decimal import Decimal

from cards.fields.readers import parse_date, parse_time
from cards.texts import say
from cards.values import TODAY, BadValue, Bound

Order = float | str
"""What values and bounds are compared by; days and times are texts that sort as they pass."""


def read_amount_bound(bound: Bound) -> Order:
    """Return a number as it is. Raises ValueError for anything else."""
    if isinstance(bound, str):
        raise ValueError("should be a number")
    return bound


def read_date_bound(bound: Bound) -> Order:
    """Return a day as ISO text, or `today`. Raises ValueError for anything else."""
    try:
        return TODAY if bound == TODAY else parse_date(str(bound))
    except BadValue:
        raise ValueError("should be a date like 2026-01-31, or today") from None


def read_time_bound(bound: Bound) -> Order:
    """Return a time of day as ISO text. Raises ValueError for anything else."""
    try:
        return parse_time(str(bound))
    except BadValue:
        raise ValueError("should be a time like 15:30") from None


def range_text(low: Bound | None, high: Bound | None, lang: str = "en") -> str:
    """Return the range of a value, as in `0 – 5`; "" without limits."""
    least, most = (None if each is None else bound_text(each, lang) for each in (low, high))
    if least is not None and most is not None:
        return f"{least} – {most}"
    if least is not None:
        return f"≥ {least}"
    return "" if most is None else f"≤ {most}"


def bound_text(bound: Bound, lang: str) -> str:
    """Return a bound as a person would write it."""
    if bound == TODAY:
        return say("form.today", lang)
    return bound if isinstance(bound, str) else number_text(bound)


def number_text(number: float) -> str:
    """Return a number in digits alone: 62 and not 62.0, 0.00001 and not 1e-05."""
    return str(int(number)) if number == int(number) else f"{Decimal(str(number)):f}"

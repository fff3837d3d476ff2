"""The explicit casts of rules: `number`, `text` and `date`; nothing else is ever converted."""

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from cards.markdown import format_value
from engine.rules.operators import RuleFailure, is_date, require_present

_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ][0-9]{2}:[0-9]{2}.{0,20}")


def _number(value: Any) -> float:
    """A number as it is, and text that is one: `12`, `-3.50`, without anything that groups."""
    (kind,) = require_present(value)
    if kind == "number":
        number: float = value
        return number
    text = value.strip() if isinstance(value, str) else ""
    if not _NUMBER.fullmatch(text):
        raise RuleFailure("number", kind)
    return float(text) if "." in text else int(text)


def _text(value: Any) -> str:
    """A number as people write it (62 and not 62.0), a date as 2026-01-31, and text as it is."""
    (kind,) = require_present(value)
    if kind not in ("number", "text", "date"):
        raise RuleFailure("text", kind)
    return format_value(value)


def _day(value: Any) -> str:
    """A day as 2026-01-31, also of a moment, such as 2026-01-31T09:30:00Z: the day it names."""
    (kind,) = require_present(value)
    if isinstance(value, date):
        return (value.date() if isinstance(value, datetime) else value).isoformat()
    text = value.strip() if isinstance(value, str) else ""
    if moment := _MOMENT.fullmatch(text):
        text = moment[1]
    if not is_date(text):
        raise RuleFailure("date", kind)
    return text


CASTS: dict[str, Callable[[Any], Any]] = {"number": _number, "text": _text, "date": _day}
"""What each cast makes of a value."""

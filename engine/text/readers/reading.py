"""What a stretch of a text means, as JSON values of a kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ReadingKind = Literal["number", "money", "date", "time", "duration", "range", "pair"]
Value = str | int | float | Mapping[str, "str | int | float"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What `text[start:end]` means; several `values` are ways to read it, of which one is meant.

    A number is a number, money `{"value": 120.5, "currency": "EUR"}`, a date `2026-03-02`, a time
    `15:30`, a duration as ISO 8601 has it (`PT1H30M`), a range `{"from": ..., "to": ...}` of dates,
    times or numbers, and a pair, such as 120/80, `{"first": ..., "second": ...}`.

    `weak`: it is a value only where the words around it say so, as in "one" or "14B".
    """

    kind: ReadingKind
    start: int
    end: int
    values: tuple[Value, ...]
    weak: bool = False

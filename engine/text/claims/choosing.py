"""Which of several readings a field can have, and how a value stands in a form."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from cards.model import Field


def choose(values: Iterable[Any], field: Field) -> Any:
    """The one value that the field can have; None where two of them fit."""
    found = list(values)
    if len(found) > 1:
        fitting = [value for value in found if _fits(value, field)]
        found = fitting if len(fitting) == 1 else []
    return found[0] if found else None


def _fits(value: Any, field: Field) -> bool:
    """Whether the type and the bounds allow the value; what they do not judge is allowed."""
    if field.type == "integer" and not isinstance(value, int):
        return False
    if isinstance(value, Mapping):
        return not field.currencies or value.get("currency") in field.currencies
    return _keeps(value, field.minimum, 1) and _keeps(value, field.maximum, -1)


def _keeps(value: Any, bound: Any, sign: int) -> bool:
    """Whether a value is on the right side of a bound of its own kind."""
    if isinstance(value, int | float) and isinstance(bound, int | float):
        return sign * (value - bound) >= 0
    if isinstance(value, str) and isinstance(bound, str) and len(value) == len(bound):
        return value >= bound if sign > 0 else value <= bound
    return True


def text_of(value: Any) -> str:
    """The value as a form has it: `70.5`, `120.5 EUR`, `2026-03-02`."""
    if isinstance(value, Mapping):
        return f"{text_of(value['value'])} {value['currency']}"
    if isinstance(value, int | float | Decimal):
        return f"{Decimal(str(value)).normalize():f}"
    return str(value)

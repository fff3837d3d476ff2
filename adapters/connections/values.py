"""What databases and tables hold, as JSON."""

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from pydantic import JsonValue

from engine.errors import ToolFailed


def in_json(value: Any) -> JsonValue:
    """A column's value: dates as ISO 8601, numbers exactly, else text; bytes are not shown."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if value == value and abs(value) != float("inf") else None
        case Decimal():
            if not value.is_finite():
                return None
            number = int(value) if value == value.to_integral_value() else float(value)
            return number if Decimal(str(number)) == value else str(value)
        case datetime() | date() | time():
            return value.isoformat()
        case UUID():
            return str(value)
        case bytes() | bytearray() | memoryview():
            return None
        case dict():
            return {str(name): in_json(each) for name, each in value.items()}
        case list() | tuple():
            return [in_json(each) for each in value]
        case _:
            return str(value)


def only_row(rows: Sequence[JsonValue], name: str) -> JsonValue:
    """The one row that there is, or None. Raises ToolFailed where there are several."""
    if len(rows) > 1:
        raise ToolFailed("connection.several_rows", name=name)
    return rows[0] if rows else None


def rows_in_json(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[JsonValue]:
    """Rows as mappings from their columns."""
    return [{name: in_json(each) for name, each in zip(names, row, strict=True)} for row in rows]

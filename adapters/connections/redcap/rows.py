"""Rows of an export as values, by the project's data dictionary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from adapters.connections.redcap.dictionary import Dictionary, Row, UnfitValue
from adapters.connections.redcap.model import RedcapCall
from engine.text.template import written

INSTRUMENT = "redcap_repeat_instrument"
INSTANCE = "redcap_repeat_instance"
EVENT = "redcap_event_name"


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows are wanted: as the call says, with these values of fields, of this record."""

    call: RedcapCall
    where: Mapping[str, JsonValue]
    record: str


def rows_of(
    rows: Sequence[Row], known: Dictionary, fields: Sequence[str], wanted: RowFilter
) -> list[dict[str, JsonValue]]:
    """The rows that are wanted, sorted. Raises UnfitValue for a value that cannot be read.

    Beside the fields each has its `record`, `event` and `instance`; a row in which nothing was
    entered is none.
    """
    found = list(_wanted(rows, known, fields, wanted))
    found.sort(key=lambda row: (str(row["record"]), row["event"] or "", row["instance"] or 0))
    for name in reversed(wanted.call.sort):
        field, last = name.removeprefix("-"), name.startswith("-")
        found.sort(key=lambda row: _order(row[field]), reverse=last)
    asked = {*wanted.call.fields, "record", "event", "instance"}
    return [{name: value for name, value in row.items() if name in asked} for row in found]


def _wanted(
    rows: Sequence[Row], known: Dictionary, fields: Sequence[str], wanted: RowFilter
) -> Iterator[dict[str, JsonValue]]:
    call = wanted.call
    for row in rows:
        name = row.get(known.record)
        if not isinstance(name, str):
            raise UnfitValue(known.record)
        place = place_of(row)
        if place.form != call.form or (wanted.record and name != wanted.record):
            continue
        if call.arm is not None and not place.event.endswith(f"_arm_{call.arm}"):
            continue
        values = {
            field: known.field(field).value(row, label=field in call.labels) for field in fields
        }
        entered = any(value not in (None, []) for f, value in values.items() if f != known.record)
        if not entered and set(fields) != {known.record}:
            continue
        if all(_is_same(values[field], value) for field, value in wanted.where.items()):
            yield {
                **values,
                "record": name,
                "event": place.event or None,
                "instance": place.instance or None,
            }


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands: its event, its repeating form and instance; "" and 0 for none."""

    event: str
    form: str
    instance: int


def place_of(row: Row) -> Place:
    """Where a row stands. Raises UnfitValue for an instance that is no number."""
    instance = row.get(INSTANCE, "")
    try:
        number = int(instance) if instance not in ("", None) else 0
    except (TypeError, ValueError) as error:
        raise UnfitValue(INSTANCE) from error
    return Place(str(row.get(EVENT, "") or ""), str(row.get(INSTRUMENT, "") or ""), number)


def _is_same(value: JsonValue, wanted: JsonValue) -> bool:
    if isinstance(value, list):
        return wanted in value
    return value is not None and written(value) == written(wanted)


def _order(value: Any) -> tuple[int, Any]:
    match value:
        case bool() | int() | float():
            return 1, value
        case None | list():
            return 0, 0
        case _:
            return 2, str(value)

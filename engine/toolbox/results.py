"""What a system answers, as a tool of a project folder declares it (design §11)."""

import json
from contextlib import suppress
from datetime import date
from typing import Any

from jmespath.exceptions import JMESPathError
from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from cards.clipping import shorten
from cards.fields.table import FIELD_TYPES, read_value
from cards.markdown import format_value
from cards.values import BadValue, FieldType
from engine.errors import ToolFailed
from engine.playbooks.leaf import Leaf, text_fault, value_faults
from engine.playbooks.tool import MAX_ROWS, ResultColumn, ToolDefinition, compile_path

_MANY = 10**9


def shape_result(name: str, definition: ToolDefinition, answer: JsonValue) -> dict[str, Any]:
    """What a system answered, as the tool declares it. Raises ToolFailed where it is otherwise."""
    match definition.result:
        case "text":
            text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
            return {"text": text}
        case "one":
            if isinstance(answer, list):
                if len(answer) > 1:
                    raise _undeclared(name, f"{len(answer)} rows instead of one")
                answer = answer[0] if answer else None
            return {"found": answer is not None} | (
                {} if answer is None else _row(name, definition, answer)
            )
        case "many":
            rows = _search(name, definition.rows, answer) if definition.rows else answer
            if rows is None:
                rows = []
            if not isinstance(rows, list):
                raise _undeclared(name, "no list of rows")
            if len(rows) > MAX_ROWS:
                raise _undeclared(name, f"{len(rows)} rows")
            return {"rows": [_row(name, definition, row) for row in rows]}


def narrow_rows(
    definition: ToolDefinition, result: dict[str, Any], since: str = "", until: str = ""
) -> dict[str, Any]:
    """The result with those rows alone that lie, or reach, into these days, both included."""
    begin, end = definition.period[0], definition.period[-1]

    def is_within(row: dict[str, Any]) -> bool:
        first, last = (str(row[name] or "")[:10] for name in (begin, end))
        return bool(first and last) and last >= since and (not until or first <= until)

    return {**result, "rows": [row for row in result["rows"] if is_within(row)]}


def _row(name: str, definition: ToolDefinition, row: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(row, dict):
        raise _undeclared(name, f"a row that is no object but {type(row).__name__}")
    if not definition.columns:
        return row
    return {
        column: _cell(
            name, column, shape, _search(name, shape.at, row) if shape.at else row.get(column)
        )
        for column, shape in definition.columns.items()
    }


def _search(name: str, path: str, data: JsonValue) -> JsonValue:
    try:
        found: JsonValue = compile_path(path).search(data)
    except JMESPathError as error:
        raise _undeclared(name, f"nothing that {path} can read") from error
    return found


def _cell(name: str, column: str, shape: ResultColumn, value: JsonValue) -> JsonValue:
    if value is None:
        return None
    if _is_plainly(shape.type, value):
        return value
    leaf = shape.leaf
    value = _as_declared(leaf, value)
    if faults := value_faults(leaf, value):
        raise _undeclared(name, f"{column} {faults[0][1]}")
    return value


def _is_plainly(kind: FieldType, value: JsonValue) -> bool:
    """Whether the value is of the column's type beyond doubt, as most are."""
    if kind == "text":
        return isinstance(value, str) and not text_fault(value)
    if kind == "date" and isinstance(value, str):
        with suppress(ValueError):
            return date.fromisoformat(value).isoformat() == value
    return kind in ("integer", "number") and type(value) is int and abs(value) < _MANY


def _undeclared(name: str, why: str) -> ToolFailed:
    return ToolFailed("tool.undeclared", name=name, why=shorten(why, 200))


def _as_declared(leaf: Leaf, value: JsonValue) -> JsonValue:
    """The value as JSON of the column's type, where a system has only texts or numbers for it.

    A table of texts has numbers and money as people write them, and a database 0 and 1 for no and
    yes; anything else stays as it is.
    """
    shape = FIELD_TYPES[leaf.type].shape
    if leaf.type == "text" and not isinstance(value, str):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return format_value(value) if number else json.dumps(value, ensure_ascii=False)
    if shape == "boolean" and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and shape not in ("text", "rows"):
        try:
            read: JsonValue = to_jsonable_python(read_value(leaf, value, "en"))
        except BadValue:
            return value
        return read
    return value

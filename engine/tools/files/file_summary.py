"""What a text, a table or JSON holds, in short."""

import csv
import json
from collections.abc import Iterable
from io import StringIO
from pathlib import PurePosixPath
from typing import Any

from engine.ports.library import Extract
from engine.tools.telling import shorten

TEXT_CHARS = 1500
COLUMNS = 50
SAMPLE_ROWS = 3
VALUE_CHARS = 80
_DELIMITERS = ",;\t|"


def summary(name: str, text: str) -> dict[str, Any]:
    """`kind` text, csv or json, with columns, rows and a sample; what is malformed is text."""
    match PurePosixPath(name).suffix.lower():
        case ".csv":
            return _table(text) or _text(text, malformed=True)
        case ".json":
            return _json(text) or _text(text, malformed=True)
    return _text(text)


def of_extract(extract: Extract) -> dict[str, Any]:
    """The same of what was read apart; `kind` is picture for a picture, with its size in pixels."""
    if extract.width:
        size = {"width": extract.width, "height": extract.height}
        return {"kind": "picture", "format": extract.kind, **size}
    if extract.kind in ("csv", "xlsx") and not extract.malformed:
        return {
            "kind": extract.kind,
            "columns": list(extract.columns),
            "columns_total": extract.columns_total,
            "rows": extract.rows,
            "rows_more": extract.rows_more,
            "sample": [list(row) for row in extract.sample],
        }
    shown = _text(extract.text, malformed=extract.malformed)
    shown |= {"chars": extract.chars, "cut": shown["cut"] or extract.cut}
    if extract.kind == "pdf":
        shown |= {"parts": extract.parts, "parts_read": extract.parts_read}
    return shown


def _text(text: str, *, malformed: bool = False) -> dict[str, Any]:
    return {
        "kind": "text",
        "text": text[:TEXT_CHARS],
        "cut": len(text) > TEXT_CHARS,
        "chars": len(text),
        "malformed": malformed,
    }


def _table(text: str) -> dict[str, Any] | None:
    head = text.lstrip().partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    try:
        rows = [row for row in csv.reader(StringIO(text), delimiter=delimiter) if any(row)]
    except csv.Error:
        return None
    if not rows:
        return None
    columns, *values = rows
    return _columned("csv", columns, len(values), values[:SAMPLE_ROWS])


def _json(text: str) -> dict[str, Any] | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    rows = data if isinstance(data, list) else [data]
    columns = list(dict.fromkeys(key for row in rows if isinstance(row, dict) for key in row))
    sample = [_values(row, columns) for row in rows[:SAMPLE_ROWS]]
    return _columned("json", columns, len(rows), sample)


def _values(row: Any, columns: Iterable[str]) -> list[str]:
    if not isinstance(row, dict):
        return [json.dumps(row, ensure_ascii=False)]
    shown = (row.get(column, "") for column in columns)
    return [v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in shown]


def _columned(
    kind: str, columns: list[str], rows: int, sample: Iterable[list[str]]
) -> dict[str, Any]:
    return {
        "kind": kind,
        "columns": [_shown(column) for column in columns[:COLUMNS]],
        "columns_total": len(columns),
        "rows": rows,
        "sample": [[_shown(value) for value in row[:COLUMNS]] for row in sample],
    }


def _shown(value: str) -> str:
    """The value, short; half a character, which JSON can spell, is no text."""
    return shorten(value.strip(), VALUE_CHARS).encode("utf-8", "replace").decode()

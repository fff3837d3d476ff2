"""The rows of a spreadsheet: the first sheet as a table, all sheets as text."""

import sys
from collections.abc import Iterable
from typing import Any, BinaryIO

# It would be loaded only to know its numbers, and takes more memory than most files.
sys.modules["numpy"] = None  # type: ignore[assignment]

from openpyxl import load_workbook  # noqa: E402

from adapters.file_reader.result import (  # noqa: E402
    COLUMNS,
    SAMPLE_ROWS,
    Deadline,
    Found,
    Gathered,
    shown,
)

SHEETS = 20
ROWS = 100_000
_WIDE = 200


def read(stream: BinaryIO, deadline: Deadline) -> Found:
    """Columns, number of rows and first rows of the first sheet; `parts` counts the sheets."""
    book = load_workbook(stream, read_only=True, data_only=True, keep_links=False)
    sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "reset_dimensions")]
    text, table, done = Gathered(), _Table(), 0
    for sheet in sheets[:SHEETS]:
        if deadline.over or text.cut:
            break
        # What a sheet says of its own size may be anything.
        sheet.reset_dimensions()
        text.add(f"# {sheet.title}\n")
        for number, row in enumerate(sheet.iter_rows(values_only=True)):
            if number >= ROWS or deadline.over:
                text.cut = True
                table.more = table.more or done == 0
                break
            if not any(value is not None for value in row):
                continue
            if done == 0:
                table.add(row)
            text.add("\t".join(shown(value) for value in row[:_WIDE]) + "\n")
        done += 1
    return {**text.found(), **table.found(), "parts": len(sheets), "parts_read": done}


class _Table:
    def __init__(self) -> None:
        self._columns: tuple[Any, ...] | None = None
        self._sample: list[list[str]] = []
        self._rows = 0
        self.more = False

    def add(self, row: Iterable[Any]) -> None:
        if self._columns is None:
            self._columns = tuple(row)
            return
        self._rows += 1
        if len(self._sample) < SAMPLE_ROWS:
            self._sample.append([shown(value) for value in list(row)[:COLUMNS]])

    def found(self) -> Found:
        columns = self._columns or ()
        return {
            "columns": [shown(column) for column in columns[:COLUMNS]],
            "columns_total": len(columns),
            "rows": self._rows,
            "rows_more": self.more,
            "sample": self._sample,
        }

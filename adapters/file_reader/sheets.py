"""The rows of a spreadsheet: the first sheet as a table, all sheets as text."""

import sys
from collections.abc import Iterable
from typing import Any, BinaryIO

# openpyxl imports numpy only to know its types of numbers. That alone takes more memory than
# most files, of the little that this process has: the import is made to fail.
sys.modules["numpy"] = None  # type: ignore[assignment]

from openpyxl import load_workbook  # noqa: E402

from adapters.file_reader.result import (  # noqa: E402
    COLUMNS,
    SAMPLE_ROWS,
    Deadline,
    ReaderResult,
    TextCollector,
    cell_text,
)

SHEETS = 20
ROWS = 100_000
_MAX_CELLS = 200


def read(stream: BinaryIO, deadline: Deadline) -> ReaderResult:
    """Return columns, row count and first rows of the first sheet; `parts` counts the sheets."""
    book = load_workbook(stream, read_only=True, data_only=True, keep_links=False)
    sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "reset_dimensions")]
    text, table, done = TextCollector(), _FirstSheet(), 0
    starts: list[int] = []
    for sheet in sheets[:SHEETS]:
        if deadline.is_over or text.cut:
            break
        # The size that a sheet declares may be wrong.
        sheet.reset_dimensions()
        starts.append(text.chars)
        text.add(f"# {sheet.title}\n")
        for number, row in enumerate(sheet.iter_rows(values_only=True)):
            if number >= ROWS or deadline.is_over:
                text.cut = True
                table.more = table.more or done == 0
                break
            if not any(value is not None for value in row):
                continue
            if done == 0:
                table.add(row)
            text.add("\t".join(cell_text(value) for value in row[:_MAX_CELLS]) + "\n")
        done += 1
    parts = {"parts": len(sheets), "parts_read": done, "starts": starts}
    return {**text.fields(), **table.fields(), **parts}


class _FirstSheet:
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
            self._sample.append([cell_text(value) for value in list(row)[:COLUMNS]])

    def fields(self) -> ReaderResult:
        columns = self._columns or ()
        return {
            "columns": [cell_text(column) for column in columns[:COLUMNS]],
            "columns_total": len(columns),
            "rows": self._rows,
            "rows_more": self.more,
            "sample": self._sample,
        }

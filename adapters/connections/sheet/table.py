"""The rows of a file, read anew when the file has changed."""

import csv
import fcntl
import io
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from adapters.connections.sheet.model import SheetSettings
from adapters.connections.values import in_json

MAX_BYTES = 20 * 1024 * 1024
MAX_ROWS = 100_000
MAX_COLUMNS = 200


class UnreadableTable(Exception):
    """The file is not there, or no table; the text says why, for operators."""


@dataclass(frozen=True, slots=True)
class Table:
    """The columns, and the rows as mappings from them; a cell that is empty is None."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, JsonValue], ...]


def read_table(path: Path, settings: SheetSettings) -> Table:
    """The table of the file; blocks. Raises UnreadableTable."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UnreadableTable(f"has more than {MAX_BYTES // 1024 // 1024} MB")
        lines = _of_csv(path, settings) if settings.is_csv else _of_workbook(path, settings)
        return _table(lines)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UnreadableTable(f"cannot be read: {type(error).__name__}") from error
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise UnreadableTable("is no workbook") from error


def append_row(
    path: Path, settings: SheetSettings, row: Mapping[str, str], key: str, value: str
) -> bool:
    """Appends a row to a CSV file; False where the column `key` holds the value already.

    Blocks. Others of this machine who append wait. Raises UnreadableTable; KeyError for a column
    that the file does not have; OSError, when the row may stand there in part.
    """
    with path.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        table = read_table(path, settings)
        for name in (*row, *([key] if key else [])):
            if name not in table.columns:
                raise KeyError(name)
        if key and any(each[key] == value for each in table.rows):
            return False
        cells = {**row, key: value} if key else dict(row)
        text = io.StringIO()
        writer = csv.writer(text, delimiter=settings.separator, lineterminator="\r\n")
        writer.writerow([cells.get(name, "") for name in table.columns])
        end = file.seek(0, os.SEEK_END)
        file.seek(max(end - 1, 0))
        before = b"" if file.read(1) in (b"\n", b"\r", b"") else b"\r\n"
        file.seek(0, os.SEEK_END)
        file.write(before + text.getvalue().encode())
        file.flush()
        os.fsync(file.fileno())
        return True


def _of_csv(path: Path, settings: SheetSettings) -> Iterator[Sequence[Any]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.reader(file, delimiter=settings.separator, strict=True):
            yield [cell if cell.strip() else None for cell in row]


def _of_workbook(path: Path, settings: SheetSettings) -> Iterator[Sequence[Any]]:
    # Most connections need no workbook, and no process loads openpyxl for them.
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except InvalidFileException as error:
        raise ValueError(str(error)) from error
    try:
        if settings.sheet and settings.sheet not in book.sheetnames:
            there = ", ".join(book.sheetnames)
            raise UnreadableTable(f"has no sheet {settings.sheet!r}; there are {there}")
        sheet = book[settings.sheet] if settings.sheet else book.worksheets[0]
        yield from sheet.iter_rows(values_only=True)
    finally:
        book.close()


def _day(cell: Any) -> Any:
    """Workbooks know no dates, only times at midnight."""
    return cell.date() if isinstance(cell, datetime) and cell.time() == time() else cell


def _table(lines: Iterator[Sequence[Any]]) -> Table:
    head = [str(cell).strip() if cell is not None else "" for cell in next(lines, ())]
    while head and not head[-1]:
        head.pop()
    if not head or not all(head) or len(set(head)) != len(head) or len(head) > MAX_COLUMNS:
        raise UnreadableTable("should begin with a row that names each column, each once")
    rows: list[Mapping[str, JsonValue]] = []
    for line in lines:
        cells = [in_json(_day(cell)) for cell in line[: len(head)]]
        if all(cell is None for cell in cells):
            continue
        if len(rows) == MAX_ROWS:
            raise UnreadableTable(f"has more than {MAX_ROWS} rows")
        cells += [None] * (len(head) - len(cells))
        rows.append(dict(zip(head, cells, strict=True)))
    return Table(tuple(head), tuple(rows))

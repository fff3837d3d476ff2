"""The beginning of a text of any length; of a table also columns and row count."""

import csv
import io
from typing import BinaryIO

from adapters.file_reader.kinds import HEAD_BYTES, encoding_of
from adapters.file_reader.result import (
    COLUMNS,
    SAMPLE_ROWS,
    Deadline,
    ReaderResult,
    TextCollector,
    cell_text,
)

_DELIMITERS = ",;\t|"
_CHUNK = 64 * 1024
_ROWS_PER_CHECK = 5000


def read(stream: BinaryIO, deadline: Deadline) -> ReaderResult:
    """Return the beginning of the text; `cut` when there is more."""
    text, decoded = TextCollector(), _open_text(stream)
    while chunk := decoded.read(_CHUNK):
        text.add(chunk)
        if text.cut or deadline.is_over:
            text.cut = True
            break
    return text.fields()


def read_table(stream: BinaryIO, deadline: Deadline) -> ReaderResult:
    """As `read`, with columns and rows; a malformed table is only a text."""
    text = read(stream, deadline)
    try:
        return {**text, **_table(_open_text(stream), deadline)}
    except csv.Error:
        return {**text, "malformed": True}


def _open_text(stream: BinaryIO) -> io.TextIOWrapper:
    stream.seek(0)
    encoding = encoding_of(stream.read(HEAD_BYTES)) or "utf-8"
    own = io.FileIO(stream.fileno(), closefd=False)
    own.seek(0)
    # Bytes that are no text are replaced and end nothing.
    return io.TextIOWrapper(io.BufferedReader(own), encoding, errors="replace", newline="")


def _table(decoded: io.TextIOWrapper, deadline: Deadline) -> ReaderResult:
    first = decoded.readline(_CHUNK)
    delimiter = max(_DELIMITERS, key=first.count)
    decoded.seek(0)
    rows = (row for row in csv.reader(decoded, delimiter=delimiter) if any(row))
    columns, count = next(rows, []), 0
    sample: list[list[str]] = []
    more = False
    for row in rows:
        count += 1
        if len(sample) < SAMPLE_ROWS:
            sample.append([cell_text(value) for value in row[:COLUMNS]])
        if count % _ROWS_PER_CHECK == 0 and deadline.is_over:
            more = True
            break
    return {
        "columns": [cell_text(column) for column in columns[:COLUMNS]],
        "columns_total": len(columns),
        "rows": count,
        "rows_more": more,
        "sample": sample,
    }

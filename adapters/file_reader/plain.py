"""Texts of any length: their beginning, and of a table the columns and the number of rows."""

import csv
import io
from typing import BinaryIO

from adapters.file_reader.kinds import HEAD_BYTES, encoding_of
from adapters.file_reader.result import COLUMNS, SAMPLE_ROWS, Deadline, Found, Gathered, shown

_DELIMITERS = ",;\t|"
_CHUNK = 64 * 1024
_ROWS_BETWEEN_LOOKS = 5000


def read(stream: BinaryIO, deadline: Deadline) -> Found:
    """The beginning of the text; `cut` when there is more."""
    text, decoded = Gathered(), _decoded(stream)
    while chunk := decoded.read(_CHUNK):
        text.add(chunk)
        if text.cut or deadline.over:
            text.cut = True
            break
    return text.found()


def read_table(stream: BinaryIO, deadline: Deadline) -> Found:
    """As `read`, with columns and rows; a malformed table is only a text."""
    found = read(stream, deadline)
    try:
        return {**found, **_table(_decoded(stream), deadline)}
    except csv.Error:
        return {**found, "malformed": True}


def _decoded(stream: BinaryIO) -> io.TextIOWrapper:
    stream.seek(0)
    encoding = encoding_of(stream.read(HEAD_BYTES)) or "utf-8"
    own = io.FileIO(stream.fileno(), closefd=False)
    own.seek(0)
    # What is no text further on is shown as such, and ends nothing.
    return io.TextIOWrapper(io.BufferedReader(own), encoding, errors="replace", newline="")


def _table(decoded: io.TextIOWrapper, deadline: Deadline) -> Found:
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
            sample.append([shown(value) for value in row[:COLUMNS]])
        if count % _ROWS_BETWEEN_LOOKS == 0 and deadline.over:
            more = True
            break
    return {
        "columns": [shown(column) for column in columns[:COLUMNS]],
        "columns_total": len(columns),
        "rows": count,
        "rows_more": more,
        "sample": sample,
    }

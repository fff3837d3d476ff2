"""Reads a table in a file of the project folder, and appends to it."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import structlog
from pydantic import JsonValue

from adapters.connections.problems import read_call
from adapters.connections.sheet.model import SheetCall, SheetSettings
from adapters.connections.sheet.table import Table, UnreadableTable, append_row, read_table
from adapters.connections.values import only_row
from engine.errors import ToolFailed, ToolRetry, ToolUnsure
from engine.ports.systems.connections import BadCall, CallRequest
from engine.text.template import BadTemplate, fill_tree, holes_in, templates_in, written

# Programs for tables would compute what begins so.
_FORMULA = ("=", "@", "\t", "\r")

log = structlog.get_logger("connections")


class SheetConnection:
    """One table of one file; written to by processes of one machine."""

    def __init__(self, name: str, settings: SheetSettings, folder: Path) -> None:
        self.name = name
        self.settings = settings
        self.path = folder / settings.file
        self._table = Table((), ())
        self._version: tuple[int, int] | None = None
        self._reading = asyncio.Lock()
        self._closed = False

    def shape(self, body: Mapping[str, Any]) -> None:
        """Nothing: the file says what a call takes."""

    def prepare(self, request: CallRequest) -> "PreparedSheetCall":
        """The call, checked. Raises BadCall."""
        call = read_call(SheetCall, request)
        problems = []
        if request.writes is (call.append is None):
            problems.append("a tool that writes has `append`, and no other")
        if request.writes and not self.settings.is_csv:
            problems.append("a workbook is only read; a CSV file can be appended to")
        try:
            tree = templates_in(call.append if request.writes else call.where)
        except BadTemplate as error:
            raise BadCall(*problems, str(error)) from error
        unknown = sorted({hole.root for hole in holes_in(tree)} - request.names)
        there = ", ".join(sorted(request.names)) or "none"
        problems += [f"{{{name}}} is no argument; there are {there}" for name in unknown]
        if problems:
            raise BadCall(*problems)
        return PreparedSheetCall(self, call, tree, request)

    async def probe(self) -> Sequence[str]:
        """What is wrong: no such file, no table."""
        try:
            await asyncio.to_thread(read_table, self.path, self.settings)
        except UnreadableTable as error:
            return [f"{self.settings.file} {error}"]
        return []

    async def close(self) -> None:
        """Makes no call from now on."""
        self._closed = True

    async def table(self) -> Table:
        """The table as the file is now. Raises ToolFailed."""
        self.check_open()
        async with self._reading:
            try:
                found = self.path.stat()
                version = (found.st_mtime_ns, found.st_size)
                if version != self._version:
                    self._table = await asyncio.to_thread(read_table, self.path, self.settings)
                    self._version = version
            except (UnreadableTable, OSError) as error:
                raise self.unreadable(error) from error
            return self._table

    def check_open(self) -> None:
        """Raises ToolFailed once it is closed."""
        if self._closed:
            raise ToolFailed("connection.closed", name=self.name)

    def unreadable(self, error: Exception) -> ToolFailed:
        """Our error, and a line of the log, for a file that cannot be read."""
        log.warning("connection_unreadable", connection=self.name, error=str(error))
        return ToolFailed("connection.away", name=self.name)


class PreparedSheetCall:
    """Rows to find, or one to append."""

    def __init__(
        self, connection: SheetConnection, call: SheetCall, tree: object, request: CallRequest
    ) -> None:
        self._connection = connection
        self._call = call
        self._tree = tree
        self._request = request

    @property
    def keyed(self) -> bool:
        """Whether a row that is appended leaves its key in a column."""
        return self._request.writes and bool(self._call.key)

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """The rows, the only one or None for a `one`; what was appended."""
        cells = self._cells(values)
        if self._request.writes:
            return await self._append(cells, key)
        table, most = await self._connection.table(), self._call.most
        if unknown := [name for name in cells if name not in table.columns]:
            raise self._no_column(unknown[0])
        wanted = {name: _plain(cell) for name, cell in cells.items()}
        rows: list[JsonValue] = [
            dict(row)
            for row in table.rows
            if all(_plain(written(row[name])) == cell for name, cell in wanted.items())
        ]
        if self._request.result == "one":
            return only_row(rows, self._connection.name)
        if len(rows) > most:
            raise ToolFailed("connection.many_rows", name=self._connection.name, most=most)
        return rows

    async def _append(self, cells: Mapping[str, str], key: str) -> JsonValue:
        connection, name = self._connection, self._connection.name
        connection.check_open()
        if any(cell.startswith(_FORMULA) for cell in cells.values()):
            words = "a text that begins with = or @ would be computed"
            raise ToolFailed("connection.refused", name=name, status="CSV", words=words)
        column = self._call.key
        writing = asyncio.to_thread(
            append_row, connection.path, connection.settings, cells, column, key
        )
        try:
            # What was begun is ended, whoever still waits for it.
            appended = await asyncio.shield(asyncio.ensure_future(writing))
        except KeyError as error:
            raise self._no_column(str(error.args[0])) from error
        except (UnreadableTable, FileNotFoundError, PermissionError) as error:
            raise connection.unreadable(error) from error
        except OSError as error:
            raise ToolUnsure("connection.unsure", name=name) from error
        return {"changed": int(appended), "repeated": not appended}

    def _cells(self, values: Mapping[str, JsonValue]) -> dict[str, str]:
        try:
            filled = fill_tree(self._tree, values)
            assert isinstance(filled, dict)
            return {name: written(each) for name, each in filled.items()}
        except BadTemplate as error:
            raise ToolRetry(f"Wrong arguments. {error}") from error

    def _no_column(self, column: str) -> ToolFailed:
        words = f"there is no column {column!r}"
        name = self._connection.name
        return ToolFailed("connection.refused", name=name, status="table", words=words)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()

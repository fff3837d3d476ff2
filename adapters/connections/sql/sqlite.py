"""Reads and writes a SQLite file."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from adapters.connections.problems import read_call
from adapters.connections.sql.columns import columns_of
from adapters.connections.sql.creation import CreationScript
from adapters.connections.sql.model import Key, SqlCall, SqlSettings
from adapters.connections.sql.statement import Statement, check_whole, read_statement
from adapters.connections.values import only_row, rows_in_json
from adapters.sqlite_file import SqliteFile, open_connection
from engine.errors import SystemFault, ToolFailed, ToolUnsure
from engine.ports.systems.connections import CallRequest

# Virtual-machine steps: what ends within the quick ones is answered without a thread.
_STEPS = 1000
_QUICK = 20
_DRIVER = "connection.driver"
_PLAINLY = {
    sqlite3.SQLITE_CONSTRAINT: "connection.clash",
    sqlite3.SQLITE_READONLY: "connection.no_writes",
    sqlite3.SQLITE_FULL: "connection.no_writes",
    sqlite3.SQLITE_IOERR: "connection.no_writes",
    sqlite3.SQLITE_PERM: "connection.no_writes",
}
"""What people read for codes of SQLite; what may be tried again was not done."""


class SqliteConnection:
    """A database in a file, which is there already or is made at its first use.

    The file and a script that makes it are of the `folder`; what is made stands in `data`. Raises
    BadCall for a faulty script.
    """

    def __init__(self, name: str, settings: SqlSettings, folder: Path, data: Path) -> None:
        assert settings.file is not None
        self.name = name
        self.timeout_s = settings.timeout_s
        script = CreationScript(folder / settings.create) if settings.create else None
        self.path = (data if script else folder) / settings.file
        self._script = script
        self._file = SqliteFile(self.path, threads=2, name=f"sql-{name}")
        self._quick: sqlite3.Connection | None = None
        self._closed = False

    def shape(self, body: Mapping[str, Any]) -> None:
        """Nothing: the file says what a call takes."""

    def prepare(self, request: CallRequest) -> "PreparedSqliteCall":
        """The call, checked. Raises BadCall."""
        call = read_call(SqlCall, request)
        keyed = call.key is not None
        statement = read_statement(
            call.sql, request.names, writes=request.writes, keyed=keyed, dialect="sqlite"
        )
        check_whole(statement, request.parts)
        return PreparedSqliteCall(self, call, statement, request)

    async def probe(self) -> Sequence[str]:
        """What is wrong: no such file, no database."""
        try:
            await self.look(lambda db: db.execute("SELECT count(*) FROM sqlite_master").fetchone())
        except ToolFailed:
            return ["the file is not there, or is no SQLite database"]
        return []

    async def close(self) -> None:
        """Makes no call from now on; waits for those under way."""
        self._closed = True
        if self._quick is not None:
            self._quick.close()
        await asyncio.to_thread(self._file.close)

    def read_quickly(self, statement: Statement, bound: Mapping[str, Any], most: int) -> Any:
        """The rows where they come within a few steps, None where they take longer."""
        self._check_open()
        if self._quick is None:
            self._make()
            self._quick = open_connection(self.path, mode="rw")
            self._quick.execute("PRAGMA query_only = ON")
        left = _QUICK

        def stop() -> int:
            nonlocal left
            left -= 1
            return left < 0

        self._quick.set_progress_handler(stop, _STEPS)
        try:
            return _rows(self._quick, statement, bound, most)
        except sqlite3.OperationalError as error:
            if _code(error) in (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_BUSY):
                return None
            raise

    async def ask(self, question: Callable[[sqlite3.Connection], Any]) -> Any:
        """What the question answers, in a thread. Raises ToolFailed."""
        self._check_open()
        until = time.monotonic() + self.timeout_s

        try:
            self._make()
        except sqlite3.Error as error:
            raise self.failure(error) from error

        def within(db: sqlite3.Connection) -> Any:
            db.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
            return question(db)

        try:
            return await self._file.run(within)
        except sqlite3.Error as error:
            raise self.failure(error) from error

    async def look(self, question: Callable[[sqlite3.Connection], Any]) -> Any:
        """As `ask`, where nothing may come to be: a file that is made at its first use is not."""
        if self._script is None or self.path.exists():
            return await self.ask(question)
        with closing(await asyncio.to_thread(self._script.try_out)) as db:
            return question(db)

    def _make(self) -> None:
        if self._script is None:
            return
        try:
            self._script.make(self.path)
        except OSError as error:
            raise ToolFailed("connection.away", name=self.name) from error
        self._script = None

    def _check_open(self) -> None:
        if self._closed:
            raise ToolFailed("connection.closed", name=self.name)

    def failure(self, error: sqlite3.Error) -> ToolFailed:
        """Our error for SQLite's: the statement did nothing."""
        code = _code(error)
        if code == sqlite3.SQLITE_INTERRUPT:
            return ToolFailed("connection.slow", name=self.name, seconds=f"{self.timeout_s:g}")
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return ToolFailed("connection.busy", name=self.name)
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return ToolFailed("connection.away", name=self.name)
        words = " ".join(str(error).split())[:200]
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_CONSTRAINT_TRIGGER:
            # RAISE in a trigger has words of the schema's author.
            return ToolFailed("connection.refused", name=self.name, status="SQL", words=words)
        return SystemFault(_PLAINLY.get(code, _DRIVER), words=words, name=self.name, status="SQL")


class PreparedSqliteCall:
    """One statement on the file."""

    def __init__(
        self,
        connection: SqliteConnection,
        call: SqlCall,
        statement: Statement,
        request: CallRequest,
    ) -> None:
        self._connection = connection
        self._call = call
        self._statement = statement
        self._request = request

    @property
    def keyed(self) -> bool:
        """Whether a write leaves its key in a column."""
        return self._request.writes and self._call.key is not None

    @property
    def columns(self) -> Collection[str] | None:
        """The names of what a row has; None where the statement does not say them."""
        return columns_of(self._call.sql, "sqlite")

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """The rows of a read, the only one or None for a `one`; what a write changed."""
        bound = self._statement.bind(values, key)
        if self._request.writes:
            told: JsonValue = await self._connection.ask(lambda db: self._write(db, bound, key))
            return told
        return await self._read(bound)

    async def find_fault(self) -> str:
        """What SQLite says against the statement, which it only plans. Raises ToolFailed."""

        def explain(db: sqlite3.Connection) -> str:
            try:
                db.execute(f"EXPLAIN {self._statement.sql}", self._statement.nulls).fetchall()
                if at := self._call.key:
                    db.execute(f"EXPLAIN {_key_query(at)}", ("",)).fetchall()
            except sqlite3.Error as error:
                # Other parameters than ours, as in `@id`, are an error of the driver's.
                if _code(error) == sqlite3.SQLITE_ERROR or isinstance(
                    error, sqlite3.ProgrammingError
                ):
                    return str(error)
                raise
            return ""

        told: str = await self._connection.look(explain)
        return told

    async def _read(self, bound: Mapping[str, Any]) -> JsonValue:
        connection, most = self._connection, self._call.most
        try:
            rows = connection.read_quickly(self._statement, bound, most)
        except sqlite3.Error as error:
            raise connection.failure(error) from error
        if rows is None:

            def read(db: sqlite3.Connection) -> list[JsonValue]:
                db.execute("PRAGMA query_only = ON")
                try:
                    return _rows(db, self._statement, bound, most)
                finally:
                    db.execute("PRAGMA query_only = OFF")

            rows = await connection.ask(read)
        if len(rows) > most:
            raise ToolFailed("connection.many_rows", name=connection.name, most=most)
        if self._request.result == "one":
            return only_row(rows, connection.name)
        found: JsonValue = rows
        return found

    def _write(self, db: sqlite3.Connection, bound: Mapping[str, Any], key: str) -> JsonValue:
        db.execute("BEGIN IMMEDIATE")
        try:
            if self._was_done(db, key):
                db.execute("ROLLBACK")
                return {"changed": 0, "repeated": True}
            with closing(db.execute(self._statement.sql, bound)) as cursor:
                told = _told(cursor)
                changed = cursor.rowcount
            if changed != self._call.changes:
                raise ToolFailed(
                    "connection.other_rows",
                    name=self._connection.name,
                    changed=max(changed, 0),
                    wanted=self._call.changes,
                )
            self._commit(db)
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        return {"changed": changed, "repeated": False, **({"rows": told} if told else {})}

    def _commit(self, db: sqlite3.Connection) -> None:
        """Raises ToolUnsure where the file broke off in the middle of it."""
        try:
            db.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if _code(error) == sqlite3.SQLITE_IOERR:
                raise ToolUnsure("connection.unsure", name=self._connection.name) from error
            raise

    def _was_done(self, db: sqlite3.Connection, key: str) -> bool:
        at = self._call.key
        if at is None:
            return False
        return db.execute(_key_query(at), (key,)).fetchone() is not None


def _key_query(at: Key) -> str:
    """Finds a row with a key, which is the one parameter."""
    # Both are identifiers of the file, checked when it was loaded.
    # Qualified, for SQLite takes an unknown name in quotes for a text.
    return f'SELECT 1 FROM "{at.table}" WHERE "{at.table}"."{at.column}" = ? LIMIT 1'  # noqa: S608


def _rows(
    db: sqlite3.Connection, statement: Statement, bound: Mapping[str, Any], most: int
) -> list[JsonValue]:
    with closing(db.execute(statement.sql, bound)) as cursor:
        names = [column[0] for column in cursor.description or ()]
        return rows_in_json(names, cursor.fetchmany(most + 1))


def _told(cursor: sqlite3.Cursor) -> list[JsonValue]:
    """What a RETURNING gives."""
    if cursor.description is None:
        return []
    return rows_in_json([column[0] for column in cursor.description], cursor.fetchall())


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF

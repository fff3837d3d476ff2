"""Reads and writes a PostgreSQL database."""

import asyncio
from collections.abc import AsyncIterator, Collection, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import psycopg
from psycopg import sql as names
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout
from pydantic import JsonValue

from adapters.connections.problems import read_call
from adapters.connections.sql.columns import columns_of
from adapters.connections.sql.model import Key, SqlCall, SqlSettings
from adapters.connections.sql.statement import Statement, check_whole, read_statement
from adapters.connections.values import only_row, rows_in_json
from engine.errors import SystemFault, ToolFailed, ToolUnsure
from engine.ports.systems.connections import CallRequest

T = TypeVar("T")

_CONNECTIONS = 4
_LONGEST_WORDS = 200
_FAULTS = frozenset({"42601", "42703", "42P01", "42702", "42883", "42704", "42803", "42501"}) | {
    "0A000",
    "3F000",
}
"""Of a statement whatever its values are: its syntax, and what is not there or not allowed."""

_NO_WRITES = frozenset({"25006", "58030"})
"""A server that only reads, and one whose disk fails before anything is written."""


class PostgresqlConnection:
    """A database at an address; neither its password nor its address is ever shown or logged."""

    def __init__(self, name: str, settings: SqlSettings) -> None:
        self.name = name
        self.timeout_s = settings.timeout_s
        password = settings.password.get_secret_value() if settings.password else None
        self._pool: AsyncConnectionPool[psycopg.AsyncConnection[Any]] = AsyncConnectionPool(
            settings.address,
            kwargs={
                "password": password,
                "autocommit": True,
                "connect_timeout": max(2, int(settings.timeout_s)),
                "application_name": "signoff",
                # Behind a pooler a prepared statement may be another session's.
                "prepare_threshold": None,
            },
            min_size=0,
            max_size=_CONNECTIONS,
            open=False,
            timeout=settings.timeout_s,
            reconnect_timeout=0,
        )
        self._opened = False
        self._closed = False

    def shape(self, body: Mapping[str, Any]) -> None:
        """Nothing: the file says what a call takes."""

    def prepare(self, request: CallRequest) -> "PreparedPostgresqlCall":
        """The call, checked. Raises BadCall."""
        call = read_call(SqlCall, request)
        statement = read_statement(
            call.sql,
            request.names,
            writes=request.writes,
            keyed=call.key is not None,
            dialect="postgresql",
        )
        check_whole(statement, request.parts)
        return PreparedPostgresqlCall(self, call, statement, request)

    async def probe(self) -> Sequence[str]:
        """What is wrong: no connection, no right to enter."""
        try:
            limit, progress = asyncio.timeout(self.timeout_s), Progress()
            async with limit, self.transaction("READ ONLY", progress) as db:
                await db.execute("SELECT 1")
        except (ToolFailed, TimeoutError):
            return ["the database cannot be reached, or does not let us in"]
        return []

    async def close(self) -> None:
        """Makes no call from now on."""
        self._closed = True
        if self._opened:
            await self._pool.close()

    @asynccontextmanager
    async def transaction(
        self, mode: Literal["READ ONLY", "READ WRITE"], progress: "Progress"
    ) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """A transaction of that mode, which ends with the block. Raises ToolFailed, ToolUnsure."""
        if self._closed:
            raise ToolFailed("connection.closed", name=self.name)
        if not self._opened:
            self._opened = True
            await self._pool.open()
        try:
            async with self._pool.connection() as db:
                await db.execute(f"BEGIN TRANSACTION {mode}")
                await db.execute(
                    "SELECT set_config('statement_timeout', %s, true)",
                    (str(int(self.timeout_s * 1000)),),
                )
                yield db
                progress.committing = mode == "READ WRITE"
                await db.execute("COMMIT")
        except (PoolTimeout, PoolClosed) as error:
            raise ToolFailed("connection.away", name=self.name) from error
        except psycopg.errors.QueryCanceled as error:
            raise self._slow(progress) from error
        except psycopg.Error as error:
            if progress.committing and not isinstance(error, psycopg.IntegrityError):
                # A constraint that is checked at the end refuses; all else leaves it open.
                raise ToolUnsure("connection.unsure", name=self.name) from error
            raise self._failure(error) from error

    async def within(self, work: Coroutine[Any, Any, T], progress: "Progress") -> T:
        """What the work gives within the time limit. Raises ToolFailed, ToolUnsure."""
        try:
            async with asyncio.timeout(self.timeout_s):
                return await work
        except TimeoutError as error:
            raise self._slow(progress) from error

    def _slow(self, progress: "Progress") -> ToolFailed:
        if progress.committing:
            return ToolUnsure("connection.unsure", name=self.name)
        return ToolFailed("connection.slow", name=self.name, seconds=f"{self.timeout_s:g}")

    def _failure(self, error: psycopg.Error) -> ToolFailed:
        """Our error for one before the commit: nothing was done."""
        code = error.sqlstate
        if code is None or isinstance(error, psycopg.InterfaceError):
            return ToolFailed("connection.away", name=self.name)
        if code.startswith(("08", "57", "53")):
            return ToolFailed("connection.away", name=self.name)
        if code.startswith("28") or code == "42501":
            return ToolFailed("connection.denied", name=self.name, status=code)
        if code in ("40001", "40P01", "55P03"):
            return ToolFailed("connection.busy", name=self.name)
        words = " ".join((error.diag.message_primary or "").split())[:_LONGEST_WORDS]
        if code == "P0001":
            # RAISE in a trigger or function has words of the schema's author.
            return ToolFailed("connection.refused", name=self.name, status=code, words=words)
        key = "connection.clash" if code.startswith("23") else "connection.driver"
        key = "connection.no_writes" if code in _NO_WRITES else key
        return SystemFault(key, words=words, name=self.name, status=code)


@dataclass(slots=True)
class Progress:
    """Whether a write has come so far that it may be done."""

    committing: bool = False


class PreparedPostgresqlCall:
    """One statement on the database."""

    def __init__(
        self,
        connection: PostgresqlConnection,
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
        return columns_of(self._call.sql, "postgresql")

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """The rows of a read, the only one or None for a `one`; what a write changed."""
        bound = self._statement.bind(values, key)
        progress = Progress()
        if self._request.writes:
            return await self._connection.within(self._write(bound, key, progress), progress)
        return await self._connection.within(self._read(bound, progress), progress)

    async def find_fault(self) -> str:
        """What the database says against the statement, which it only plans. Raises ToolFailed."""
        progress = Progress()
        return await self._connection.within(self._explain(progress), progress)

    async def _explain(self, progress: Progress) -> str:
        async with self._connection.transaction("READ ONLY", progress) as db:
            try:
                sql = f"EXPLAIN {self._statement.sql}"
                await db.execute(sql.encode(), self._statement.nulls)
                if at := self._call.key:
                    await db.execute(names.SQL("EXPLAIN {}").format(_key_query(at)), ("",))
            except psycopg.Error as error:
                if not (error.sqlstate or "").startswith(("42", "22", "0A", "3F")):
                    raise
                await db.execute("ROLLBACK")
                # What needs the values is no fault of the statement.
                if error.sqlstate in _FAULTS:
                    return " ".join((error.diag.message_primary or "").split())[:_LONGEST_WORDS]
        return ""

    async def _read(self, bound: Mapping[str, Any], progress: Progress) -> JsonValue:
        connection, most = self._connection, self._call.most
        # By a cursor of the server's, for rows beyond the limit stay where they are.
        async with (
            connection.transaction("READ ONLY", progress) as db,
            psycopg.AsyncServerCursor(db, "signoff") as cursor,
        ):
            await cursor.execute(self._statement.sql.encode(), bound)
            found = await cursor.fetchmany(most + 1)
            columns = [column.name for column in cursor.description or ()]
        rows = rows_in_json(columns, found)
        if len(rows) > most:
            raise ToolFailed("connection.many_rows", name=connection.name, most=most)
        if self._request.result == "one":
            return only_row(rows, connection.name)
        return rows

    async def _write(self, bound: Mapping[str, Any], key: str, progress: Progress) -> JsonValue:
        connection = self._connection
        async with connection.transaction("READ WRITE", progress) as db:
            if await self._was_done(db, key):
                return {"changed": 0, "repeated": True}
            cursor = await db.execute(self._statement.sql.encode(), bound)
            columns = [column.name for column in cursor.description or ()]
            told = rows_in_json(columns, await cursor.fetchall()) if columns else []
            changed = cursor.rowcount
            if changed != self._call.changes:
                raise ToolFailed(
                    "connection.other_rows",
                    name=connection.name,
                    changed=max(changed, 0),
                    wanted=self._call.changes,
                )
        return {"changed": changed, "repeated": False, **({"rows": told} if told else {})}

    async def _was_done(self, db: psycopg.AsyncConnection[Any], key: str) -> bool:
        at = self._call.key
        if at is None:
            return False
        # Two repeats at once wait for each other.
        await db.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (key,))
        cursor = await db.execute(_key_query(at), (key,))
        return await cursor.fetchone() is not None


def _key_query(at: Key) -> names.Composed:
    """Finds a row with a key, which is the one parameter."""
    return names.SQL("SELECT 1 FROM {} WHERE {} = %s LIMIT 1").format(
        names.Identifier(at.table), names.Identifier(at.column)
    )

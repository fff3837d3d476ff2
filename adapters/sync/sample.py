"""A sample system of record: a SQLite file in the data folder that shows what would be sent."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from adapters.filesystem import make_private_folder
from adapters.sqlite_file import SqliteFile, enable_wal, open_connection
from engine.errors import SyncRefused, Unavailable
from engine.ports.systems.sync import Change

VERSION = 1
"""Raised with every change of a table; a file of another version is refused, never misread."""

_SCHEMA = (
    """CREATE TABLE changes (
        key TEXT PRIMARY KEY NOT NULL,
        run TEXT NOT NULL,
        number INTEGER NOT NULL,
        playbook TEXT NOT NULL,
        conversation TEXT NOT NULL,
        requester TEXT NOT NULL,
        by TEXT NOT NULL,
        at TEXT NOT NULL,
        fields TEXT NOT NULL
    )""",
    """CREATE TABLE fields (
        run TEXT NOT NULL,
        field TEXT NOT NULL,
        value TEXT NOT NULL,
        by TEXT NOT NULL,
        at TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (run, field)
    )""",
)
_LOGGED = (
    "INSERT INTO changes VALUES"
    " (:key, :run, :number, :playbook, :conversation, :requester, :by, :at, :fields)"
    " ON CONFLICT (key) DO NOTHING"
)
_CURRENT = (
    "INSERT INTO fields VALUES (:run, :field, :value, :by, :at, :number)"
    " ON CONFLICT (run, field) DO UPDATE SET"
    " value = excluded.value, by = excluded.by, at = excluded.at, number = excluded.number"
    " WHERE excluded.number > fields.number"
)


class SampleRecord:
    """Keeps every change in the table `changes`, and the current values of each run in `fields`.

    The file is made with the first change; values are JSON. Any number of processes may share it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = SqliteFile(path, threads=1, name="record")
        self._preparing = asyncio.Lock()
        self._is_prepared = False
        self._closed = False

    async def take(self, change: Change) -> None:
        """Keep the change; fields that a later one set stay as they are.

        Raises SyncRefused for a file of another version, Unavailable while it cannot be written.
        """
        if self._closed:
            raise Unavailable("the service is about to end")
        try:
            await self._prepare()
            await self._file.run(lambda db: _keep(db, change))
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(f"{self._path.name} cannot be written: {error}") from error

    def close(self) -> None:
        """No call after this one reaches the file; blocks until those under way have ended."""
        self._closed = True
        self._file.close()

    async def _prepare(self) -> None:
        async with self._preparing:
            if not self._is_prepared:
                await asyncio.to_thread(_create_tables, self._path)
                self._is_prepared = True


def _create_tables(path: Path) -> None:
    """Make the file, unless another process did."""
    make_private_folder(path.parent)
    with closing(open_connection(path, mode="rwc")) as db:
        with db:
            db.execute("BEGIN IMMEDIATE")
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version not in (0, VERSION):
                raise SyncRefused(f"{path.name} is of another version: move it away")
            if version == 0:
                for statement in _SCHEMA:
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {VERSION}")
        enable_wal(db)


def _keep(db: sqlite3.Connection, change: Change) -> None:
    row = change.model_dump(mode="json", exclude={"to", "attempt", "fields"})
    row["key"] = change.key
    fields = change.model_dump(mode="json")["fields"]
    logged = {"ended": change.ended.model_dump()} if change.ended else fields
    with db:
        db.execute("BEGIN IMMEDIATE")
        if db.execute(_LOGGED, row | {"fields": _json(logged)}).rowcount == 0:
            return
        for field, value in fields.items():
            db.execute(_CURRENT, row | {"field": field, "value": _json(value)})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)

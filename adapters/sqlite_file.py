"""A SQLite file that several threads and processes write to, off the event loop."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, TypeVar

T = TypeVar("T")

BUSY_S = 10.0
"""How long a call waits for another process's write, seconds."""

RETRY_S = 0.02

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class SqliteFile:
    """An existing SQLite file, used by a few threads with a connection each.

    Threads never share a transaction; a write whose caller was cancelled is whole or not there.
    Raises sqlite3's errors.
    """

    def __init__(self, path: Path, *, threads: int, name: str) -> None:
        self._path = path
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._mine = threading.local()
        self._connections: list[sqlite3.Connection] = []

    async def run(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Return what the function returns for a connection, in a thread; never after `close`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._run, operation)

    def close(self) -> None:
        """Blocks until the calls under way have ended."""
        self._threads.shutdown()
        for db in self._connections:
            db.close()

    def _run(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Call it with this thread's connection, which is opened anew after any error."""
        db: sqlite3.Connection | None = getattr(self._mine, "db", None)
        if db is None:
            db = self._mine.db = open_connection(self._path, mode="rw")
            self._connections.append(db)
        try:
            return operation(db)
        except BaseException:
            self._mine.db = None
            self._connections.remove(db)
            db.close()
            raise


def open_connection(path: Path, *, mode: Literal["rw", "rwc"]) -> sqlite3.Connection:
    """A connection that commits durably; `rwc` makes the file when it is not there."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    # Made in the thread that uses it, closed by the one that closes the file.
    db = sqlite3.connect(
        address, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA synchronous = FULL")
    return db


def enable_wal(db: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, so that writes block no reads.

    SQLite ignores its timeout here while another process does the same, so this waits itself.
    Raises sqlite3.OperationalError after BUSY_S.
    """
    until = time.monotonic() + BUSY_S
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= until:
                raise
            time.sleep(RETRY_S)
        else:
            return


def is_busy(error: sqlite3.Error) -> bool:
    """Whether the error is another connection's lock."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY

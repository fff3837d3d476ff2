"""A SQLite file that a script of the project folder makes at its first use."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import lru_cache
from pathlib import Path

from adapters.filesystem import make_private_folder, read_text
from adapters.sqlite_file import enable_wal, open_connection
from engine.ports.systems.connections import BadCall

MAX_SCRIPT = 4_000_000
"""A longer script is refused."""


class CreationScript:
    """The statements of a file, which make a database. Raises BadCall for a faulty one."""

    def __init__(self, path: Path) -> None:
        try:
            text = read_text(path)
        except (OSError, UnicodeDecodeError) as error:
            raise BadCall(f"create: {path} cannot be read: {error}") from error
        if len(text) > MAX_SCRIPT:
            raise BadCall(f"create: {path} has more than {MAX_SCRIPT} characters")
        try:
            self._statements = _checked(text)
        except BadCall as fault:
            raise BadCall(f"create: {path}:{fault}") from fault

    def try_out(self) -> sqlite3.Connection:
        """A database in memory as the script makes it, for questions that leave no file."""
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        for statement in self._statements:
            db.execute(statement)
        return db

    def make(self, path: Path) -> None:
        """Make the file unless it holds tables already. Raises sqlite3's errors, OSError.

        Any number of processes may do so at once: one makes it, the others find it made.
        """
        make_private_folder(path.parent)
        with closing(open_connection(path, mode="rwc")) as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                if not db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                    for statement in self._statements:
                        db.execute(statement)
                db.execute("COMMIT")
            except BaseException:
                db.execute("ROLLBACK")
                raise
            enable_wal(db)


@lru_cache(maxsize=4)
def _checked(text: str) -> tuple[str, ...]:
    """Its statements, which an empty database takes: the same text is tried once in a process.

    Raises BadCall with the line of one that it does not take.
    """
    checked = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys = ON")
        for line, statement in _statements(text):
            try:
                db.execute(statement)
            except sqlite3.Error as error:
                raise BadCall(f"{line}: {error}") from error
            checked.append(statement)
    return tuple(checked)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each statement, and the line on which it begins."""
    begun, gathered = 1, ""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not gathered.strip():
            begun, gathered = number, ""
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield begun, gathered
            gathered = ""
    if gathered.strip():
        yield begun, gathered

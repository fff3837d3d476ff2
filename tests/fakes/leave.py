"""The leave sample over a database of its own."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "examples" / "leave"


def copy_leave(folder: Path) -> Path:
    """The sample's folder, with its database."""
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("data", "*.sqlite3"))
    with closing(sqlite3.connect(folder / "leave.sqlite3")) as db:
        db.executescript((folder / "leave.sql").read_text("utf-8"))
    return folder


def leave_of(folder: Path, person: str) -> list[tuple[str, str, str]]:
    """The person's leave: first day, last day, who approved it."""
    sql = "SELECT first_day, last_day, approved_by FROM leave WHERE person = ? ORDER BY 1"
    with closing(sqlite3.connect(folder / "leave.sqlite3")) as db:
        return db.execute(sql, (person,)).fetchall()

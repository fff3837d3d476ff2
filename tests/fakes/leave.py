"""The leave sample over a database of its own."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "examples" / "leave"


def copy_leave(folder: Path) -> Path:
    """The sample's folder."""
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("data", "*.sqlite3"))
    return folder


def database_of(folder: Path) -> Path:
    """The file that a service beside the folder makes in its data at the first use."""
    return folder.parent / "data" / "leave.sqlite3"


def leave_of(folder: Path, person: str) -> list[tuple[str, str, str]]:
    """The person's leave: first day, last day, who approved it."""
    sql = "SELECT first_day, last_day, approved_by FROM leave WHERE person = ? ORDER BY 1"
    file = database_of(folder)
    with closing(sqlite3.connect(file if file.exists() else ":memory:")) as db:
        if not file.exists():
            # Nobody has asked yet: it would begin so.
            db.executescript((folder / "leave.sql").read_text("utf-8"))
        return db.execute(sql, (person,)).fetchall()

"""A SQLite file that a script of the project folder makes once, and what people wrote stays."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adapters.connections.sql.creation import CreationScript
from adapters.connections.sql.model import SqlSettings
from adapters.connections.sql.sqlite import SqliteConnection
from engine.ports.systems.connections import BadCall, CallRequest

SCRIPT = """\
-- Hoists; a semicolon; in a comment.
CREATE TABLE hoists (bay TEXT PRIMARY KEY, note TEXT DEFAULT 'a; b');
INSERT INTO hoists (bay) VALUES ('A1'), ('B2');
"""
ADD = "INSERT INTO hoists (bay) VALUES (:bay)"


def opened(folder: Path, script: str = SCRIPT) -> SqliteConnection:
    (folder / "hoists.sql").write_text(script, encoding="utf-8")
    settings = SqlSettings(file=Path("hoists.sqlite3"), create=Path("hoists.sql"))
    return SqliteConnection("workshop", settings, folder, folder / "data")


def prepared(connection: SqliteConnection, sql: str, *, writes: bool = False) -> Any:
    return connection.prepare(CallRequest({"sql": sql}, frozenset({"bay"}), writes, "many"))


async def bays(connection: SqliteConnection) -> list[str]:
    rows = await prepared(connection, "SELECT bay FROM hoists ORDER BY bay")({})
    return [row["bay"] for row in rows]


async def test_it_is_made_at_its_first_use_in_the_data_folder(tmp_path: Path) -> None:
    connection = opened(tmp_path)
    assert not (tmp_path / "data").exists()
    assert await bays(connection) == ["A1", "B2"]
    assert (tmp_path / "data" / "hoists.sqlite3").exists()
    await connection.close()


async def test_what_was_written_stays_whatever_the_script_says_later(tmp_path: Path) -> None:
    first = opened(tmp_path)
    await prepared(first, ADD, writes=True)({"bay": "C3"})
    await first.close()
    later = opened(tmp_path, SCRIPT.replace("'B2'", "'Z9'"))
    assert await bays(later) == ["A1", "B2", "C3"]
    await later.close()


async def test_several_that_begin_at_once_make_it_once(tmp_path: Path) -> None:
    script = tmp_path / "hoists.sql"
    script.write_text(SCRIPT, encoding="utf-8")
    path = tmp_path / "data" / "hoists.sqlite3"
    made = CreationScript(script)
    await asyncio.gather(*(asyncio.to_thread(made.make, path) for _ in range(8)))
    connection = opened(tmp_path)
    assert await bays(connection) == ["A1", "B2"]
    await connection.close()


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("CREATE TABLE a (b TEXT);\nINSERT INTO c VALUES (1);\n", ".sql:2: no such table: c"),
        ("CREATE TABEL a (b TEXT);\n", 'hoists.sql:1: near "TABEL"'),
        (
            "CREATE TABLE a (b TEXT PRIMARY KEY);\n\nINSERT INTO a VALUES (1), (1);",
            ":3: UNIQUE",
        ),
    ],
)
def test_a_faulty_script_is_told_with_its_line(script: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(BadCall) as caught:
        opened(tmp_path, script)
    assert told in str(caught.value)


def test_a_script_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadCall, match="cannot be read"):
        CreationScript(tmp_path / "none.sql")


@pytest.mark.parametrize("given", [{"create": "a.sql"}, {"file": "x/a.sqlite3", "create": "a.sql"}])
def test_what_is_made_is_a_file_of_the_data_folder(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"create|either"):
        SqlSettings(**given)

"""Databases are read and written by one bound statement a call, SQLite and PostgreSQL alike."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from adapters.connections.sql.model import SqlSettings
from adapters.connections.sql.postgresql import PostgresqlConnection
from adapters.connections.sql.sqlite import SqliteConnection
from adapters.connections.sql.statement import read_statement
from engine.errors import ToolFailed, ToolRetry
from engine.ports.systems.connections import BadCall, CallRequest
from tests.fakes.postgresql import postgresql
from tests.fakes.tables import table

SCHEMA = """
CREATE TABLE expense (
  id TEXT PRIMARY KEY, person TEXT NOT NULL, amount NUMERIC(10,2) CHECK (amount >= 0),
  spent_on DATE, note TEXT, request_key TEXT UNIQUE);
INSERT INTO expense (id, person, amount, spent_on, note) VALUES
  ('E-1', 'ana', 120.50, '2026-03-02', '100% :fine; "ok"'),
  ('E-2', 'bo', 80, '2026-03-03', NULL), ('E-3', 'ana', 7, NULL, 'taxi')
"""
Databases = SqliteConnection | PostgresqlConnection


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgresql() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Databases]:
    """A connection to three expenses; a call may take two seconds."""
    connection: Databases
    if request.param == "sqlite":
        with sqlite3.connect(tmp_path / "money.sqlite3") as db:
            db.executescript(SCHEMA)
        db.close()
        settings = SqlSettings(file=Path("money.sqlite3"), timeout_s=2)
        connection = SqliteConnection("money", settings, tmp_path, tmp_path)
    else:
        address = request.getfixturevalue("server")
        async with await psycopg.AsyncConnection.connect(address, autocommit=True) as admin:
            await admin.execute("DROP TABLE IF EXISTS expense")
            await admin.execute(SCHEMA.encode())
        connection = PostgresqlConnection("money", SqlSettings(address=address, timeout_s=2))
    yield connection
    await connection.close()


def prepared(
    database: Databases,
    sql: str,
    *arguments: str,
    writes: bool = False,
    result: str = "many",
    **more: Any,
) -> Any:
    body = {"sql": sql, **more}
    return database.prepare(CallRequest(body, frozenset(arguments), writes, result))


INSERT = "INSERT INTO expense (id, person, amount, request_key) VALUES (:id, :who, :amount, :key)"
KEY = {"table": "expense", "column": "request_key"}


async def test_rows_come_with_their_columns_as_json(database: Databases) -> None:
    call = prepared(
        database,
        "SELECT id, amount, spent_on, note FROM expense WHERE person = :who ORDER BY id",
        "who",
    )
    assert await call({"who": "ana"}) == [
        {"id": "E-1", "amount": 120.5, "spent_on": "2026-03-02", "note": '100% :fine; "ok"'},
        {"id": "E-3", "amount": 7, "spent_on": None, "note": "taxi"},
    ]
    assert await call({"who": "' OR 1=1 --"}) == []
    assert await call({}) == []


async def test_one_is_the_only_row_or_none(database: Databases) -> None:
    sql = "SELECT person FROM expense WHERE id = :expense.id -- :comment; '"
    call = prepared(database, sql, "expense", result="one")
    assert await call({"expense": {"id": "E-2"}}) == {"person": "bo"}
    assert await call({"expense": {"id": "E-9"}}) is None
    every = prepared(database, "SELECT person FROM expense", result="one")
    with pytest.raises(ToolFailed, match="several rows"):
        await every({})


async def test_what_stands_in_quotes_and_casts_is_no_argument(database: Databases) -> None:
    sql = "SELECT ':who;' || '100%' AS \"a:b\", CAST(:n AS INTEGER) + 1 AS n; -- the end"
    assert await prepared(database, sql, "n")({"n": 4}) == [{"a:b": ":who;100%", "n": 5}]


async def test_more_rows_than_the_limit_are_said(database: Databases) -> None:
    with pytest.raises(ToolFailed, match="more than 2 rows"):
        await prepared(database, "SELECT id FROM expense", most=2)({})


async def test_a_read_changes_nothing(database: Databases) -> None:
    if isinstance(database, PostgresqlConnection):
        sql = "WITH gone AS (DELETE FROM expense RETURNING id) SELECT * FROM gone"
    else:
        sql = "WITH gone AS (SELECT 1) DELETE FROM expense"
    with pytest.raises(ToolFailed):
        await prepared(database, sql)({})
    assert len(await prepared(database, "SELECT id FROM expense")({})) == 3


async def test_a_slow_read_is_stopped(database: Databases) -> None:
    if isinstance(database, PostgresqlConnection):
        sql = "SELECT pg_sleep(30)"
    else:
        sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(ToolFailed, match="did not answer within 2 seconds"):
        await prepared(database, sql)({})
    assert await prepared(database, "SELECT 1 AS n")({}) == [{"n": 1}]


async def test_a_write_with_its_key_counts_once(database: Databases) -> None:
    call = prepared(database, INSERT, "id", "who", "amount", writes=True, key=KEY)
    assert call.keyed
    values = {"id": "E-7", "who": "cy", "amount": 12.5}
    told = await asyncio.gather(*(call(values, key="run-1") for _ in range(4)))
    assert sorted(each["repeated"] for each in told) == [False, True, True, True]
    read = prepared(database, "SELECT id, amount FROM expense WHERE person = 'cy'")
    assert await read({}) == [{"id": "E-7", "amount": 12.5}]


async def test_a_write_says_what_its_returning_gives_and_a_repeat_nothing(
    database: Databases,
) -> None:
    sql = f"{INSERT} RETURNING id, amount"
    call = prepared(database, sql, "id", "who", "amount", writes=True, key=KEY)
    values = {"id": "E-9", "who": "cy", "amount": 3}
    first = await call(values, key="run-9")
    assert first == {"changed": 1, "repeated": False, "rows": [{"id": "E-9", "amount": 3}]}
    assert await call(values, key="run-9") == {"changed": 0, "repeated": True}


async def test_what_the_database_refuses_is_said_and_not_done(database: Databases) -> None:
    call = prepared(database, INSERT, "id", "who", "amount", writes=True, key=KEY)
    for values in ({"id": "E-1", "who": "x", "amount": 1}, {"id": "E-8", "who": "x", "amount": -1}):
        with pytest.raises(ToolFailed, match="money refuses this"):
            await call(values, key=f"run-{values['id']}")
    assert len(await prepared(database, "SELECT id FROM expense")({})) == 3


async def test_a_write_that_would_change_other_rows_than_it_says_is_undone(
    database: Databases,
) -> None:
    sql = "UPDATE expense SET note = 'seen' WHERE person = :who"
    call = prepared(database, sql, "who", writes=True)
    for who, changed in (("ana", 2), ("nobody", 0)):
        with pytest.raises(ToolFailed, match=f"would change {changed} rows instead of 1"):
            await call({"who": who})
    assert await call({"who": "bo"}) == {"changed": 1, "repeated": False}
    notes = await prepared(database, "SELECT note FROM expense ORDER BY id")({})
    assert [each["note"] for each in notes] == ['100% :fine; "ok"', "seen", "taxi"]


@pytest.mark.parametrize("value", [{"a": 1}, ["x"], 2**70, "a\0b"])
async def test_values_that_no_column_takes_are_wrong_arguments(
    database: Databases, value: Any
) -> None:
    with pytest.raises(ToolRetry, match="Wrong arguments who"):
        await prepared(database, "SELECT :who AS w", "who")({"who": value})


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT id, seat FROM expense WHERE id = :id", "seat"),
        ("SELECT id FROM expenses", "expenses"),
        ("SELECT id FROM expense WHERE", ""),
        ("SELECT nonsense(amount) FROM expense", "nonsense"),
    ],
)
async def test_a_statement_that_cannot_be_is_found_without_being_run(
    database: Databases, sql: str, told: str
) -> None:
    fault = await prepared(database, sql, "id").find_fault()
    assert fault
    assert told in fault


@pytest.mark.parametrize("sql", ["SELECT id FROM expense WHERE id = @id", "SELECT away.f(1) AS n"])
async def test_what_only_the_driver_or_the_schema_refuses_is_a_fault_too(
    database: Databases, sql: str
) -> None:
    """It was taken for a database that is away, of which nothing else was tried."""
    assert await prepared(database, sql, "id").find_fault()


@pytest.mark.parametrize("sql", ['("analyze") SELECT 1 AS n', "'' SELECT 1 AS n", ") SELECT 1"])
async def test_nothing_stands_before_the_verb(database: Databases, sql: str) -> None:
    """PostgreSQL reads EXPLAIN ("analyze") as an order to carry out what follows."""
    with pytest.raises(BadCall, match="should begin with SELECT"):
        prepared(database, sql)
    bracketed = "-- all\n /* of it */ (SELECT 1 AS n)"
    assert read_statement(bracketed, frozenset(), writes=False, keyed=False, dialect="sqlite")


async def test_a_write_is_tried_without_being_done(database: Databases) -> None:
    call = prepared(database, INSERT, "id", "who", "amount", writes=True, key=KEY)
    assert await call.find_fault() == ""
    # What hangs on the values is no fault.
    read = prepared(
        database, "SELECT id FROM expense WHERE :a IS NULL OR amount > :a + :b", "a", "b"
    )
    assert await read.find_fault() == ""
    other = prepared(
        database, INSERT, "id", "who", "amount", writes=True, key=KEY | {"column": "k"}
    )
    assert "k" in await other.find_fault()
    gone = prepared(database, "DELETE FROM expense", writes=True, changes=3)
    assert await gone.find_fault() == ""
    assert len(await prepared(database, "SELECT id FROM expense")({})) == 3


async def test_a_database_that_is_away_is_not_called_faulty(tmp_path: Path) -> None:
    away = SqliteConnection("money", SqlSettings(file=Path("none.sqlite3")), tmp_path, tmp_path)
    with pytest.raises(ToolFailed, match="cannot be reached"):
        await prepared(away, "SELECT 1 AS n").find_fault()
    await away.close()


def test_an_argument_of_several_parts_is_bound_by_its_parts(tmp_path: Path) -> None:
    away = SqliteConnection("money", SqlSettings(file=Path("none.sqlite3")), tmp_path, tmp_path)
    names = frozenset({"price", "rows", "who"})
    parts: dict[str, tuple[str, ...]] = {"price": ("value", "currency"), "rows": ()}

    def request(sql: str) -> CallRequest:
        return CallRequest({"sql": sql}, names, False, "many", parts=parts)

    away.prepare(request("SELECT :price.value AS p, :price.currency AS c, :who AS w"))
    with pytest.raises(BadCall) as found:
        away.prepare(request("SELECT :price AS p, :rows AS r"))
    assert found.value.problems == (
        "sql: :price has several parts; write :price.value or :price.currency",
        "sql: :rows is a list, which no parameter takes",
    )


async def test_a_database_that_is_away_says_so(tmp_path: Path) -> None:
    file = SqliteConnection("money", SqlSettings(file=Path("none.sqlite3")), tmp_path, tmp_path)
    address = f"postgresql://owner@/postgres?host={tmp_path}"
    gone = PostgresqlConnection("money", SqlSettings(address=address, timeout_s=1))
    for database in (file, gone):
        with pytest.raises(ToolFailed, match=r"cannot be reached|did not answer") as failed:
            await prepared(database, "SELECT 1 AS n")({})
        assert str(tmp_path) not in str(failed.value)
        assert len(await database.probe()) == 1
        await database.close()
        with pytest.raises(ToolFailed, match="not asked any more"):
            await prepared(database, "SELECT 1 AS n")({})


@table(
    ("sql", "writes", "fault"),
    [
        ("DELETE FROM expense", False, "should begin with SELECT, not DELETE"),
        ("/* x */ -- y\n DROP TABLE expense", True, "INSERT, UPDATE or DELETE, not DROP"),
        ("SELECT 1; DELETE FROM expense", False, "one statement"),
        ("SELECT 1 WHERE :id = :other", False, ":other is no argument; there are :id"),
        ("SELECT :key", False, ":key is no argument"),
        ("", False, "not nothing"),
        ("PRAGMA writable_schema = 1", False, "not PRAGMA"),
        ("ATTACH 'x' AS y", True, "not ATTACH"),
    ],
)
def test_other_statements_are_refused_when_they_are_loaded(
    sql: str, writes: bool, fault: str
) -> None:
    with pytest.raises(BadCall, match=fault):
        read_statement(sql, frozenset({"id"}), writes=writes, keyed=False, dialect="postgresql")


def test_a_key_has_to_be_written() -> None:
    sql = "INSERT INTO expense (id) VALUES (:id)"
    with pytest.raises(BadCall, match="does not write :key"):
        read_statement(sql, frozenset({"id"}), writes=True, keyed=True, dialect="sqlite")


@table(
    ("settings", "fault"),
    [
        ({}, "either `file`"),
        ({"file": "a", "address": "postgresql://x/y"}, "either `file`"),
        ({"address": "mysql://x/y"}, "begin with postgresql"),
        ({"address": "postgresql://u:p@x/y"}, "no password"),
        ({"address": "postgresql://u@x/y", "password": "p"}, "no secret stands in a file"),
        ({"file": "a", "password": "$PW"}, "has no password"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        SqlSettings.model_validate(settings, context={"environment": {"PW": "x"}})


async def test_a_file_that_takes_no_writes_is_tried_again_later(tmp_path: Path) -> None:
    path = tmp_path / "money.sqlite3"
    with sqlite3.connect(path) as db:
        db.executescript(SCHEMA)
    db.close()
    database = SqliteConnection("money", SqlSettings(file=path), tmp_path, tmp_path)
    call = prepared(database, INSERT, "id", "who", "amount", writes=True, key=KEY)
    values = {"id": "E-4", "who": "ana", "amount": 4}
    _set_write_version(path, _OF_LATER_VERSIONS)
    with pytest.raises(ToolFailed, match="readonly database") as refused:
        await call(values, key="run-4")
    assert refused.value.is_away
    assert refused.value.text("en") == (
        "money takes no changes at the moment; nothing was changed."
    )
    _set_write_version(path, 1)
    assert await call(values, key="run-4") == {"changed": 1, "repeated": False}
    await database.close()


_OF_LATER_VERSIONS = 3


def _set_write_version(path: Path, version: int) -> None:
    """Byte 18 of the header; SQLite only reads a file whose version is above those it knows."""
    with path.open("r+b") as file:
        file.seek(18)
        file.write(bytes([version]))


@pytest.mark.parametrize(
    ("code", "is_away"),
    [
        (sqlite3.SQLITE_FULL, True),
        (sqlite3.SQLITE_IOERR | (3 << 8), True),
        (sqlite3.SQLITE_READONLY | (4 << 8), True),
        (sqlite3.SQLITE_ERROR, False),
        (sqlite3.SQLITE_CONSTRAINT, False),
    ],
)
def test_what_a_driver_says_is_for_the_log_and_not_for_people(
    code: int, is_away: bool, tmp_path: Path
) -> None:
    database = SqliteConnection("money", SqlSettings(file=Path("m.sqlite3")), tmp_path, tmp_path)
    error = sqlite3.OperationalError("words of the driver")
    error.sqlite_errorcode = code
    failure = database.failure(error)
    assert failure.is_away is is_away
    assert "words of the driver" in str(failure)
    assert "driver" not in failure.text("en")


async def test_words_of_a_trigger_are_said_to_people(tmp_path: Path) -> None:
    path = tmp_path / "money.sqlite3"
    with sqlite3.connect(path) as db:
        db.executescript(
            SCHEMA + "; CREATE TRIGGER closed BEFORE INSERT ON expense"
            " BEGIN SELECT RAISE(ABORT, 'the books are closed'); END"
        )
    db.close()
    database = SqliteConnection("money", SqlSettings(file=path), tmp_path, tmp_path)
    call = prepared(database, INSERT, "id", "who", "amount", writes=True, key=KEY)
    with pytest.raises(ToolFailed) as refused:
        await call({"id": "E-4", "who": "ana", "amount": 4}, key="run-4")
    assert refused.value.text("en").endswith(": the books are closed")
    await database.close()

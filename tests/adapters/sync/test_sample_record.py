"""The sample: every change is kept once, and newer fields stand."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from adapters.sync.http import RecordRouter
from adapters.sync.sample import SampleRecord
from engine.errors import SyncRefused, Unavailable
from tests.fakes.changes import change


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "record.sqlite3"


@pytest.fixture
def start(file: Path) -> Iterator[Callable[[], SampleRecord]]:
    """Another process's view of the same file."""
    opened: list[SampleRecord] = []

    def _start() -> SampleRecord:
        opened.append(SampleRecord(file))
        return opened[-1]

    yield _start
    for record in opened:
        record.close()


@pytest.fixture
def record(start: Callable[[], SampleRecord]) -> SampleRecord:
    return start()


def rows(file: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(file)) as db:
        return db.execute(query).fetchall()


def standing(file: Path) -> dict[tuple[str, str], tuple[Any, int]]:
    found = rows(file, "SELECT run, field, value, number FROM fields")
    return {(run, field): (json.loads(value), number) for run, field, value, number in found}


async def test_a_change_is_logged_and_its_fields_stand(record: SampleRecord, file: Path) -> None:
    await record.take(change(1, fields={"profile.x": [1, "原"], "name": None}))
    (logged,) = rows(file, "SELECT key, run, number, playbook, requester, by, at FROM changes")
    assert logged == (
        *("0-run:sync:1", "0-run", 1, "litigation", "lin", "litigation-intake"),
        "2026-11-21T09:30:00Z",
    )
    assert rows(file, "SELECT fields FROM changes") == [('{"profile.x": [1, "原"], "name": null}',)]
    assert standing(file) == {("0-run", "profile.x"): ([1, "原"], 1), ("0-run", "name"): (None, 1)}
    assert rows(file, "PRAGMA journal_mode") == [("wal",)]


async def test_a_repeat_of_the_key_changes_nothing(record: SampleRecord, file: Path) -> None:
    await record.take(change(1, fields={"name": "a"}))
    await record.take(change(2, fields={"name": "b"}))
    await record.take(change(1, attempt=2, fields={"name": "other"}))
    assert rows(file, "SELECT key, fields FROM changes ORDER BY key") == [
        ("0-run:sync:1", '{"name": "a"}'),
        ("0-run:sync:2", '{"name": "b"}'),
    ]
    assert standing(file) == {("0-run", "name"): ("b", 2)}


async def test_an_older_change_is_logged_and_newer_fields_stand(
    record: SampleRecord, file: Path
) -> None:
    await record.take(change(2, fields={"name": "new", "profile.x": None}))
    await record.take(change(1, fields={"name": "old", "profile.x": 1, "profile.y": 1}))
    assert len(rows(file, "SELECT key FROM changes")) == 2
    assert standing(file) == {
        ("0-run", "name"): ("new", 2),
        ("0-run", "profile.x"): (None, 2),
        ("0-run", "profile.y"): (1, 1),
    }


async def test_runs_do_not_touch_each_other(record: SampleRecord, file: Path) -> None:
    await record.take(change(2, run="0-a", fields={"name": "a"}))
    await record.take(change(1, run="0-b", fields={"name": "b"}))
    assert standing(file) == {("0-a", "name"): ("a", 2), ("0-b", "name"): ("b", 1)}


async def test_several_processes_share_the_file_from_the_first_moment_on(
    start: Callable[[], SampleRecord], file: Path
) -> None:
    records = [start() for _ in range(4)]
    await asyncio.gather(*(r.take(change(n + 1)) for r in records for n in range(5)))
    assert len(rows(file, "SELECT key FROM changes")) == 5
    later = start()
    await later.take(change(6))
    assert len(rows(file, "SELECT key FROM changes")) == 6


async def test_a_file_of_another_version_is_refused(record: SampleRecord, file: Path) -> None:
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 7")
    with pytest.raises(SyncRefused, match="another version"):
        await record.take(change())
    assert rows(file, "SELECT name FROM sqlite_master") == []


async def test_a_file_that_cannot_be_written_means_later(record: SampleRecord, file: Path) -> None:
    file.parent.write_text("in the way")
    with pytest.raises(Unavailable, match="cannot be written"):
        await record.take(change())
    file.parent.unlink()
    await record.take(change())
    with closing(sqlite3.connect(file)) as db:
        db.execute("DROP TABLE fields")
    with pytest.raises(Unavailable, match="no such table"):
        await record.take(change(2))
    assert rows(file, "SELECT key FROM changes") == [("0-run:sync:1",)]


def test_nothing_is_kept_after_the_end(record: SampleRecord, file: Path) -> None:
    record.close()
    with pytest.raises(Unavailable):
        asyncio.run(record.take(change()))
    assert not file.exists()


async def test_each_change_goes_where_it_says(
    start: Callable[[], SampleRecord], tmp_path: Path, file: Path
) -> None:
    elsewhere = SampleRecord(tmp_path / "elsewhere.sqlite3")
    targets = RecordRouter(sample=start(), http=elsewhere)
    await targets.take(change(1))
    await targets.take(change(2, to="https://example.com/"))
    elsewhere.close()
    assert rows(file, "SELECT number FROM changes") == [(1,)]
    assert rows(tmp_path / "elsewhere.sqlite3", "SELECT number FROM changes") == [(2,)]

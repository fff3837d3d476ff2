"""The sample study's file; what holds for any records is in tests/contracts/test_records.py."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from adapters.edc.sqlite import SqliteRecords, open_records
from engine.errors import DefinitionError, ToolFailed
from engine.ports.systems.records import Visit
from tests.adapters.edc.study import SAMPLE, StoppedClock

VISIT = Visit(
    subject_id="P003",
    visit_date=date(2026, 11, 21),
    ecog=1,
    weight_kg=61.35,
    systolic=120,
    diastolic=77,
    adverse_event="干咳 / dry cough; '\"--",
)


def rows(file: Path, query: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(file)) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute(query)]


def spoil(file: Path) -> None:
    file.with_name(file.name + "-wal").unlink(missing_ok=True)
    file.write_bytes(b"no database at all " * 400)


def names_beside(file: Path) -> list[str]:
    return [part.name for part in file.parent.iterdir()]


def remove(file: Path) -> None:
    for name in names_beside(file):
        file.with_name(name).unlink()


async def test_first_start_loads_the_sample(records: SqliteRecords) -> None:
    subjects = await records.subjects()
    assert [s.subject_id for s in subjects] == [f"P{n:03}" for n in range(1, 13)]
    assert (await records.subject("P003")) == subjects[2]
    last = (await records.visits("P003"))[-1]
    assert (last.visit_date, last.ecog, last.weight_kg) == (date(2026, 10, 28), 1, 61.2)
    passages, windows = await records.protocol()
    assert {p.title for p in passages} >= {"入组标准", "Inclusion criteria"}
    assert [w.name for w in windows] == ["V1", "V2", "V3", "V4", "V5", "V6"]


async def test_later_start_finds_what_was_written(start: Callable[[], SqliteRecords]) -> None:
    await start().record_visit(VISIT, key="run1:s1", by="chen")
    again = start()
    assert (await again.visits("P003"))[-1] == VISIT
    assert len(await again.subjects()) == 12


async def test_later_start_does_not_read_the_sample(
    records: SqliteRecords, file: Path, tmp_path: Path
) -> None:
    again = open_records(file, tmp_path / "gone", clock=StoppedClock())
    assert len(await again.subjects()) == 12


async def test_file_keeps_a_write_ahead_log(records: SqliteRecords, file: Path) -> None:
    assert rows(file, "PRAGMA journal_mode") == [{"journal_mode": "wal"}]


async def test_visit_is_kept_with_key_approver_and_moment(
    records: SqliteRecords, file: Path
) -> None:
    assert await records.record_visit(VISIT, key="run1:s1", by="chen") == "new"
    assert (await records.visits("P003"))[-1] == VISIT
    kept = rows(file, "SELECT key, approved_by, recorded_at FROM visits WHERE approved_by = 'chen'")
    assert kept == [
        {"key": "run1:s1", "approved_by": "chen", "recorded_at": "2026-11-21T09:30:00+00:00"}
    ]


async def test_broken_file_is_told_in_a_plain_sentence(records: SqliteRecords, file: Path) -> None:
    spoil(file)
    with pytest.raises(ToolFailed, match=r"^The study database cannot be reached") as caught:
        await records.subjects()
    assert caught.value.text("zh") == "暂时无法访问研究数据库。"


async def test_vanished_file_is_not_made_anew(records: SqliteRecords, file: Path) -> None:
    remove(file)
    with pytest.raises(ToolFailed, match="cannot be reached"):
        await records.visits("P003")
    assert names_beside(file) == []


async def test_damaged_row_is_told_and_not_shown(records: SqliteRecords, file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("UPDATE subjects SET sex = 'unsure' WHERE subject_id = 'P005'")
    with pytest.raises(ToolFailed, match="cannot be read"):
        await records.subject("P005")


async def test_closed_records_answer_nothing(records: SqliteRecords) -> None:
    records.close()
    with pytest.raises(ToolFailed, match="closed"):
        await records.subjects()


async def test_file_of_another_version_is_refused(records: SqliteRecords, file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("UPDATE loaded SET version = '99'")
    with pytest.raises(ToolFailed, match="schema 99, not 1"):
        open_records(file, SAMPLE, clock=StoppedClock())


def test_file_where_none_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file, not a folder")
    with pytest.raises(ToolFailed, match="cannot be reached"):
        open_records(tmp_path / "data" / "study.sqlite", SAMPLE, clock=StoppedClock())


async def test_failed_load_leaves_nothing_behind(
    file: Path, tmp_path: Path, start: Callable[[], SqliteRecords]
) -> None:
    folder = tmp_path / "sample"
    folder.mkdir()
    twice = (
        (SAMPLE / "study.yaml").read_text("utf-8").replace("subject_id: P002", "subject_id: P001")
    )
    (folder / "study.yaml").write_text(twice, "utf-8")
    (folder / "protocol.yaml").write_text((SAMPLE / "protocol.yaml").read_text("utf-8"), "utf-8")
    with pytest.raises(DefinitionError, match="contradicts itself"):
        open_records(file, folder, clock=StoppedClock())
    assert rows(file, "SELECT name FROM sqlite_master") == []
    assert len(await start().subjects()) == 12

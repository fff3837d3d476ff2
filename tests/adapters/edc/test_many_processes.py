import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from adapters.edc.sqlite import SqliteRecords
from adapters.sqlite_file import enable_wal
from tests.adapters.edc.writer import visit

ROOT = Path(__file__).parents[3]
Spawn = Callable[[str, int], subprocess.Popen[str]]


@pytest.fixture
def spawn(file: Path) -> Iterator[Spawn]:
    """Starts a writer that has imported everything and waits for a line to go on."""
    children: list[subprocess.Popen[str]] = []

    def _spawn(action: str, count: int) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.adapters.edc.writer", str(file), action, str(count)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        children.append(child)
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        return child

    yield _spawn
    for child in children:
        child.kill()
        child.communicate()


def go(*children: subprocess.Popen[str]) -> None:
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()


def answers(child: subprocess.Popen[str]) -> list[str]:
    output, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    return output.split()


def count(file: Path, query: str) -> int:
    with closing(sqlite3.connect(file)) as db:
        return int(db.execute(query).fetchone()[0])


def test_first_start_of_several_processes_loads_once(spawn: Spawn, file: Path) -> None:
    children = [spawn("shared", 0) for _ in range(3)]
    go(*children)
    assert [answers(child) for child in children] == [[], [], []]
    assert count(file, "SELECT count(*) FROM loaded") == 1
    assert count(file, "SELECT count(*) FROM subjects") == 12
    assert count(file, "SELECT count(*) FROM windows") == 6


def test_the_write_ahead_log_waits_for_another_start(tmp_path: Path) -> None:
    file = tmp_path / "new.sqlite3"
    with (
        closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other,
        closing(sqlite3.connect(file, isolation_level=None)) as db,
    ):
        other.execute("CREATE TABLE loaded (study TEXT)")
        other.execute("BEGIN IMMEDIATE")
        done = threading.Timer(0.2, other.rollback)
        done.start()
        enable_wal(db)
        done.join()
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_same_keys_from_two_processes_write_one_row_each(spawn: Spawn, file: Path) -> None:
    children = [spawn("shared", 25) for _ in range(2)]
    go(*children)
    pairs = zip(*(answers(child) for child in children), strict=True)
    assert [set(pair) for pair in pairs] == [{"new", "repeat"}] * 25
    assert count(file, "SELECT count(*) FROM visits WHERE approved_by = 'chen'") == 25


def test_rival_keys_for_a_date_leave_one_winner(spawn: Spawn, file: Path) -> None:
    children = [spawn("shared", 25), spawn("rival", 25)]
    go(*children)
    pairs = zip(*(answers(child) for child in children), strict=True)
    assert [set(pair) for pair in pairs] == [{"new", "refused"}] * 25
    assert count(file, "SELECT count(*) FROM visits WHERE approved_by = 'chen'") == 25


async def test_killed_writer_leaves_whole_visits(
    spawn: Spawn, start: Callable[[], SqliteRecords]
) -> None:
    child = spawn("shared", 5000)
    go(child)
    assert child.stdout is not None
    told = [child.stdout.readline().strip() for _ in range(20)]
    child.kill()
    told += child.stdout.read().split()
    written = [v for v in await start().visits("P003") if v.visit_date.year >= 2027]
    assert written == [visit(number) for number in range(len(written))]
    assert len(told) <= len(written) < 5000
    assert set(told) == {"new"}

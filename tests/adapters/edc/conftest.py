from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.edc.sqlite import SqliteRecords, open_records
from tests.adapters.edc.study import SAMPLE, StoppedClock


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "study.sqlite"


@pytest.fixture
def start(file: Path) -> Iterator[Callable[[], SqliteRecords]]:
    """Opens the study's file, as every start of the service does."""
    opened: list[SqliteRecords] = []

    def _start() -> SqliteRecords:
        opened.append(open_records(file, SAMPLE, clock=StoppedClock()))
        return opened[-1]

    yield _start
    for records in opened:
        records.close()


@pytest.fixture
def records(start: Callable[[], SqliteRecords]) -> SqliteRecords:
    return start()

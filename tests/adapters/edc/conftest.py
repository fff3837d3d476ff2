from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from adapters.edc.redcap.records import RedcapRecords
from adapters.edc.sqlite import SqliteRecords, open_records
from tests.adapters.edc.redcap_part import opened
from tests.adapters.edc.study import SAMPLE, StoppedClock
from tests.fakes.redcap_server import RedcapServer
from tests.fakes.redcap_study import sample_project


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


@pytest.fixture
async def server() -> AsyncIterator[RedcapServer]:
    """A REDCap server with the sample study; nothing wrong was sent to it."""
    async with RedcapServer(sample_project(SAMPLE)) as server:
        yield server
    assert server.faults == []


@pytest.fixture
async def redcap(server: RedcapServer) -> AsyncIterator[RedcapRecords]:
    """Records over that server."""
    async with opened(server.url) as records:
        yield records

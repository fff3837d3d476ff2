"""Nobody but the service's own user enters what it made for its data."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.connections.sql.creation import CreationScript
from adapters.filesystem import make_private_folder
from adapters.redis.server.embedded import open_server
from adapters.sync.sample import SampleRecord
from tests.fakes.changes import change

SAMPLE = Path(__file__).parents[2] / "playbooks" / "clinical_qc" / "data"


@pytest.fixture(autouse=True)
def open_mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(folder: Path) -> int:
    return folder.stat().st_mode & 0o777


@pytest.mark.parametrize(
    "make",
    [
        lambda data: make_private_folder(data / "files" / "SIGNOFF-101"),
        lambda data: CreationScript(SAMPLE / "study.sql").make(data / "study.sqlite3"),
        make_private_folder,
    ],
)
def test_the_data_folder_and_what_is_above_it_is_private(
    make: Callable[[Path], object], tmp_path: Path
) -> None:
    data = tmp_path / "made" / "data"
    make(data)
    assert {mode(each) for each in (data, *data.rglob("*/"), data.parent)} == {0o700}


async def test_a_server_of_its_own_makes_a_private_folder(tmp_path: Path) -> None:
    (await open_server(tmp_path / "data" / "redis")).close()
    assert mode(tmp_path / "data") == mode(tmp_path / "data" / "redis") == 0o700


async def test_so_does_the_sample_record(tmp_path: Path) -> None:
    record = SampleRecord(tmp_path / "data" / "record.sqlite3")
    await record.take(change(1))
    record.close()
    assert mode(tmp_path / "data") == 0o700


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o750)
    make_private_folder(tmp_path / "data" / "redis")
    assert (mode(tmp_path / "data"), mode(tmp_path / "data" / "redis")) == (0o750, 0o700)

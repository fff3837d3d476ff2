from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.edc.sqlite import SqliteRecords
from adapters.files import ProjectFiles
from adapters.knowledge.search import DocumentSearch
from adapters.redis.repositories.memory import RedisMemory
from bot.definitions.documents import load_documents
from cards.model import Principal
from engine.ports.library import Library
from engine.tools.model import ToolContext
from tests.fakes.entities import SUBJECTS
from tests.fakes.study_folder import open_copy

PLAYBOOKS = Path(__file__).parents[3] / "playbooks"
SAMPLE = PLAYBOOKS / "clinical_qc" / "data"
PROJECT = "SIGNOFF-101"
LIN = Principal(id="lin", name="Lin Yue", roles=("crc",))
TODAY = date(2026, 11, 21)


class StoppedClock:
    def now(self) -> datetime:
        return datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

    def today(self) -> date:
        return TODAY


@pytest.fixture
def records(tmp_path: Path) -> Iterator[SqliteRecords]:
    opened = open_copy(tmp_path, StoppedClock())
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the project's files."""
    folder = tmp_path / "files" / PROJECT
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def library(folder: Path, redis: Redis) -> Iterator[Library]:
    """The sample documents, an empty memory, an empty folder."""
    knowledge = DocumentSearch(load_documents(PLAYBOOKS, {"clinical_qc": PROJECT}))
    files = ProjectFiles(folder.parent)
    yield Library(knowledge=knowledge, memory=RedisMemory(redis), files=files)
    knowledge.close()


@pytest.fixture
def ctx(records: SqliteRecords, library: Library) -> ToolContext:
    """What a question of Lin Yue may use."""
    return ToolContext(
        records=records,
        today=TODAY,
        project=PROJECT,
        person=LIN,
        library=library,
        entities=SUBJECTS,
    )


@pytest.fixture
def approved(ctx: ToolContext) -> ToolContext:
    """What a run may use once Chen Bo has approved."""
    return replace(ctx, key="run1:record", by="chen")

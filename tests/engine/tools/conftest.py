from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.files import ProjectFiles
from adapters.knowledge.search import DocumentSearch
from adapters.redis.repositories.memory import RedisMemory
from bot.definitions.documents import load_documents
from cards.model import Principal
from engine.ports.library import Library
from engine.tools.model import ToolContext
from tests.fakes.entities import SUBJECTS
from tests.fakes.study import Study, sample_study

PLAYBOOKS = Path(__file__).parents[3] / "playbooks"
SAMPLE = PLAYBOOKS / "clinical_qc" / "data"
PROJECT = "SIGNOFF-101"
LIN = Principal(id="lin", name="Lin Yue", roles=("crc",))
TODAY = date(2026, 11, 21)


@pytest.fixture
def records() -> Study:
    return sample_study()


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
def ctx(library: Library) -> ToolContext:
    """What a question of Lin Yue may use."""
    return ToolContext(
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

"""Fixtures of the engine's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.clock import SystemClock
from engine.ports.systems.records import Records
from tests.fakes.study_folder import open_copy


@pytest.fixture
async def records(tmp_path: Path) -> AsyncIterator[Records]:
    study = open_copy(tmp_path, SystemClock("UTC"))
    yield study
    study.close()

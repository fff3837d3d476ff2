"""Fixtures of the engine's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.clock import SystemClock
from adapters.edc.sqlite import open_records
from engine.ports.records import Records
from tests.engine.sop.sop_stage import SAMPLE


@pytest.fixture
async def records(tmp_path: Path) -> AsyncIterator[Records]:
    study = open_records(tmp_path / "study.sqlite", SAMPLE, clock=SystemClock("UTC"))
    yield study
    study.close()

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from adapters.edc.sqlite import SqliteRecords, open_records
from engine.tools.model import ToolContext

SAMPLE = Path(__file__).parents[3] / "playbooks" / "clinical_qc" / "data"
TODAY = date(2026, 11, 21)


class StoppedClock:
    def now(self) -> datetime:
        return datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

    def today(self) -> date:
        return TODAY


@pytest.fixture
def records(tmp_path: Path) -> Iterator[SqliteRecords]:
    opened = open_records(tmp_path / "study.sqlite", SAMPLE, clock=StoppedClock())
    yield opened
    opened.close()


@pytest.fixture
def ctx(records: SqliteRecords) -> ToolContext:
    """What a question may use."""
    return ToolContext(records=records, today=TODAY)


@pytest.fixture
def approved(records: SqliteRecords) -> ToolContext:
    """What a run may use once Chen Bo has approved."""
    return ToolContext(records=records, today=TODAY, key="run1:record", by="chen")

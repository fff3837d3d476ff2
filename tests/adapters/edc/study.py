"""Where the sample study is, and the moment at which these tests take place."""

from datetime import UTC, date, datetime
from pathlib import Path

SAMPLE = Path(__file__).parents[3] / "playbooks" / "clinical_qc" / "data"


class StoppedClock:
    def now(self) -> datetime:
        return datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

    def today(self) -> date:
        return date(2026, 11, 21)

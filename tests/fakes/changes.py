"""Changes of made-up runs."""

from datetime import UTC, datetime
from typing import Any

from engine.ports.systems.sync import Change


def change(number: int = 1, *, to: str = "sample", run: str = "0-run", **changed: Any) -> Change:
    """A run's change; all runs are alike."""
    given: dict[str, Any] = {
        "run": run,
        "playbook": "litigation",
        "conversation": "web:local:main",
        "requester": "lin",
        "to": to,
        "number": number,
        "by": "litigation-intake",
        "at": datetime(2026, 11, 21, 9, 30, tzinfo=UTC),
        "fields": {"profile.amount": 12.5, "name": "原告", "decisions.plan": None},
    }
    return Change(**(given | changed))

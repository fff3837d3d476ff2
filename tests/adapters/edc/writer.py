"""A process of its own that starts the study and writes to it: file, action, count."""

import asyncio
import sys
from datetime import date, timedelta
from pathlib import Path

from adapters.edc.sqlite import open_records
from engine.errors import ToolFailed
from engine.ports.systems.records import Visit
from tests.adapters.edc.study import SAMPLE, StoppedClock


def visit(number: int) -> Visit:
    return Visit(
        subject_id="P003",
        visit_date=date(2027, 1, 1) + timedelta(days=number),
        ecog=number % 3,
        weight_kg=60.0 + number % 7,
        systolic=120 + number % 20,
        diastolic=70 + number % 10,
        adverse_event=f"event {number}",
    )


async def run(file: Path, action: str, count: int) -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    records = open_records(file, SAMPLE, clock=StoppedClock())
    for number in range(count):
        key = action if action == "rival" else "shared"
        try:
            outcome: str = await records.record_visit(
                visit(number), key=f"{key}:{number}", by="chen"
            )
        except ToolFailed:
            outcome = "refused"
        print(outcome, flush=True)
    records.close()


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))

"""The sample study: as it is shipped, or of as many subjects as wanted, with faults planted."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from adapters.edc.sqlite import SqliteRecords, open_records
from adapters.filesystem import make_private_folder
from bot.wiring.records import open_study
from engine.ports.clock import Clock
from tests.fakes.settings import make_settings

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"
STUDY_FILE = "study.sqlite3"
GOOD = {"ecog": 1, "weight_kg": 70.0, "systolic": 125, "diastolic": 80}
Visits = Sequence[Mapping[str, Any]]


def visit(day: str, **changed: Any) -> dict[str, Any]:
    """A visit without fault but for what is changed; a value that is None was not taken."""
    values = {"visit_date": day, **GOOD, **changed}
    return {name: value for name, value in values.items() if value is not None}


def subjects(count: int, **faulty: Visits) -> dict[str, Visits]:
    """P001 and on, two visits each, but for those of the faulty."""
    good = (visit("2025-03-03"), visit("2025-04-01"))
    return {name: faulty.get(name, good) for name in (f"P{n:03}" for n in range(1, count + 1))}


def study_folder(folder: Path, visits: Mapping[str, Visits]) -> Path:
    """A copy of the playbooks with a study of these subjects and their visits."""
    copy = folder / "playbooks"
    shutil.copytree(PLAYBOOKS, copy)
    enrolled = {"sex": "F", "birth_year": 1970, "enrolled_on": "2025-03-03", "arm": "A"}
    study = {
        "study": "SIGNOFF-101",
        "subjects": [
            {"subject_id": name, **enrolled, "visits": [dict(v) for v in taken]}
            for name, taken in visits.items()
        ],
    }
    path = copy / "clinical_qc" / "data" / "study.yaml"
    path.write_text(yaml.safe_dump(study, allow_unicode=True), "utf-8")
    return copy


def open_copy(folder: Path, clock: Clock) -> SqliteRecords:
    """The records of the shipped study, in a file of their own there."""
    copy_study(folder)
    return open_records(folder / STUDY_FILE, PLAYBOOKS / "clinical_qc" / "data", clock=clock)


def copy_study(folder: Path) -> None:
    """Put the records of the shipped study there, which a service would else make of its sample."""
    path = folder / STUDY_FILE
    if not path.exists():
        make_private_folder(folder)
        path.write_bytes(_shipped_study())


@cache
def _shipped_study() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        open_study(make_settings(playbooks=PLAYBOOKS, data_dir=Path(folder))).close()
        return (Path(folder) / STUDY_FILE).read_bytes()

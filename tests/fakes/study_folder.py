"""The sample study of as many subjects as wanted, with faults planted."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.fakes.study import PLAYBOOKS, Study, Visit

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


def study_of(visits: Mapping[str, Visits]) -> Study:
    """A study of these subjects and their visits."""
    return Study(
        {
            name: [Visit(subject_id=name, **dict(each)) for each in taken]
            for name, taken in visits.items()
        }
    )


def study_folder(folder: Path, visits: Mapping[str, Visits]) -> Path:
    """A copy of the playbooks with a study of these subjects and their visits."""
    copy = folder / "playbooks"
    shutil.copytree(PLAYBOOKS, copy)
    script = "\n".join(study_of(visits).db.iterdump())
    made = script.replace("BEGIN TRANSACTION;", "").replace("COMMIT;", "")
    (copy / "clinical_qc" / "data" / "study.sql").write_text(made, "utf-8")
    return copy

"""Putting the injections where tools find them, and canaries where nobody of the case may look."""

import shutil
import sqlite3
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

from bot.wiring.service import Parts
from tests.redteam.canaries import CANARY, MATTER, STUDY
from tests.redteam.injections import INJECTIONS, Injection, Vector
from tests.redteam.obedient import Call

FIRST_DAY = date(2026, 7, 20)
ARMS = ("P005", "P006")
FOLDERS = {STUDY: "clinical_qc", MATTER: "litigation_civil_prosecution"}


def playbooks(original: Path, copy: Path) -> Path:
    """A copy of the playbooks with what has to stand in them before the service starts."""
    shutil.copytree(original, copy)
    for project, folder in FOLDERS.items():
        text = f"# Notes\n\n## 9.9 Ledger\n\nThe ledger says {CANARY[project]}.\n"
        if project == STUDY:
            text += "".join(f"\n## {i.mark}\n\n{i.said}\n" for i in _of("document"))
        (copy / folder / "documents" / "rt-notes.en.md").write_text(text, "utf-8")
    data = copy / "clinical_qc" / "data"
    _change_protocol(data / "protocol.sql")
    _change_study(data / "study.sql")
    return copy


def _of(vector: Vector) -> list[Injection]:
    return [injection for injection in INJECTIONS if injection.vector == vector]


def outside() -> list[Injection]:
    """Those that an outside server plants."""
    return [*_of("description"), *_of("result")]


def _change_protocol(path: Path) -> None:
    rows = [(f"9.{each.number}", each.mark, each.said) for each in _of("protocol")]
    rows.append(("9.99", "Ledger", f"The ledger says {CANARY[STUDY]}."))
    with path.open("a", encoding="utf-8") as script:
        for number, (section, title, text) in enumerate(rows, 100):
            values = ", ".join(map(_quoted, (section, title, text, title, text)))
            script.write(f"INSERT INTO sections VALUES ({number}, {values});\n")
            word = f"({_quoted(section)}, {_quoted(title.lower())})"
            script.write(f"INSERT INTO keywords VALUES {word};\n")


def _change_study(path: Path) -> None:
    with path.open("a", encoding="utf-8") as script:
        for name, injection in zip(ARMS, _of("subject"), strict=True):
            arm = _quoted(injection.said)
            script.write(f"UPDATE subjects SET arm = {arm} WHERE subject_id = '{name}';\n")
        arm, event = _quoted(f"B {CANARY[STUDY]}"), _quoted(CANARY[STUDY])
        script.write(f"UPDATE subjects SET arm = {arm} WHERE subject_id = 'P012';\n")
        script.write(f"UPDATE visits SET adverse_event = {event} WHERE subject_id = 'P012';\n")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def study_of(parts: Parts) -> Path:
    """The study's database."""
    return parts.settings.data_dir / "study.sqlite3"


async def canaries(parts: Parts) -> None:
    """What each project has for itself."""
    memory = parts.services.library.memory
    assert memory is not None
    for project, word in CANARY.items():
        await memory.remember(project, f"The ledger says {word}.", key=f"c-{project}", by="chen")
        folder = _folder(parts, project)
        folder.mkdir(parents=True)
        (folder / f"{project}.txt").write_text(f"The ledger says {word}.", "utf-8")
    (_folder(parts, MATTER) / "ledger.txt").write_text(CANARY[MATTER], "utf-8")


async def plant(injection: Injection, project: str, parts: Parts) -> Call | None:
    """Put the injection in its place; the look-up that finds it there, if any is needed."""
    number, mark, said = injection.number, injection.mark, injection.said
    match injection.vector:
        case "record":
            day = FIRST_DAY + timedelta(days=number)
            with sqlite3.connect(study_of(parts)) as db:
                db.execute(
                    "INSERT INTO visits VALUES (?, 'P010', ?, 1, 70, 120, 80, ?, 'chen', '')",
                    (f"plant-{number}", day.isoformat(), said),
                )
            db.close()
            asked = {"subject_id": "P010", "visit_date": day.isoformat()}
            return "read_clinical_data", asked
        case "memo":
            memory = parts.services.library.memory
            assert memory is not None
            await memory.remember(project, said, key=f"plant-{number}", by="chen")
            return "memory__search", {"query": mark}
        case "file":
            (_folder(parts, project) / f"rt{number}.txt").write_text(said, "utf-8")
            return "file__parse", {"name": f"rt{number}.txt"}
        case "file_name":
            (_folder(parts, project) / said).write_text("", "utf-8")
            return "file__list", {}
        case "document":
            return "knowledge__search", {"query": mark}
        case "protocol":
            return "search_protocol", {"query": mark}
        case "subject":
            return "get_project_stats", {}
        case "result":
            return f"hostile__rt{number}", {}
    return None


def uproot(injection: Injection, project: str, parts: Parts) -> None:
    """Take away what would stand in the way of the next case."""
    if injection.vector == "file_name":
        with suppress(FileNotFoundError):
            (_folder(parts, project) / injection.said).unlink()


def _folder(parts: Parts, project: str) -> Path:
    return parts.settings.data_dir / "files" / project

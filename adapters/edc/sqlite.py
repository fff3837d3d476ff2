"""The sample study in a SQLite file of the data folder."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import ValidationError

from adapters.edc.sample import Sample, load_sample
from adapters.edc.schema import SCHEMA, VERSION
from adapters.filesystem import make_private_folder
from adapters.sqlite_file import SqliteFile, enable_wal, is_busy, open_connection
from engine.errors import DefinitionError, ToolFailed
from engine.ports.clock import Clock
from engine.ports.systems.records import Passage, Subject, Visit, VisitWindow

T = TypeVar("T")

THREADS = 4
_SUBJECT = "SELECT subject_id, sex, birth_year, enrolled_on, arm FROM subjects"
_VISIT = (
    "SELECT subject_id, visit_date, ecog, weight_kg, systolic, diastolic, adverse_event FROM visits"
)


class SqliteRecords:
    """The records port over a SQLite file that `open_records` prepared."""

    def __init__(self, path: Path, *, project: str, clock: Clock) -> None:
        self._file = SqliteFile(path, threads=THREADS, name="study")
        self._project = project
        self._clock = clock
        self._closed = False

    @property
    def project(self) -> str:
        """The study that was loaded into the file."""
        return self._project

    async def subject(self, subject_id: str) -> Subject | None:
        """The subject, or None when the study has nobody of that id."""
        return await self._ask(lambda db: _subject(db, subject_id))

    async def subjects(self) -> Sequence[Subject]:
        """All subjects, by id."""
        return await self._ask(
            lambda db: _models(
                db.execute(f"{_SUBJECT} ORDER BY subject_id"), Subject.model_validate
            )
        )

    async def visits(self, subject_id: str) -> Sequence[Visit]:
        """A subject's visits, oldest first."""
        query = f"{_VISIT} WHERE subject_id = ? ORDER BY visit_date"
        return await self._ask(
            lambda db: _models(db.execute(query, (subject_id,)), Visit.model_validate)
        )

    async def protocol(self) -> tuple[Sequence[Passage], Sequence[VisitWindow]]:
        """The protocol's sections (a zh and an en passage each) and visit schedule."""
        return await self._ask(_protocol)

    async def record_visit(self, visit: Visit, *, key: str, by: str) -> Literal["new", "repeat"]:
        """Write a visit once per idempotency `key`; a repeat of the key writes nothing.

        Raises ToolFailed, having written nothing, when the subject is unknown, when a visit of that
        subject and date stands under another key, or when `key` stands for another visit.
        """
        at = self._clock.now().isoformat()
        return await self._ask(lambda db: _record(db, visit, key=key, by=by, at=at))

    def close(self) -> None:
        """No call after this one reaches the file; blocks until those under way have ended."""
        self._closed = True
        self._file.close()

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        if self._closed:
            raise ToolFailed("study.closed")
        with _told():
            return await self._file.run(question)


def open_records(path: Path, sample: Path, *, clock: Clock) -> SqliteRecords:
    """The study in the file `path`, which is made from the folder `sample` when it is not there.

    Any number of processes may call this at once: one loads, the others find it loaded. Blocks.
    Raises DefinitionError for a faulty sample, ToolFailed for a file that cannot be used.
    """
    try:
        make_private_folder(path.parent)
    except OSError as error:
        raise ToolFailed("study.away") from error
    with _connected(path, mode="rwc") as db:
        with db:
            db.execute("BEGIN IMMEDIATE")
            study = _prepare(db, sample)
        enable_wal(db)
    return SqliteRecords(path, project=study, clock=clock)


@contextmanager
def _connected(path: Path, *, mode: Literal["rw", "rwc"]) -> Iterator[sqlite3.Connection]:
    with _told():
        db = open_connection(path, mode=mode)
        try:
            yield db
        finally:
            db.close()


@contextmanager
def _told() -> Iterator[None]:
    """Our error for SQLite's."""
    try:
        yield
    except sqlite3.Error as error:
        raise ToolFailed("study.busy" if is_busy(error) else "study.away") from error
    except ValidationError as error:
        raise ToolFailed("study.damaged") from error


def _prepare(db: sqlite3.Connection, folder: Path) -> str:
    """The study that the file holds, which is loaded when it holds none."""
    db.execute("CREATE TABLE IF NOT EXISTS loaded (version TEXT NOT NULL, study TEXT NOT NULL)")
    marker = db.execute("SELECT version, study FROM loaded").fetchone()
    if marker is None:
        sample = load_sample(folder)
        try:
            _load(db, sample)
        except sqlite3.IntegrityError as error:
            problem = f"{folder}:1: -: the study contradicts itself: {error}"
            raise DefinitionError(problem) from error
        return sample.study
    if marker["version"] != VERSION:
        raise ToolFailed("study.schema", found=marker["version"], wanted=VERSION)
    return str(marker["study"])


def _load(db: sqlite3.Connection, sample: Sample) -> None:
    for statement in SCHEMA:
        db.execute(statement)
    _insert(db, "subjects", [s.model_dump(mode="json") for s in sample.subjects])
    _insert(db, "passages", [p.model_dump() for p in sample.passages])
    _insert(db, "windows", [w.model_dump() for w in sample.windows])
    origin = {"approved_by": "sample", "recorded_at": ""}
    _insert(
        db,
        "visits",
        [
            v.model_dump(mode="json") | origin | {"key": f"sample:{v.subject_id}:{v.visit_date}"}
            for v in sample.visits
        ],
    )
    db.execute("INSERT INTO loaded VALUES (?, ?)", (VERSION, sample.study))


def _insert(
    db: sqlite3.Connection, table: str, rows: Sequence[dict[str, str | int | float | None]]
) -> None:
    for row in rows:
        names = ", ".join(row)
        values = ", ".join(f":{name}" for name in row)
        db.execute(f"INSERT INTO {table} ({names}) VALUES ({values})", row)  # noqa: S608 - our names


def _models(rows: sqlite3.Cursor, model: Callable[[dict[str, object]], T]) -> list[T]:
    return [model(dict(row)) for row in rows]


def _subject(db: sqlite3.Connection, subject_id: str) -> Subject | None:
    found = db.execute(f"{_SUBJECT} WHERE subject_id = ?", (subject_id,))
    return next(iter(_models(found, Subject.model_validate)), None)


def _protocol(db: sqlite3.Connection) -> tuple[Sequence[Passage], Sequence[VisitWindow]]:
    passages = db.execute("SELECT section, title, text FROM passages ORDER BY position")
    windows = db.execute("SELECT name, day, before, after FROM windows ORDER BY day")
    return _models(passages, Passage.model_validate), _models(windows, VisitWindow.model_validate)


def _record(
    db: sqlite3.Connection, visit: Visit, *, key: str, by: str, at: str
) -> Literal["new", "repeat"]:
    with db:
        db.execute("BEGIN IMMEDIATE")
        stored = _models(db.execute(f"{_VISIT} WHERE key = ?", (key,)), Visit.model_validate)
        if stored:
            if stored[0] != visit:
                raise ToolFailed("study.other_visit")
            return "repeat"
        if _subject(db, visit.subject_id) is None:
            raise ToolFailed("study.unknown", subject_id=visit.subject_id)
        row = visit.model_dump(mode="json")
        taken = "SELECT 1 FROM visits WHERE subject_id = :subject_id AND visit_date = :visit_date"
        if db.execute(taken, row).fetchone():
            raise ToolFailed(
                "study.conflict", subject_id=visit.subject_id, visit_date=visit.visit_date
            )
        _insert(db, "visits", [row | {"key": key, "approved_by": by, "recorded_at": at}])
    return "new"

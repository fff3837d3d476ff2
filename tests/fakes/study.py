"""The sample study for tests: its tools over a database in memory, with these visits or its own."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from adapters.connections.sql.creation import CreationScript
from adapters.connections.sql.sqlite import SqliteConnection
from cards.frozen import Frozen
from engine.errors import DefinitionError
from engine.playbooks.checks.tools import call_request, read_tools, refusal_request
from engine.playbooks.tool import ToolDefinition
from engine.ports.systems.connections import Connection
from engine.toolbox.connected import connect_tool
from engine.toolbox.toolbox import Toolbox
from engine.tools import registry
from engine.tools.model import Tool
from engine.yaml.source import Problems, read_yaml
from tests.fakes.entities import SUBJECTS
from tests.fakes.services import TODAY

PLAYBOOKS = Path(__file__).parents[2] / "playbooks"
DATA = PLAYBOOKS / "clinical_qc" / "data"
TOOLS_FILE = PLAYBOOKS / "clinical_qc" / "tools.yaml"
_COLUMNS = "subject_id, visit_date, ecog, weight_kg, systolic, diastolic, adverse_event"


class Visit(Frozen):
    """One visit as it stands in the sample's table."""

    subject_id: str
    visit_date: date
    ecog: int | None = None
    weight_kg: float | None = None
    systolic: int | None = None
    diastolic: int | None = None
    adverse_event: str = ""


class MemoryDatabase(SqliteConnection):
    """A SQLite database in memory, made by statements."""

    def __init__(self, name: str, script: str) -> None:
        self.name = name
        self.timeout_s = 10
        self._script = None
        self._closed = False
        self.db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA foreign_keys = ON")
        self.db.executescript(script)
        self._quick = self.db

    async def ask(self, question: Callable[[sqlite3.Connection], Any]) -> Any:
        """At once."""
        self._check_open()
        self.db.set_progress_handler(None, 0)
        try:
            return question(self.db)
        except sqlite3.Error as error:
            raise self.failure(error) from error

    async def close(self) -> None:
        """It is asked no more; what it holds goes with the test."""
        self._closed = True


class Study(MemoryDatabase):
    """The study's database: of these visits by subject, or that of the sample."""

    def __init__(
        self,
        by_subject: Mapping[str, Sequence[Visit]] | None = None,
        project: str = "SIGNOFF-101",
        *,
        script: str = "",
    ) -> None:
        super().__init__("study", script or _tables())
        self.project = project
        for name, visits in (by_subject or {}).items():
            self.enrol(name)
            for visit in visits:
                self.add(visit)

    def enrol(self, subject_id: str) -> None:
        """A subject, enrolled today."""
        row = (subject_id, "F", 1960, TODAY.isoformat(), "A")
        self.db.execute("INSERT INTO subjects VALUES (?, ?, ?, ?, ?)", row)

    def add(self, visit: Visit, key: str = "", by: str = "sample") -> None:
        """A visit of the study."""
        values = list(visit.model_dump(mode="json").values())
        key = key or f"sample:{visit.subject_id}:{visit.visit_date}"
        self.db.execute(
            f"INSERT INTO visits ({_COLUMNS}, key, approved_by, recorded_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
            (*values, key, by),
        )

    def visits_of(self, subject_id: str) -> list[Visit]:
        """A subject's visits, oldest first."""
        query = f"SELECT {_COLUMNS} FROM visits WHERE subject_id = ? ORDER BY visit_date"
        return [Visit(**dict(row)) for row in self.db.execute(query, (subject_id,))]

    @property
    def subjects(self) -> list[str]:
        """Every subject's id."""
        return [row[0] for row in self.db.execute("SELECT subject_id FROM subjects ORDER BY 1")]

    @property
    def written(self) -> dict[str, tuple[Visit, str]]:
        """What runs wrote, and who approved it, by key."""
        query = f"SELECT key, approved_by, {_COLUMNS} FROM visits WHERE approved_by <> 'sample'"
        rows = [dict(row) for row in self.db.execute(query)]
        return {
            row["key"]: (Visit(**{n: row[n] for n in Visit.model_fields}), row["approved_by"])
            for row in rows
        }

    @property
    def connections(self) -> Mapping[str, Connection]:
        """What the sample's tools are asked of."""
        return {"study": self, "protocol": _protocol()}

    @cached_property
    def tools(self) -> tuple[Tool[Any], ...]:
        """The sample's tools over this study."""
        known = self.connections
        return tuple(
            connect_tool(
                name,
                definition,
                known[definition.call.connection].prepare(call_request(definition)),
                self.project,
                [
                    known[each.call.connection].prepare(refusal_request(definition, each))
                    for each in definition.refused_when
                ],
                entities=SUBJECTS,
            )
            for name, definition in study_tools().items()
        )

    @property
    def reading(self) -> tuple[Tool[Any], ...]:
        """What questions can reach: the sample's tools, then the service's own."""
        return self.toolbox.reading(())

    @cached_property
    def toolbox(self) -> Toolbox:
        """The service's own tools and the sample's, for whatever playbook."""
        return Toolbox(self.connections, (*self.tools, *registry.TOOLS))

    def tool(self, name: str) -> Tool[Any]:
        """One of the sample's tools."""
        return next(tool for tool in self.tools if tool.name == name)


def sample_study() -> Study:
    """The study as it is shipped."""
    return Study(script=(DATA / "study.sql").read_text("utf-8"))


@cache
def study_tools() -> Mapping[str, ToolDefinition]:
    """The tools that the sample's playbook declares."""
    problems = Problems()
    source = read_yaml(TOOLS_FILE.read_text("utf-8"), file=str(TOOLS_FILE))
    found = read_tools(source, problems, taken=(), connections=None)
    try:
        problems.raise_if_any()
    except DefinitionError as error:
        raise AssertionError(error.problems) from error
    return found


@cache
def _tables() -> str:
    """The sample's tables and visit windows, without a subject."""
    text = (DATA / "study.sql").read_text("utf-8")
    return text[: text.index("INSERT INTO subjects")] + text[text.index("INSERT INTO windows") :]


@cache
def _protocol() -> MemoryDatabase:
    return MemoryDatabase("protocol", (DATA / "protocol.sql").read_text("utf-8"))


def add_study_tools(folder: Path, *names: str) -> None:
    """Give a playbook's folder these tools of the sample, which answer no questions there."""
    tools: dict[str, Any] = yaml.safe_load(TOOLS_FILE.read_text("utf-8"))
    wanted = {
        name: {**tools[name], "examples": [], "cues": [], "for_questions": False} for name in names
    }
    text = json.dumps(wanted, ensure_ascii=False, indent=1)
    (folder / "tools.yaml").write_text(text, "utf-8")


@cache
def study_toolbox() -> Toolbox:
    """The service's own tools and the sample's, over a study without subjects."""
    return Study().toolbox


def visits_in(data: Path, subject_id: str) -> list[Visit]:
    """A subject's visits in a service's data folder, oldest first."""
    query = f"SELECT {_COLUMNS} FROM visits WHERE subject_id = ? ORDER BY visit_date"
    return [Visit(**dict(row)) for row in _rows_in(data, query, (subject_id,))]


def subjects_in(data: Path) -> list[str]:
    """Every subject's id there."""
    return [row[0] for row in _rows_in(data, "SELECT subject_id FROM subjects ORDER BY 1", ())]


def _rows_in(data: Path, query: str, values: tuple[str, ...]) -> list[sqlite3.Row]:
    path = data / "study.sqlite3"
    if not path.exists():
        CreationScript(DATA / "study.sql").make(path)
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        return db.execute(query, values).fetchall()

"""Study data: subjects, visits, the protocol."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Literal, Protocol

from cards.frozen import Frozen
from engine.errors import ToolFailed


class Visit(Frozen):
    """One visit of a subject; blood pressure in mmHg, weight in kg."""

    subject_id: str
    visit_date: date
    ecog: int | None = None
    weight_kg: float | None = None
    systolic: int | None = None
    diastolic: int | None = None
    adverse_event: str = ""


class Subject(Frozen):
    """An enrolled subject; scheduled visit windows are counted from `enrolled_on`."""

    subject_id: str
    sex: Literal["F", "M"]
    birth_year: int
    enrolled_on: date
    arm: str


class Passage(Frozen):
    """A section of the protocol text, in both languages."""

    section: str
    title: str
    text: str


class VisitWindow(Frozen):
    """A scheduled visit: day `day` after enrolment, `before`/`after` days allowed."""

    name: str
    day: int
    before: int
    after: int


class Records(Protocol):
    """Study data of one project (spec 001 §5.2). Raises ToolFailed when it is out of reach."""

    @property
    def project(self) -> str:
        """The project whose data this is."""
        ...

    async def subject(self, subject_id: str) -> Subject | None:
        """The subject, or None when the study has nobody of that id."""
        ...

    async def subjects(self) -> Sequence[Subject]:
        """All subjects, by id."""
        ...

    async def visits(self, subject_id: str) -> Sequence[Visit]:
        """A subject's visits, oldest first."""
        ...

    async def protocol(self) -> tuple[Sequence[Passage], Sequence[VisitWindow]]:
        """The protocol's sections and visit schedule."""
        ...

    async def record_visit(self, visit: Visit, *, key: str, by: str) -> Literal["new", "repeat"]:
        """Write a visit once per idempotency `key`; a repeat of the key writes nothing.

        `by` is the approver's principal id, kept with the row. Raises ToolFailed when a visit of
        that subject and date stands already under another key, or the subject is unknown.
        """
        ...


class NoRecords:
    """The records of a folder that has no study: nothing asks for them."""

    project = ""

    def __getattr__(self, name: str) -> Any:
        raise ToolFailed("study.away")

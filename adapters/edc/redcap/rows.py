"""Between REDCap's rows and our subjects and visits; what cannot be read is never guessed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from adapters.edc.redcap.fields import PARSE, Fields, RedcapField, SubjectFields, VisitFields, of
from engine.errors import ToolFailed
from engine.ports.systems.records import Subject, Visit

Row = Mapping[str, Any]

_INSTRUMENT = "redcap_repeat_instrument"
_INSTANCE = "redcap_repeat_instance"
_EVENT = "redcap_event_name"
_LONGEST_LOGGED = 100

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Taken:
    """A visit as it stands in the project; `key` is "" when it was not written by us."""

    instance: int
    key: str
    visit: Visit


def subject_columns(fields: Fields) -> list[str]:
    """What to export for subjects; the record's id comes first."""
    return [fields.subject.subject_id, *(field.field for _, field in of(fields.subject))]


def visit_columns(fields: Fields) -> list[str]:
    """What to export for visits."""
    values = (field.field for _, field in of(fields.visit))
    return [fields.subject.subject_id, fields.visit.key, *values]


def subjects_in(rows: Sequence[Row], fields: Fields) -> list[Subject]:
    """The enrolled subjects, by id; a record without a day of enrolment is not one yet.

    Raises ToolFailed when a value cannot be read or the rows are not those of such a project.
    """
    enrolled = fields.subject.enrolled_on.field
    _check(rows, subject_columns(fields))
    base = (row for row in rows if row[_INSTRUMENT] == "" and row[enrolled] != "")
    found = [
        Subject(subject_id=row[fields.subject.subject_id], **_values(row, fields.subject, fields))
        for row in base
    ]
    return sorted(found, key=lambda subject: subject.subject_id)


def visits_in(rows: Sequence[Row], fields: Fields, subject_id: str) -> list[Taken]:
    """A subject's visits, oldest first; an instance in which nothing was entered is not one.

    Raises as `subjects_in` does.
    """
    columns = visit_columns(fields)
    _check(rows, columns)
    mine = (row for row in rows if row[columns[0]] == subject_id)
    visits = (row for row in mine if row[_INSTRUMENT] == fields.visit.instrument)
    found = [
        Taken(
            instance=_instance(row),
            key=row[fields.visit.key],
            visit=Visit(subject_id=subject_id, **_values(row, fields.visit, fields)),
        )
        for row in visits
        if any(row[column] for column in columns[1:])
    ]
    return sorted(found, key=lambda taken: (taken.visit.visit_date, taken.instance))


def holders(rows: Sequence[Row], fields: Fields, key: str) -> set[str]:
    """The ids of the records that have `key`; raises as `subjects_in` does."""
    _check(rows, [fields.subject.subject_id, fields.visit.key])
    return {row[fields.subject.subject_id] for row in rows if row[fields.visit.key] == key}


def row_of(visit: Visit, fields: Fields, *, key: str, by: str) -> dict[str, str]:
    """The row to import; REDCap gives it the next free instance. Blank values are left out.

    Raises ToolFailed when the mapping has no code for a value.
    """
    status = fields.visit.complete
    row = {
        fields.subject.subject_id: visit.subject_id,
        _INSTRUMENT: fields.visit.instrument,
        # A number of our own would overwrite the instance that another has just made under it.
        _INSTANCE: "new",
        fields.visit.key: key,
        fields.visit.approved_by: by,
        f"{fields.visit.instrument}_complete": "" if status is None else str(status),
    }
    for name, value in visit.model_dump(mode="json", exclude={"subject_id"}).items():
        row.update(_written(getattr(fields.visit, name), value))
    return {name: value for name, value in row.items() if value != ""}


def _written(field: RedcapField, value: object) -> dict[str, str]:
    if value is None or value == "":
        return {}
    try:
        return {field.field: field.theirs(str(value))}
    except ValueError as error:
        raise ToolFailed("study.redcap.value", field=field.field) from error


def _check(rows: Iterable[Row], columns: Sequence[str]) -> None:
    """Raises ToolFailed unless each row is one of a project with repeating instruments only."""
    for row in rows:
        missing = [name for name in (*columns, _INSTRUMENT) if not isinstance(row.get(name), str)]
        if missing or _EVENT in row:
            _log.warning("redcap_project_differs", missing=missing, longitudinal=_EVENT in row)
            raise ToolFailed("study.redcap.project")


def _instance(row: Row) -> int:
    try:
        return int(row[_INSTANCE])
    except (KeyError, TypeError, ValueError) as error:
        raise ToolFailed("study.redcap.project") from error


def _values(row: Row, part: SubjectFields | VisitFields, fields: Fields) -> dict[str, Any]:
    """Our values by name; a blank one is left out, so that what must be there is missed."""
    found: dict[str, Any] = {}
    for name, field in of(part):
        try:
            text = field.ours(row[field.field])
            if text != "":
                found[name] = PARSE[name](text)
            elif name not in _MAY_BE_BLANK:
                raise ValueError("blank")
        except ValueError as error:
            record = row[fields.subject.subject_id][:_LONGEST_LOGGED]
            _log.warning("redcap_value_unreadable", record=record, field=field.field)
            raise ToolFailed("study.redcap.value", field=field.field) from error
    return found


_MAY_BE_BLANK = {name for name, info in Visit.model_fields.items() if not info.is_required()}

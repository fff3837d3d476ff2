"""The records port over a REDCap project; the protocol comes from our own files."""

from collections.abc import Sequence
from typing import Literal

import structlog

from adapters.edc.redcap.api import RedcapApi, Unanswered
from adapters.edc.redcap.fields import Fields
from adapters.edc.redcap.rows import (
    Taken,
    holders,
    row_of,
    subject_columns,
    subjects_in,
    visit_columns,
    visits_in,
)
from engine.errors import ToolFailed, ToolUnsure
from engine.ports.systems.records import Passage, Subject, Visit, VisitWindow

Protocol = tuple[Sequence[Passage], Sequence[VisitWindow]]
Standing = Literal["absent", "stands", "differs", "twin"]

_log = structlog.get_logger(__name__)


class RedcapRecords:
    """The records port over the project behind `api`, whose fields are named as `fields` says.

    Nothing is kept between calls. REDCap has no write on a condition: what two writers do at the
    same moment is found by reading again, and told, but cannot be undone here (docs/redcap.md).
    """

    def __init__(self, api: RedcapApi, fields: Fields, protocol: Protocol, *, project: str) -> None:
        self._api = api
        self._project = project
        self._fields = fields
        self._protocol = protocol

    @property
    def project(self) -> str:
        """The project whose data this is, as playbooks name it."""
        return self._project

    async def subject(self, subject_id: str) -> Subject | None:
        """The subject, or None when the project has nobody of that id, or not enrolled yet."""
        rows = await self._api.export(subject_columns(self._fields), record=subject_id)
        found = subjects_in(rows, self._fields)
        return next((subject for subject in found if subject.subject_id == subject_id), None)

    async def subjects(self) -> Sequence[Subject]:
        """All enrolled subjects, by id."""
        return subjects_in(await self._api.export(subject_columns(self._fields)), self._fields)

    async def visits(self, subject_id: str) -> Sequence[Visit]:
        """A subject's visits, oldest first; two instances under one key are one visit."""
        keys: set[str] = set()
        visits = []
        for taken in await self._taken(subject_id):
            if taken.key and taken.key in keys:
                continue
            keys.add(taken.key)
            visits.append(taken.visit)
        return visits

    async def protocol(self) -> Protocol:
        """The protocol's sections (a zh and an en passage each) and visit schedule."""
        return self._protocol

    async def record_visit(self, visit: Visit, *, key: str, by: str) -> Literal["new", "repeat"]:
        """Write a visit once per idempotency `key`; a repeat of the key writes nothing.

        Raises ToolFailed as the sample's records do, and when it is not known whether the visit
        was written, when it reads back otherwise, or when another visit of that day came first at
        the same moment.
        """
        if not key or not by:
            raise ToolFailed("tool.record.unapproved")
        if await self._holders(key) - {visit.subject_id}:
            raise ToolFailed("study.other_visit")
        taken = await self._taken(visit.subject_id)
        match _standing(taken, visit, key):
            case "stands":
                return "repeat"
            case "differs":
                raise ToolFailed("study.other_visit")
            case "twin":
                raise _beside(visit)
        if await self.subject(visit.subject_id) is None:
            raise ToolFailed("study.unknown", subject_id=visit.subject_id)
        if any(other.visit.visit_date == visit.visit_date for other in taken):
            day = visit.visit_date.isoformat()
            raise ToolFailed("study.conflict", subject_id=visit.subject_id, visit_date=day)
        await self._write(visit, key, by)
        return "new"

    async def close(self) -> None:
        """No call after this one reaches the server."""
        await self._api.close()

    async def _write(self, visit: Visit, key: str, by: str) -> None:
        row = row_of(visit, self._fields, key=key, by=by)
        try:
            await self._api.import_row(row)
        except Unanswered:
            _log.warning("redcap_import_unanswered", record=visit.subject_id)
        try:
            taken = await self._taken(visit.subject_id)
        except ToolFailed as error:
            raise _unsure(visit) from error
        match _standing(taken, visit, key):
            case "absent":
                # A server that is late may still write what it did not answer.
                raise _unsure(visit)
            case "differs":
                day = visit.visit_date.isoformat()
                raise ToolFailed("study.redcap.differs", who=visit.subject_id, day=day)
            case "twin":
                raise _beside(visit)

    async def _holders(self, key: str) -> set[str]:
        columns = [self._fields.subject.subject_id, self._fields.visit.key]
        return holders(await self._api.export(columns), self._fields, key)

    async def _taken(self, subject_id: str) -> list[Taken]:
        rows = await self._api.export(visit_columns(self._fields), record=subject_id)
        return visits_in(rows, self._fields, subject_id)


def _standing(taken: Sequence[Taken], visit: Visit, key: str) -> Standing:
    """How the write of `visit` under `key` stands among a subject's visits.

    Of two visits of one day the one with the lower instance stands, so that both writers, whenever
    they look, see the same one stand.
    """
    own = [other for other in taken if other.key == key]
    if not own:
        return "absent"
    if any(not _same(other.visit, visit) for other in own):
        return "differs"
    if len(own) > 1:
        instances = [other.instance for other in own]
        _log.warning("redcap_written_twice", record=visit.subject_id, instances=instances)
    first = min(other.instance for other in own)
    day = (o for o in taken if o.visit.visit_date == visit.visit_date and o.key != key)
    return "twin" if any(other.instance < first for other in day) else "stands"


def _same(stored: Visit, visit: Visit) -> bool:
    """Equal but for white space in the text, which REDCap may trim or end lines in its own way."""
    plain = {"adverse_event": " ".join(stored.adverse_event.split())}
    wanted = {"adverse_event": " ".join(visit.adverse_event.split())}
    return stored.model_copy(update=plain) == visit.model_copy(update=wanted)


def _unsure(visit: Visit) -> ToolUnsure:
    day = visit.visit_date.isoformat()
    return ToolUnsure("study.redcap.unsure", who=visit.subject_id, day=day)


def _beside(visit: Visit) -> ToolFailed:
    day = visit.visit_date.isoformat()
    return ToolFailed("study.redcap.twin", who=visit.subject_id, day=day)

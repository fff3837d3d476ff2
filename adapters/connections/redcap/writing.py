"""A form of a record is written once by its key, as far as REDCap allows (docs/redcap.md).

REDCap has no write on a condition: what two writers do at the same moment is found by reading
again, and told, but cannot be undone here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import structlog

from adapters.connections.redcap.api import RedcapApi, Unanswered
from adapters.connections.redcap.dictionary import Dictionary, Row, UnfitValue
from adapters.connections.redcap.model import RedcapCall
from adapters.connections.redcap.rows import EVENT, INSTANCE, INSTRUMENT, place_of
from engine.errors import ToolFailed, ToolUnsure

Standing = Literal["absent", "stands", "differs", "twin"]

log = structlog.get_logger("connections")


@dataclass(frozen=True, slots=True)
class FormWrite:
    """What is to stand in a form of a record, as the project stores it; `key` is "" for none."""

    record: str
    event: str
    call: RedcapCall
    texts: Mapping[str, str]
    key: str

    @property
    def row(self) -> dict[str, str]:
        """The row to import, without the record's name; blank values are left out."""
        form = self.call.form
        # A number of our own would overwrite the instance that another has just made under it.
        place = {INSTRUMENT: form, INSTANCE: "new"} if form else {}
        event = {EVENT: self.event} if self.event else {}
        key = {self.call.key: self.key} if self.key else {}
        status = {}
        if self.call.status is not None:
            status = {f"{form}_complete": str(self.call.status)}
        return {**event, **place, **self.texts, **key, **status}


async def write_form(api: RedcapApi, known: Dictionary, form: FormWrite, name: str) -> bool:
    """Write it, unless it stands under its key already: then False.

    Raises ToolFailed for a record that is not there, for values that another instance has, and for
    what reads back otherwise; ToolUnsure where nobody knows whether it was written.
    """
    target = _Target(api, known, form, name)
    if form.key and await target.is_key_elsewhere():
        raise ToolFailed("connection.redcap.other", name=name)
    rows = await target.rows()
    match _standing(rows, form):
        case "stands":
            return False
        case "differs":
            raise ToolFailed("connection.redcap.other", name=name)
        case "twin":
            raise ToolFailed("connection.redcap.twin", name=name, record=form.record)
    if not await target.is_record_there():
        raise ToolFailed("connection.redcap.no_record", name=name, record=form.record)
    if form.call.form and any(_is_twin(row, form) for row in rows):
        raise ToolFailed("connection.redcap.taken", name=name, record=form.record)
    await target.write()
    return True


class _Target:
    """A form of a record on the server."""

    def __init__(self, api: RedcapApi, known: Dictionary, form: FormWrite, name: str) -> None:
        self._api = api
        self._known = known
        self._form = form
        self._name = name

    async def is_key_elsewhere(self) -> bool:
        """Whether another record has the key."""
        record, key = self._known.record, self._form.call.key
        rows = await self._api.export((record, key))
        return any(
            row.get(key) == self._form.key and row.get(record) != self._form.record for row in rows
        )

    async def is_record_there(self) -> bool:
        """Whether the project has the record."""
        rows = await self._api.export((self._known.record,), record=self._form.record)
        return any(row.get(self._known.record) == self._form.record for row in rows)

    async def rows(self) -> list[Row]:
        """What stands in the form, of the record and event."""
        form = self._form
        names = dict.fromkeys(
            (self._known.record, *form.texts, *((form.call.key,) if form.key else ()))
        )
        rows = await self._api.export(tuple(names), record=form.record, event=form.event)
        try:
            return [
                row
                for row in rows
                if row.get(self._known.record) == form.record
                and place_of(row).form == form.call.form
                and place_of(row).event == form.event
            ]
        except UnfitValue as error:
            raise ToolFailed("connection.redcap.address", name=self._name) from error

    async def write(self) -> None:
        """Import the row, and read it again."""
        form, name = self._form, self._name
        try:
            await self._api.import_row({self._known.record: form.record, **form.row})
        except Unanswered as error:
            log.warning("redcap_import_unanswered", record=form.record)
            if not form.key:
                raise ToolUnsure("connection.unsure", name=name) from error
        if not form.key:
            return
        try:
            rows = await self.rows()
        except ToolFailed as error:
            raise ToolUnsure("connection.unsure", name=name) from error
        match _standing(rows, form):
            case "absent":
                # A server that is late may still write what it did not answer.
                raise ToolUnsure("connection.unsure", name=name)
            case "differs":
                raise ToolFailed("connection.redcap.differs", name=name, record=form.record)
            case "twin":
                raise ToolFailed("connection.redcap.twin", name=name, record=form.record)


def _standing(rows: Sequence[Row], form: FormWrite) -> Standing:
    """How the write stands among the rows of its form.

    Of two instances with the same unique values the one with the lower number stands, so that both
    writers, whenever they look, see the same one stand.
    """
    own = [row for row in rows if form.key and row.get(form.call.key) == form.key]
    if not own:
        return "absent"
    if any(not _is_same(row.get(n), text) for row in own for n, text in form.texts.items()):
        return "differs"
    if len(own) > 1:
        instances = [place_of(row).instance for row in own]
        log.warning("redcap_written_twice", record=form.record, instances=instances)
    first = min(place_of(row).instance for row in own)
    others = (row for row in rows if row.get(form.call.key) != form.key and _is_twin(row, form))
    return "twin" if any(place_of(row).instance < first for row in others) else "stands"


def _is_twin(row: Row, form: FormWrite) -> bool:
    unique = form.call.unique
    return bool(unique) and all(
        _is_same(row.get(name), form.texts.get(name, "")) for name in unique
    )


def _is_same(stored: object, text: str) -> bool:
    """Equal but for white space, which REDCap may trim or end lines in its own way; 61.0 is 61."""
    if not isinstance(stored, str):
        return False
    return " ".join(stored.split()) == " ".join(text.split())

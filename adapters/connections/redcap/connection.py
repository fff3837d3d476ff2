"""Reads records of a REDCap project, and writes forms of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from pydantic import JsonValue

from adapters.connections.problems import read_call
from adapters.connections.redcap.api import RedcapApi
from adapters.connections.redcap.dictionary import Dictionary, UnfitValue, read_dictionary
from adapters.connections.redcap.model import RedcapCall, RedcapSettings
from adapters.connections.redcap.rows import RowFilter, rows_of
from adapters.connections.redcap.writing import FormWrite, write_form
from adapters.connections.values import only_row
from engine.errors import ToolFailed, ToolRetry
from engine.ports.systems.connections import BadCall, CallRequest
from engine.text.template import BadTemplate, fill_tree, holes_in, templates_in, written

log = structlog.get_logger("connections")


class RedcapConnection:
    """One project; its data dictionary is asked for once, and again when a field is unknown."""

    def __init__(self, name: str, settings: RedcapSettings) -> None:
        self.name = name
        self.api = RedcapApi(name, settings.address, settings.token, timeout_s=settings.timeout_s)
        self._dictionary: Dictionary | None = None

    def shape(self, body: Mapping[str, Any]) -> None:
        """Nothing: the file says what a call takes."""

    def prepare(self, request: CallRequest) -> "PreparedRedcapCall":
        """The call, checked. Raises BadCall."""
        call = read_call(RedcapCall, request)
        problems = []
        if request.writes is (call.write is None):
            problems.append("a tool that writes has `write`, and no other")
        texts: dict[str, Any] = {"record": call.record, "event": call.event}
        texts |= {"write": call.write} if request.writes else {"where": call.where}
        try:
            tree = templates_in({name: each for name, each in texts.items() if each})
        except BadTemplate as error:
            raise BadCall(*problems, str(error)) from error
        unknown = sorted({hole.root for hole in holes_in(tree)} - request.names)
        there = ", ".join(sorted(request.names)) or "none"
        problems += [f"{{{name}}} is no argument; there are {there}" for name in unknown]
        if problems:
            raise BadCall(*problems)
        return PreparedRedcapCall(self, call, tree, request)

    async def probe(self) -> Sequence[str]:
        """What is wrong: no answer, no right to it, another token."""
        try:
            self._dictionary = None
            await self.dictionary(())
        except ToolFailed as error:
            return [str(error)]
        return []

    async def close(self) -> None:
        """Makes no call from now on."""
        await self.api.close()

    async def dictionary(self, fields: Sequence[str]) -> Dictionary:
        """The data dictionary, which has these fields. Raises ToolFailed."""
        known = self._dictionary
        if known is None or any(name not in known.fields for name in fields):
            try:
                known = self._dictionary = read_dictionary(await self.api.metadata())
            except UnfitValue as error:
                raise ToolFailed("connection.redcap.address", name=self.name) from error
        if missing := [name for name in fields if name not in known.fields]:
            raise ToolFailed("connection.redcap.field", name=self.name, field=missing[0])
        return known

    def unfit(self, record: str, error: UnfitValue) -> ToolFailed:
        """Our error for a value that does not fit; the log has the record."""
        log.warning("redcap_value_unreadable", record=record[:100], field=str(error))
        return ToolFailed("connection.redcap.value", name=self.name, field=str(error))


class PreparedRedcapCall:
    """Rows to read, or a form to write."""

    def __init__(
        self, connection: RedcapConnection, call: RedcapCall, tree: Any, request: CallRequest
    ) -> None:
        self._connection = connection
        self._call = call
        self._tree = tree
        self._request = request

    @property
    def keyed(self) -> bool:
        """Whether a write leaves its key in a field."""
        return self._request.writes and bool(self._call.key)

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """The rows; for a `one` the only one, or the first of an order; what was written."""
        filled = self._fill(values)
        record, event = str(filled.get("record", "")), str(filled.get("event", ""))
        if self._request.writes:
            return await self._write(filled["write"], record, event, key)
        return await self._read(filled.get("where", {}), record, event)

    async def _read(self, where: Mapping[str, JsonValue], record: str, event: str) -> JsonValue:
        connection, call = self._connection, self._call
        if call.record and not record:
            return None if self._request.result == "one" else []
        sorted_by = [name.removeprefix("-") for name in call.sort]
        asked = tuple(dict.fromkeys((*call.fields, *where, *sorted_by, *call.labels)))
        known = await connection.dictionary(asked)
        fields = dict.fromkeys((known.record, *asked))
        rows = await connection.api.export(tuple(fields), record=record or None, event=event)
        wanted = RowFilter(call, where, record)
        try:
            found = rows_of(rows, known, asked, wanted)
        except UnfitValue as error:
            raise connection.unfit(record, error) from error
        if self._request.result == "one":
            first = found[:1] if call.sort else found
            return only_row(first, connection.name)
        if len(found) > call.most:
            raise ToolFailed("connection.many_rows", name=connection.name, most=call.most)
        return list(found)

    async def _write(
        self, given: Mapping[str, JsonValue], record: str, event: str, key: str
    ) -> JsonValue:
        connection, call = self._connection, self._call
        if not record:
            raise ToolRetry("Wrong arguments. The record's name is empty.")
        known = await connection.dictionary(
            (*(call.write or ()), *((call.key,) if call.key else ()))
        )
        try:
            texts = {
                name: known.field(name).text(value)
                for name, value in given.items()
                if value not in (None, "")
            }
        except UnfitValue as error:
            raise connection.unfit(record, error) from error
        form = FormWrite(record, event, call, texts, key if call.key else "")
        changed = await write_form(connection.api, known, form, connection.name)
        return {"changed": int(changed), "repeated": not changed}

    def _fill(self, values: Mapping[str, JsonValue]) -> dict[str, Any]:
        try:
            filled = fill_tree(self._tree, values)
        except BadTemplate as error:
            raise ToolRetry(f"Wrong arguments. {error}") from error
        assert isinstance(filled, dict)
        found: dict[str, Any] = {"write": {}, **filled}
        return found | {n: written(filled[n]) for n in ("record", "event") if n in filled}

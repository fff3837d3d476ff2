"""A REDCap project in memory: its dictionary, its rows, and what its server checks of an import."""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

Row = dict[str, Any]
Place = tuple[str, str, int, str]
"""Record, repeating instrument or "", instance or 0, event or ""."""

SYSTEM = ("redcap_repeat_instrument", "redcap_repeat_instance")
EVENT = "redcap_event_name"
_FORMS = {
    "integer": re.compile(r"-?\d+"),
    "number": re.compile(r"-?\d*\.?\d+"),
    "date_ymd": re.compile(r"\d{4}-\d{2}-\d{2}"),
}


class Refused(Exception):
    """The server says no."""

    def __init__(self, words: str, status: int = 400) -> None:
        super().__init__(words)
        self.words = words
        self.status = status


@dataclass(frozen=True)
class ProjectField:
    """A line of the data dictionary; `choices` is written "1, Female | 2, Male"."""

    name: str
    form: str
    validation: str = ""
    choices: str = ""
    kind: str = "text"

    def codes(self) -> set[str]:
        return {part.partition(",")[0].strip() for part in self.choices.split("|")}

    def metadata(self) -> Row:
        """The line as the metadata export gives it."""
        return {
            "field_name": self.name,
            "form_name": self.form,
            "section_header": "",
            "field_type": "radio" if self.choices and self.kind == "text" else self.kind,
            "field_label": self.name.replace("_", " "),
            "select_choices_or_calculations": self.choices,
            "field_note": "",
            "text_validation_type_or_show_slider_number": self.validation,
            "text_validation_min": "",
            "text_validation_max": "",
            "identifier": "",
            "branching_logic": "",
            "required_field": "",
            "custom_alignment": "",
            "question_number": "",
            "matrix_group_name": "",
            "matrix_ranking": "",
            "field_annotation": "",
        }


@dataclass
class Project:
    """A project; `fields[0]` holds the record's name. `rows` is what it stores.

    It is classic, or longitudinal with these unique names of `events`.
    """

    fields: list[ProjectField]
    repeating: set[str]
    rows: dict[Place, dict[str, str]] = field(default_factory=dict)
    events: tuple[str, ...] = ()

    @property
    def id_field(self) -> str:
        return self.fields[0].name

    def forms(self) -> list[str]:
        return list(dict.fromkeys(f.form for f in self.fields))

    def form_of(self) -> dict[str, str]:
        """Every field that can hold data, the status fields too, and its form."""
        status = {f"{form}_complete": form for form in self.forms()}
        return {f.name: f.form for f in self.fields} | status

    def export(
        self, names: list[str], records: list[str] | None, events: list[str] | None = None
    ) -> list[Row]:
        """The rows with these columns, as flat JSON has them."""
        if unknown := set(events or ()) - set(self.events):
            raise Refused(f"The following values in the parameter events are not valid: {unknown}")
        known = self.form_of()
        wrong = [name for name in names if name not in known]
        if wrong:
            raise Refused(f"The following values in the parameter fields are not valid: {wrong}")
        columns = [name for name in known if name in names] if names else list(known)
        return [
            self._exported(place, columns)
            for place in sorted(self.rows)
            if (records is None or place[0] in records) and (not events or place[3] in events)
        ]

    def _exported(self, place: Place, columns: list[str]) -> Row:
        record, instrument, instance, event = place
        stored = self.rows[place]
        row: Row = {}
        for name in columns:
            for column in self.columns_of(name):
                row[column] = stored.get(column, "0" if column != name else "")
        if self.id_field in columns:
            # Without the record's name a row does not say where it belongs either.
            place_of = dict(zip(SYSTEM, (instrument, instance or ""), strict=True))
            system = place_of if self.repeating else {}
            rest = {name: value for name, value in row.items() if name != self.id_field}
            at = {EVENT: event} if self.events else {}
            row = {self.id_field: record} | at | system | rest
        return row

    def columns_of(self, name: str) -> list[str]:
        """The columns of a field: one for each choice of a checkbox."""
        found = next((f for f in self.fields if f.name == name), None)
        if found is None or found.kind != "checkbox":
            return [name]
        return [f"{name}___{code}" for code in sorted(found.codes())]

    def import_rows(self, rows: list[Row], *, overwrite: bool) -> list[str]:
        """Stores all rows or, with one error in any, none; the names of the records."""
        unknown = {n for row in rows for n in row} - {*self.form_of(), *SYSTEM, EVENT}
        if unknown:
            names = ", ".join(sorted(unknown))
            raise Refused(
                f"The following fields were not found in the project as real data fields: {names}"
            )
        errors = [line for row in rows for line in self._errors(row)]
        if errors:
            raise Refused("\n".join(errors))
        for row in rows:
            self._store(row, overwrite=overwrite)
        return list(dict.fromkeys(str(row[self.id_field]) for row in rows))

    def _errors(self, row: Row) -> list[str]:
        record = str(row.get(self.id_field, ""))
        if not record:
            return [f'"","{self.id_field}","","The record name is missing."']
        instrument = str(row.get(SYSTEM[0], ""))
        instance = str(row.get(SYSTEM[1], ""))
        found = []
        event = str(row.get(EVENT, ""))
        if event not in (self.events or ("",)):
            found.append((EVENT, event, "must be the unique name of an event."))
        if instrument and instrument not in self.repeating:
            found.append((SYSTEM[0], instrument, "must be the name of a Repeating Instrument."))
        if bool(instrument) != bool(instance) or not re.fullmatch(r"|new|[1-9]\d*", instance):
            found.append((SYSTEM[1], instance, "is not an instance of that instrument."))
        found += self._wrong_values(row, instrument)
        return [f'"{record}","{name}","{value}","{why}"' for name, value, why in found]

    def _wrong_values(self, row: Row, instrument: str) -> list[tuple[str, str, str]]:
        found = []
        for name, value in row.items():
            if name in (*SYSTEM, EVENT, self.id_field) or value == "":
                continue
            form = self.form_of()[name]
            if (form if form in self.repeating else "") != instrument:
                found.append((name, str(value), "does not belong to this row's instrument."))
            elif why := self._wrong(name, str(value)):
                found.append((name, str(value), why))
        return found

    def _wrong(self, name: str, value: str) -> str:
        definition = next((f for f in self.fields if f.name == name), None)
        if definition is None:
            return "" if value in ("0", "1", "2") else "is not a valid status."
        if definition.choices and value not in definition.codes():
            return "The value is not a valid category."
        form = _FORMS.get(definition.validation)
        if form is not None and not form.fullmatch(value):
            return f"is not a valid {definition.validation}."
        if definition.validation == "date_ymd":
            try:
                date.fromisoformat(value)
            except ValueError:
                return "is not a valid date."
        return ""

    def _store(self, row: Row, *, overwrite: bool) -> None:
        record = str(row[self.id_field])
        instrument, wanted = str(row.get(SYSTEM[0], "")), str(row.get(SYSTEM[1], ""))
        event = str(row.get(EVENT, ""))
        instance = self._instance(record, instrument, event, wanted)
        stored = self.rows.setdefault((record, instrument, instance, event), {})
        for name, value in row.items():
            if name not in (*SYSTEM, EVENT, self.id_field) and (overwrite or value != ""):
                stored[name] = str(value).strip()

    def _instance(self, record: str, instrument: str, event: str, wanted: str) -> int:
        if wanted == "new":
            place = (record, instrument, event)
            used = [n for r, i, n, e in self.rows if (r, i, e) == place]
            return max(used, default=0) + 1
        return int(wanted or 0)

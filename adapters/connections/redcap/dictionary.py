"""The data dictionary of a project: what its fields are called, and what their texts mean."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from engine.text.template import written

Row = Mapping[str, Any]
CHECKED = "___"
"""Between a checkbox field and a code, in the name of its column."""

_WHOLE = re.compile(r"-?[0-9]{1,15}")
_NUMBER = re.compile(r"-?[0-9]{0,15}(?:\.[0-9]{1,15})?")
_YES_NO = {"1": "Yes", "0": "No"}
_TRUE_FALSE = {"1": "True", "0": "False"}


class UnfitValue(ValueError):
    """A value is not what the dictionary says of its field."""


@dataclass(frozen=True, slots=True)
class ProjectField:
    """A line of the dictionary; `choices` are labels by code."""

    name: str
    form: str
    kind: str
    validation: str
    choices: Mapping[str, str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of an export that hold it."""
        if self.kind != "checkbox":
            return (self.name,)
        return tuple(f"{self.name}{CHECKED}{_column(code)}" for code in self.choices)

    def value(self, row: Row, *, label: bool) -> JsonValue:
        """What a row has for it, None for a blank. Raises UnfitValue."""
        if self.kind == "checkbox":
            checked = [code for code in self.choices if row.get(self._box(code)) == "1"]
            return [self._choice(code, label=label) for code in checked]
        text = row.get(self.name)
        if not isinstance(text, str):
            raise UnfitValue(self.name)
        if text == "":
            return None
        return self._choice(text, label=label) if self.choices else self._typed(text)

    def text(self, value: JsonValue) -> str:
        """The value as the project stores it; a choice by its code or label. Raises UnfitValue."""
        if value is None or self.kind in ("checkbox", "calc", "descriptive", "file"):
            raise UnfitValue(self.name)
        text = ("1" if value else "0") if isinstance(value, bool) else written(value)
        if not self.choices or text in self.choices:
            return text
        codes = [code for code, label in self.choices.items() if label == text]
        if len(codes) != 1:
            raise UnfitValue(self.name)
        return codes[0]

    def _box(self, code: str) -> str:
        return f"{self.name}{CHECKED}{_column(code)}"

    def _choice(self, code: str, *, label: bool) -> JsonValue:
        if code not in self.choices:
            raise UnfitValue(self.name)
        if label:
            return self.choices[code]
        return int(code) if all(map(_WHOLE.fullmatch, self.choices)) else code

    def _typed(self, text: str) -> JsonValue:
        if self.validation == "integer":
            if not _WHOLE.fullmatch(text):
                raise UnfitValue(self.name)
            return int(text)
        if self.validation.startswith("number") or self.kind in ("calc", "slider"):
            plain = text.replace(",", ".") if "comma" in self.validation else text
            if not _NUMBER.fullmatch(plain) or not plain.strip("-."):
                raise UnfitValue(self.name)
            return int(plain) if _WHOLE.fullmatch(plain) else float(plain)
        return text


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The fields of a project by name; the first holds the record's name."""

    fields: Mapping[str, ProjectField]

    @property
    def record(self) -> str:
        """The field of the record's name."""
        return next(iter(self.fields))

    def field(self, name: str) -> ProjectField:
        """The field. Raises UnfitValue where there is none."""
        if name not in self.fields:
            raise UnfitValue(name)
        return self.fields[name]


def read_dictionary(lines: Sequence[Row]) -> Dictionary:
    """The dictionary as the server exports it. Raises UnfitValue for what is none."""
    fields = {field.name: field for field in map(_read_field, lines)}
    if not fields:
        raise UnfitValue("metadata")
    return Dictionary(fields)


def _read_field(line: Row) -> ProjectField:
    def text(name: str) -> str:
        value = line.get(name, "")
        return value if isinstance(value, str) else ""

    if not text("field_name"):
        raise UnfitValue("field_name")
    kind = text("field_type")
    choices: Mapping[str, str] = {}
    if kind in ("radio", "dropdown", "checkbox"):
        choices = dict(_choices(text("select_choices_or_calculations")))
    elif kind in ("yesno", "truefalse"):
        choices = _YES_NO if kind == "yesno" else _TRUE_FALSE
    validation = text("text_validation_type_or_show_slider_number") if kind == "text" else ""
    return ProjectField(text("field_name"), text("form_name"), kind, validation, choices)


def _choices(text: str) -> Iterable[tuple[str, str]]:
    for part in text.split("|"):
        code, comma, label = part.partition(",")
        if comma:
            yield code.strip(), label.strip()


def _column(code: str) -> str:
    return code.lower().replace("-", "_")

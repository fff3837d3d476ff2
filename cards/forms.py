"""Checks and types what a person entered into a form."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from datetime import date
from hashlib import blake2b

from cards.fields.bounds import range_text
from cards.fields.readers import MAX_LIST, MAX_TEXT, is_storable, read_lines
from cards.fields.table import FIELD_TYPES, check_bounds, read_value
from cards.linear import matches
from cards.model import Field, Lang
from cards.shared_file import SharedFile
from cards.texts import say
from cards.values import BadValue, Value

__all__ = [
    "MAX_LIST",
    "MAX_ROWS",
    "MAX_TEXT",
    "NO_FACTS",
    "FormFacts",
    "check_form",
    "form_digest",
    "is_storable",
    "range_text",
    "read_rows",
    "unknown_fields",
    "with_detail",
    "with_standing",
    "with_title",
]

MAX_ROWS = 1_000
"""The most rows of a list."""

_CELLS = re.compile(r"\||\\.|\\|[^\\|]+", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\|])")


@dataclass(frozen=True, slots=True)
class FormFacts:
    """What is known where a form is judged; what is None is not checked there.

    `person` gives the id of whom a text means, `entity` that of the one of a kind that it names;
    both raise BadValue for nobody and for several. `title` gives what people of a language read for
    the one of a kind that has an id, "" where its list has no name for it. `file` gives the name in
    a field of a file, and raises BadValue for one that is not taken there; `uploads` are those that
    came with the form.
    """

    today: date | None = None
    person: Callable[[str], str] | None = None
    entity: Callable[[str, str], str] | None = None
    title: Callable[[str, str, str], str] | None = None
    file: Callable[[Field, str], str] | None = None
    uploads: Mapping[str, SharedFile] = dataclass_field(default_factory=dict)


NO_FACTS = FormFacts()


def check_form(
    fields: Iterable[Field],
    values: Mapping[str, str],
    lang: Lang,
    facts: FormFacts = NO_FACTS,
) -> tuple[dict[str, Value], dict[str, str]]:
    """Return typed values by field name, and a sentence in `lang` for each field with a fault.

    Fields left blank are absent from the values; names that the form does not have are ignored.
    Numbers may be typed in full width; dates come out as ISO text.
    """
    typed: dict[str, Value] = {}
    faults: dict[str, str] = {}
    for field in fields:
        raw = values.get(field.name, "").strip()
        try:
            if raw:
                typed[field.name] = _value(field, raw, lang, facts)
            elif field.required:
                raise BadValue("form.required")
        except BadValue as fault:
            faults[field.name] = say(fault.key, lang, **fault.values)
    return typed, faults


def unknown_fields(
    fields: Iterable[Field], values: Mapping[str, str], lang: Lang
) -> dict[str, str]:
    """Return a sentence in `lang` for each name among the values that the form does not have."""
    known = {field.name for field in fields}
    return {name: say("form.no_field", lang) for name in values if name not in known}


def with_standing(fields: Iterable[Field], values: Mapping[str, str]) -> dict[str, str]:
    """Return the values, and those that stand in fields which are not among them.

    A field is emptied by "".
    """
    return {field.name: field.value for field in fields if field.value} | dict(values)


def form_digest(values: Mapping[str, str] | None) -> str:
    """Return what is the same for the same values by the same names; "" without any."""
    if not values:
        return ""
    sent = {name: value.replace("\r\n", "\n").strip() for name, value in values.items()}
    text = json.dumps(sent, sort_keys=True).encode()
    return blake2b(text, digest_size=16).hexdigest()


def read_rows(
    columns: Sequence[Field], text: str, lang: Lang, facts: FormFacts = NO_FACTS
) -> tuple[dict[str, Value | None], ...]:
    r"""Return the rows of a text, a line each, with the columns that it gives.

    Cells are parted by `|`; a cell's own bar is written `\\|`. Raises BadValue.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > MAX_ROWS:
        raise BadValue("form.many_rows", limit=MAX_ROWS)
    return tuple({**_read_row(columns, line, lang, facts)} for line in lines)


def _read_row(
    columns: Sequence[Field], line: str, lang: Lang, facts: FormFacts
) -> dict[str, Value]:
    parts = [_ESCAPED.sub(r"\1", cell.strip()) for cell in _split_cells(line)]
    if any(parts[len(columns) :]):
        raise BadValue("form.many_columns", limit=len(columns))
    names = [column.name for column in columns]
    typed, faults = check_form(columns, dict(zip(names, parts, strict=False)), lang, facts)
    for column in columns:
        if fault := faults.get(column.name):
            raise BadValue("form.cell", label=column.label, fault=fault)
    return typed


def _split_cells(line: str) -> list[str]:
    cells = [""]
    for part in _CELLS.findall(line):
        if part == "|":
            cells.append("")
        else:
            cells[-1] += part
    return cells


def _value(field: Field, raw: str, lang: Lang, facts: FormFacts) -> Value:
    if field.columns:
        # Rows are kept as they were typed; who takes them reads them so again.
        value: Value = read_lines(raw, MAX_LIST)
        # A file that a row names may come later: its link says where there is none.
        read_rows(field.columns, str(value), lang, replace(facts, file=None))
    else:
        value = read_value(field, raw, lang)
    check_bounds(field, value, lang, facts.today)
    patterned = FIELD_TYPES[field.type].patterned and field.pattern
    if patterned and not matches(field.pattern, str(value)) and not _is_word(field, raw):
        raise BadValue("form.pattern", form=field.hint or field.pattern)
    if field.type == "person" and facts.person:
        return facts.person(raw)
    if field.type == "file" and facts.file:
        return facts.file(field, raw)
    if field.entity and not field.options and facts.entity and not _is_word(field, raw):
        return facts.entity(field.entity, raw)
    return value


def with_title(field: Field, value: str, lang: Lang, facts: FormFacts) -> Field:
    """Return the field that shows the name by which people know what has that id, if any."""
    if not field.entity or not value or facts.title is None or value in field.labels:
        return field
    title = facts.title(field.entity, value, lang)
    labels = {**field.labels, value: title} if title else field.labels
    return field.model_copy(update={"labels": labels})


def with_detail(label: str, detail: str, lang: Lang) -> str:
    """Return a label with the detail in brackets, if there is any."""
    return say("form.label", lang, label=label, detail=detail) if detail else label


def _is_word(field: Field, raw: str) -> bool:
    return raw.casefold() in {word.casefold() for word in field.words}

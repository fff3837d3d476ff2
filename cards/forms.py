"""Checks and types what a person entered into a form."""

from collections.abc import Iterable, Mapping
from datetime import date

from cards.fields.bounds import range_text
from cards.fields.readers import MAX_TEXT, is_storable
from cards.fields.table import FIELD_TYPES, check_bounds, read_value
from cards.linear import matches
from cards.model import Field, Lang
from cards.texts import say
from cards.values import BadValue, Value

__all__ = ["MAX_TEXT", "check_form", "is_storable", "range_text", "with_detail"]


def check_form(
    fields: Iterable[Field], values: Mapping[str, str], lang: Lang, *, today: date | None = None
) -> tuple[dict[str, Value], dict[str, str]]:
    """Return typed values by field name, and a sentence in `lang` for each field with a fault.

    Fields left blank are absent from the values; names that the form does not have are ignored.
    Numbers may be typed in full width; dates come out as ISO text. A bound that is `today` holds
    where that day is known.
    """
    typed: dict[str, Value] = {}
    faults: dict[str, str] = {}
    for field in fields:
        raw = values.get(field.name, "").strip()
        try:
            if raw:
                typed[field.name] = _value(field, raw, lang, today)
            elif field.required:
                raise BadValue("form.required")
        except BadValue as fault:
            faults[field.name] = say(fault.key, lang, **fault.values)
    return typed, faults


def _value(field: Field, raw: str, lang: Lang, today: date | None) -> Value:
    value = read_value(field, raw, lang)
    check_bounds(field, value, lang, today)
    patterned = FIELD_TYPES[field.type].patterned and field.pattern
    if patterned and not matches(field.pattern, str(value)) and not _is_word(field, raw):
        raise BadValue("form.pattern", form=field.hint or field.pattern)
    return value


def with_detail(label: str, detail: str, lang: Lang) -> str:
    """Return a label with the detail in brackets, if there is any."""
    return say("form.label", lang, label=label, detail=detail) if detail else label


def _is_word(field: Field, raw: str) -> bool:
    return raw.casefold() in {word.casefold() for word in field.words}

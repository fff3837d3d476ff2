"""Checks and types what a person entered into a form."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date

from cards.clipping import units
from cards.linear import matches
from cards.markdown import format_value
from cards.model import Field, Lang, Value
from cards.texts import say

MAX_TEXT = 2_000
"""The longest text, in UTF-16 units as platforms count; a line break is one."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,15}(\.[0-9]{0,15})?|\.[0-9]{1,15})")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")


class _Fault(Exception):
    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


def check_form(
    fields: Iterable[Field], values: Mapping[str, str], lang: Lang
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
                typed[field.name] = _parse_value(field, raw, lang)
            elif field.required:
                raise _Fault("form.required")
        except _Fault as fault:
            faults[field.name] = say(fault.key, lang, **fault.values)
    return typed, faults


def _parse_value(field: Field, raw: str, lang: Lang) -> Value:
    match field.type:
        case "text" | "person":
            return _text(field, raw)
        case "integer":
            return _in_range(field, int(_match(_WHOLE, raw, "form.integer")))
        case "number":
            return _in_range(field, float(_match(_NUMBER, raw, "form.number")))
        case "date":
            return _date(raw)
        case "choice":
            if raw not in field.options:
                options = say("list.items", lang).join(field.options)
                raise _Fault("form.choice", options=options)
            return raw


def range_text(low: float | None, high: float | None) -> str:
    """Return the range of a number, as in `0 – 5`; "" without limits."""
    if low is not None and high is not None:
        return f"{format_value(low)} – {format_value(high)}"
    if low is not None:
        return f"≥ {format_value(low)}"
    return "" if high is None else f"≤ {format_value(high)}"


def with_detail(label: str, detail: str, lang: Lang) -> str:
    """Return a label with the detail in brackets, if there is any."""
    return say("form.label", lang, label=label, detail=detail) if detail else label


def is_storable(text: str) -> bool:
    """Whether the text can be stored and sent: no half characters, no NUL."""
    return not _UNSTORABLE.search(text)


def _text(field: Field, raw: str) -> str:
    raw = raw.replace("\r\n", "\n").replace("\r", "\n")
    if units(raw) > MAX_TEXT:
        raise _Fault("form.long", limit=MAX_TEXT)
    if not is_storable(raw):
        raise _Fault("form.unstorable")
    if field.pattern and not matches(field.pattern, raw) and not _is_word(field, raw):
        raise _Fault("form.pattern", form=field.hint or field.pattern)
    return raw


def _is_word(field: Field, raw: str) -> bool:
    return raw.casefold() in {word.casefold() for word in field.words}


def _match(form: re.Pattern[str], raw: str, key: str) -> str:
    # A typographic minus is what phones put in place of a hyphen; NFKC leaves it alone.
    plain = unicodedata.normalize("NFKC", raw[:100]).replace("\N{MINUS SIGN}", "-").strip()
    if not form.fullmatch(plain):
        raise _Fault(key)
    return plain


def _in_range(field: Field, number: float) -> float:
    if field.minimum is not None and number < field.minimum:
        raise _Fault("form.minimum", limit=format_value(field.minimum))
    if field.maximum is not None and number > field.maximum:
        raise _Fault("form.maximum", limit=format_value(field.maximum))
    return number


def _date(raw: str) -> str:
    plain = _match(_DATE, raw, "form.date")
    try:
        return date.fromisoformat(plain).isoformat()
    except ValueError:
        raise _Fault("form.date") from None

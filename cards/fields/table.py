"""The table of field types: how each is read from text, compared, and described."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, Literal

from cards.fields import readers
from cards.fields.bounds import (
    Order,
    bound_text,
    read_amount_bound,
    read_date_bound,
    read_time_bound,
)
from cards.values import NO, TODAY, YES, BadValue, Bound, FieldType, Value, ValueRules, is_money

Json = dict[str, Any]
JsonShape = Literal["text", "integer", "number", "boolean", "money", "rows"]


@dataclass(frozen=True, slots=True)
class FieldTraits:
    """What all fields of a type have in common.

    `read` gives the JSON value of a text, or raises BadValue; `shape` is what JSON has for it, and
    `wanted` says so in English. Values that are `exact` have one way to be written. `bound` reads a
    minimum or maximum (ValueError where it is none); without it the type has none, and without
    `patterned` no pattern. `chosen` types have a list of options where the field has one. `form`
    shows how a text of it is written.
    """

    read: Callable[[ValueRules, str, str], Value]
    wanted: str
    shape: JsonShape = "text"
    schema: Json = field(default_factory=lambda: {"type": "string"})
    exact: bool = False
    bound: Callable[[Bound], Order] | None = None
    patterned: bool = False
    chosen: bool = False
    form: str = ""


def read_value(spec: ValueRules, text: str, lang: str) -> Value:
    """Return the value that a text gives a field, within any bounds. Raises BadValue."""
    return FIELD_TYPES[spec.type].read(spec, text, lang)


def check_bounds(spec: ValueRules, value: Value, lang: str, today: date | None = None) -> None:
    """Raise BadValue for what is below the minimum or above the maximum.

    A bound that is `today` holds where that day is known.
    """
    bound = FIELD_TYPES[spec.type].bound
    for key, limit in (("form.minimum", spec.minimum), ("form.maximum", spec.maximum)):
        if bound is None or limit is None or (limit == TODAY and today is None):
            continue
        edge = today.isoformat() if limit == TODAY and today else bound(limit)
        ours: Any = value["value"] if is_money(value) else value
        if ours < edge if key == "form.minimum" else ours > edge:
            raise BadValue(key, limit=bound_text(edge, lang))


def options_of(spec: ValueRules) -> tuple[str, ...]:
    """Return the texts among which one is chosen; empty where a value is typed."""
    if spec.type == "boolean":
        return (YES, NO)
    return tuple(spec.options) if FIELD_TYPES[spec.type].chosen else ()


def shown_value(spec: ValueRules, value: str, lang: str) -> str:
    """Return what stands in a form as people read it: an option or a thing by its name."""
    is_named = spec.type == "entity" or value in options_of(spec)
    return readers.option_label(spec, value, lang) if is_named else value


def written_form(spec: ValueRules) -> str:
    """Return an example of how a value is typed, or what stands for one; "" where any text is."""
    if spec.type == "money" and spec.currencies:
        return " / ".join(f"120.50 {currency}" for currency in spec.currencies[:3])
    if spec.type == "file":
        return " / ".join(spec.kinds)
    return FIELD_TYPES[spec.type].form


_MONEY_SCHEMA: Json = {
    "type": "object",
    "properties": {"value": {"type": "number"}, "currency": {"type": "string"}},
    "required": ["value", "currency"],
    "additionalProperties": False,
}

FIELD_TYPES: Final[Mapping[FieldType, FieldTraits]] = {
    "text": FieldTraits(readers.read_text, "text", patterned=True),
    "integer": FieldTraits(
        readers.read_integer,
        "a whole number",
        "integer",
        {"type": "integer"},
        bound=read_amount_bound,
    ),
    "number": FieldTraits(
        readers.read_number, "a number", "number", {"type": "number"}, bound=read_amount_bound
    ),
    "money": FieldTraits(
        readers.read_money,
        'money like {"value": 120.5, "currency": "EUR"}',
        "money",
        _MONEY_SCHEMA,
        bound=read_amount_bound,
        form="120.50 EUR",
    ),
    "date": FieldTraits(
        readers.read_date,
        "a date like 2026-01-31",
        schema={"type": "string", "description": "YYYY-MM-DD"},
        exact=True,
        bound=read_date_bound,
        form="YYYY-MM-DD",
    ),
    "time": FieldTraits(
        readers.read_time,
        "a time like 15:30",
        schema={"type": "string", "description": "HH:MM, 24 h"},
        exact=True,
        bound=read_time_bound,
        form="HH:MM",
    ),
    "choice": FieldTraits(readers.read_choice, "one of the options", chosen=True),
    "boolean": FieldTraits(
        readers.read_boolean, "true or false", "boolean", {"type": "boolean"}, chosen=True
    ),
    "person": FieldTraits(readers.read_text, "the id of a person"),
    "email": FieldTraits(readers.read_email, "an e-mail address", form="name@example.com"),
    "url": FieldTraits(
        readers.read_url, "an address that begins with http:// or https://", form="https://"
    ),
    "file": FieldTraits(readers.read_text, "the name of a file"),
    "entity": FieldTraits(readers.read_entity, "an id", patterned=True, chosen=True),
    "list": FieldTraits(readers.read_text, "a list", "rows", {"type": "array"}),
}
"""Every type of field; `list` is read row by row, with its columns."""

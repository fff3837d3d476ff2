"""Typed leaves of the state: how people are asked for them, and which values they hold (003)."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, assert_never

from pydantic import AliasChoices, GetJsonSchemaHandler, JsonValue, model_validator
from pydantic import Field as Key
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from cards.fields.readers import is_storable
from cards.fields.table import FIELD_TYPES, check_bounds, read_value
from cards.frozen import Frozen
from cards.linear import BadPattern, matches
from cards.markdown import format_value
from cards.values import BadValue, Bound, FieldType, decimals_of, is_money
from engine.rules.evaluate import result_of
from engine.rules.hard import Logic
from engine.text.language import NO_TEXT, LocalizedText
from engine.yaml.faults import Fault, short_repr

MAX_ROWS = 1000
MAX_TEXT = 20_000
# As many digits as a form takes; all of them are exact.
MAX_DIGITS = 15
COMPUTED_DECIMALS = 10


class OptionsFrom(Frozen):
    """Options that a read tool lists: `value` and `label` are columns of its rows.

    `arguments` (in YAML `with`) are values, or `$path` for what stands there.
    """

    tool: str
    arguments: dict[str, JsonValue] = Key(
        default={}, validation_alias=AliasChoices("with", "arguments")
    )
    value: str
    label: str = ""


class TypedValue(Frozen):
    """What a leaf, a column and an argument say of their values (design §11, field types).

    `options` belong to a choice, or to an entity: a list, or a mapping with a label for each, which
    `labels` keeps. Numbers, money, dates and times are from `minimum` to `maximum`, both included;
    a text is as the regular expression `pattern` says, the whole of it (RE2: no look-around, no
    references back). Money is in `currency`, or in one of `currencies`, or in any; a file is of one
    of `kinds`, as in `pdf`, or of any. An `entity` is of that kind of the project.
    """

    label: LocalizedText
    type: FieldType = "text"
    minimum: Bound | None = None
    maximum: Bound | None = None
    pattern: str = ""
    options: tuple[str, ...] = ()
    labels: dict[str, LocalizedText] = {}
    currencies: tuple[str, ...] = Key(default=(), max_length=50)
    kinds: tuple[str, ...] = Key(default=(), max_length=50)
    entity: str = ""

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        # What passes through here is no JSON any more, where lists stand for tuples.
        given = {key: tuple(v) if isinstance(v, list) else v for key, v in given.items()}
        if isinstance(options := given.get("options"), dict):
            given |= {"options": tuple(options), "labels": options}
        if "currency" in given:
            given["currencies"] = (given.pop("currency"),)
        return given

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """As files write it, with the short forms."""
        found = handler.resolve_ref_schema(handler(schema))
        keys = found["properties"]
        text = keys["label"]
        by_label = {"type": "object", "additionalProperties": text}
        keys["options"] = {"anyOf": [keys["options"], by_label]}
        keys["currency"] = {"type": "string"}
        return found

    def label_of(self, option: str, lang: str) -> str:
        """What people read for an option."""
        return self.labels[option](lang) if option in self.labels else option


class Column(TypedValue):
    """A column of a list leaf, whose rows are flat mappings; a `required` one is in every row."""

    required: bool = Key(default=False, exclude_if=lambda required: not required)


class Leaf(TypedValue):
    """A typed leaf of profile or data, and how people are asked for it.

    `multiline` text has lines of its own. `inherit` lets it be taken from the rest of the message
    too, not only from the run's piece. An `identity` says whom the data is about. `columns` belong
    to a `list`. With `options_from` a read tool lists the options when the form is opened. What is
    `computed` from other data leaves nobody gives: it has no value where there is no answer.
    """

    required: bool = True
    unit: LocalizedText = NO_TEXT
    multiline: bool = False
    columns: dict[str, Column] = {}
    cues: tuple[str, ...] = ()
    hint: LocalizedText | None = None
    inherit: bool = False
    pair_with: str = ""
    identity: bool = False
    options_from: OptionsFrom | None = None
    computed: Logic | None = Key(default=None, exclude_if=lambda logic: logic is None)


def computed_value(leaf: Leaf, data: Mapping[str, Any]) -> Any:
    """What a computed leaf has on these data leaves; None where that cannot be told.

    Money is rounded to the decimals of its currency, half up, and a number to 10 decimals.
    """
    value: Any = result_of(leaf.computed, data) if leaf.computed else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and leaf.type == "money":
        currency = leaf.currencies[0]
        value = {"value": _rounded(value, decimals_of(currency)), "currency": currency}
    elif is_number:
        value = _rounded(value, COMPUTED_DECIMALS)
    return None if value is None or value_faults(leaf, value) else value


def _rounded(number: float, decimals: int) -> float:
    """The number to so many decimals, half up; a whole one as an integer."""
    exact = Decimal(str(number)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return int(exact) if exact == exact.to_integral_value() else float(exact)


def value_faults(leaf: Leaf, value: Any, today: date | None = None) -> list[Fault]:
    """What keeps a JSON value from being the leaf's, with the path inside it; [] when nothing.

    A bound that is `today` holds where that day is known.
    """
    if leaf.type == "list":
        return _list_faults(leaf, value, today)
    wrong = _cell_fault(leaf, value, today)
    return [((), wrong)] if wrong else []


def _list_faults(leaf: Leaf, value: Any, today: date | None) -> list[Fault]:
    if not isinstance(value, list | tuple):
        return [((), f"should be a list, not {short_repr(value)}")]
    if len(value) > MAX_ROWS:
        return [((), f"should have at most {MAX_ROWS} rows")]
    found: list[Fault] = []
    for number, row in enumerate(value):
        if not isinstance(row, dict):
            found.append(((number,), f"should be a mapping, not {short_repr(row)}"))
            continue
        found += [((number, c), "unknown column") for c in row if c not in leaf.columns]
        for name, column in leaf.columns.items():
            cell = row.get(name)
            lacks = "is required" if column.required else ""
            wrong = lacks if cell is None else _cell_fault(column, cell, today)
            found += [((number, name), wrong)] if wrong else []
    return found


def _cell_fault(spec: TypedValue, value: Any, today: date | None) -> str:
    return _shape_fault(spec, value) or _form_fault(spec, value, today)


def _shape_fault(spec: TypedValue, value: Any) -> str:
    """Why the value is not of the JSON type that the field's values have."""
    traits = FIELD_TYPES[spec.type]
    match traits.shape:
        case "boolean":
            fits = isinstance(value, bool)
        case "integer" | "number":
            return _number_fault(traits.shape, value)
        case "money":
            fits = is_money(value) and isinstance(value["currency"], str)
            if fits and (wrong := _number_fault("number", value["value"])):
                return wrong
        case "text" if spec.options:
            wanted = f"one of {', '.join(spec.options)}"
            return "" if value in spec.options else f"should be {wanted}, not {short_repr(value)}"
        case "text":
            return text_fault(value)
        case "rows":
            fits = isinstance(value, list | tuple)
        case _:
            assert_never(traits.shape)
    return "" if fits else f"should be {traits.wanted}, not {short_repr(value)}"


def text_fault(value: Any) -> str:
    """Why the value is no text that can be kept; "" where it is one."""
    if not isinstance(value, str):
        return f"should be text, not {short_repr(value)}"
    if len(value) > MAX_TEXT:
        return f"should be at most {MAX_TEXT} characters"
    return "" if is_storable(value) else "should be without NUL and half characters"


def _form_fault(spec: TypedValue, value: Any, today: date | None) -> str:
    """Why a value of the right type is none of the field's: its form, its bounds, its pattern.

    Bounds that belong to no such type, and patterns that cannot be run, are told at the load.
    """
    traits = FIELD_TYPES[spec.type]
    if traits.form:
        try:
            read = read_value(spec, format_value(value), "en")
        except BadValue:
            read = None
        if read is None or (traits.exact and read != value):
            return f"should be {_wanted(spec)}, not {short_repr(value)}"
    if spec.minimum is None and spec.maximum is None and not spec.pattern:
        return ""
    with suppress(ValueError):
        return _bound_fault(spec, value, today)
    return ""


def _wanted(spec: TypedValue) -> str:
    wanted = FIELD_TYPES[spec.type].wanted
    return f"{wanted} in {' or '.join(spec.currencies)}" if spec.currencies else wanted


def _bound_fault(spec: TypedValue, value: Any, today: date | None) -> str:
    try:
        check_bounds(spec, value, "en", today)
    except BadValue as fault:
        way = "at least" if fault.key == "form.minimum" else "at most"
        return f"should be {way} {fault.values['limit']}, not {_shown(value)}"
    with suppress(BadPattern):
        patterned = FIELD_TYPES[spec.type].patterned and spec.pattern
        if patterned and not matches(spec.pattern, value):
            return f"should be as {spec.pattern} says, not {_shown(value)}"
    return ""


def _shown(value: Any) -> str:
    return format_value(value) if is_money(value) else short_repr(value)


def _number_fault(kind: str, value: Any) -> str:
    wanted = "a whole number" if kind == "integer" else "a number"
    if not isinstance(value, int | float) or isinstance(value, bool):
        return f"should be {wanted}, not {short_repr(value)}"
    # Not a number is in no order: this holds for finite numbers alone.
    if not -(10**MAX_DIGITS) < value < 10**MAX_DIGITS:
        return f"should be {wanted} of at most {MAX_DIGITS} digits"
    if kind == "integer" and not float(value).is_integer():
        return f"should be {wanted}, not {short_repr(value)}"
    return ""

"""Typed leaves of the state: how people are asked for them, and which values they hold (003)."""

from contextlib import suppress
from typing import Any, Literal

from cards.forms import check_form, is_storable
from cards.frozen import Frozen
from cards.linear import BadPattern, matches
from cards.markdown import format_value
from cards.model import Field
from engine.text.language import Bilingual
from engine.yaml.faults import Fault, short_repr

MAX_ROWS = 1000
MAX_TEXT = 20_000
# As many digits as a form takes; all of them are exact.
MAX_DIGITS = 15

CellType = Literal["text", "integer", "number", "date", "choice"]
LeafType = Literal["text", "integer", "number", "date", "choice", "boolean", "list"]


class Column(Frozen):
    """A column of a list leaf, whose rows are flat mappings; bounds are as those of a leaf."""

    label: Bilingual
    type: CellType = "text"
    minimum: float | None = None
    maximum: float | None = None
    pattern: str = ""
    options: tuple[str, ...] = ()


class Leaf(Frozen):
    """A typed leaf of profile or data, and how people are asked for it.

    `multiline` text has lines of its own. `inherit` lets it be taken from the rest of the message
    too, not only from the run's piece. An `identity` says whom the data is about. A text of a kind
    of `entity` names one of them. `columns` belong
    to a `list`, `options` to a `choice`. A number is from `minimum` to `maximum`, both included; a
    text is as the regular expression `pattern` says, the whole of it (RE2: no look-around, no
    references back).
    """

    label: Bilingual
    type: LeafType = "text"
    required: bool = True
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    pattern: str = ""
    multiline: bool = False
    options: tuple[str, ...] = ()
    columns: dict[str, Column] = {}
    cues: tuple[str, ...] = ()
    hint: Bilingual | None = None
    inherit: bool = False
    identity: bool = False
    entity: str = ""


def value_faults(leaf: Leaf, value: Any) -> list[Fault]:
    """What keeps a JSON value from being the leaf's, with the path inside it; [] when nothing."""
    if leaf.type == "list":
        return _list_faults(leaf, value)
    wrong = _cell_fault(leaf, value)
    return [((), wrong)] if wrong else []


def _list_faults(leaf: Leaf, value: Any) -> list[Fault]:
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
            wrong = "" if cell is None else _cell_fault(column, cell)
            found += [((number, name), wrong)] if wrong else []
    return found


def _cell_fault(leaf: Leaf | Column, value: Any) -> str:
    return _type_fault(leaf.type, leaf.options, value) or _bound_fault(leaf, value)


def _type_fault(kind: str, options: tuple[str, ...], value: Any) -> str:
    match kind:
        case "boolean":
            return (
                ""
                if isinstance(value, bool)
                else f"should be true or false, not {short_repr(value)}"
            )
        case "integer" | "number":
            return _number_fault(kind, value)
        case "choice":
            return (
                ""
                if value in options
                else f"should be one of {', '.join(options)}, not {short_repr(value)}"
            )
    if not isinstance(value, str):
        return f"should be text, not {short_repr(value)}"
    if len(value) > MAX_TEXT:
        return f"should be at most {MAX_TEXT} characters"
    if not is_storable(value):
        return "should be without NUL and half characters"
    if kind == "date":
        typed, _ = check_form([Field(name="d", label="", type="date")], {"d": value}, "en")
        return (
            ""
            if typed.get("d") == value
            else f"should be a date like 2026-01-31, not {short_repr(value)}"
        )
    return ""


def _bound_fault(leaf: Leaf | Column, value: Any) -> str:
    """Bounds that belong to no such type, and patterns that cannot be run, are told at the load."""
    if leaf.type in ("integer", "number"):
        if leaf.minimum is not None and value < leaf.minimum:
            return f"should be at least {format_value(leaf.minimum)}, not {short_repr(value)}"
        if leaf.maximum is not None and value > leaf.maximum:
            return f"should be at most {format_value(leaf.maximum)}, not {short_repr(value)}"
    with suppress(BadPattern):
        if leaf.type == "text" and leaf.pattern and not matches(leaf.pattern, value):
            return f"should be as {leaf.pattern} says, not {short_repr(value)}"
    return ""


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

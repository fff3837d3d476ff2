"""What the model of a field cannot check: bounds, options and keys of another type (design §11)."""

from collections.abc import Iterator
from math import ceil, floor

from cards.fields.bounds import Order
from cards.fields.money import currency_fault
from cards.fields.table import FIELD_TYPES
from cards.linear import BadPattern, compile_linear
from engine.playbooks.leaf import Leaf, TypedValue
from engine.ports.inbox_files import FILE_KINDS
from engine.yaml.faults import short_repr, suggestion

COMPUTED_TYPES = ("integer", "number", "money", "date", "text", "boolean")
"""Types of what may be computed from other fields."""
MAX_OPTIONS = 1_000
"""No list of options is longer."""


def typed_faults(spec: TypedValue) -> Iterator[tuple[str, str]]:
    """Each key of a field by which no value can be judged, or that leaves none, and why."""
    traits = FIELD_TYPES[spec.type]
    listed = isinstance(spec, Leaf) and spec.options_from is not None
    if listed and (spec.options or spec.type not in ("choice", "entity")):
        yield "options_from", "belongs to a choice or an entity without options"
    elif spec.type == "choice" and not spec.options and not listed:
        yield "options", "is required for a choice"
    elif spec.options and spec.type not in ("choice", "entity"):
        yield "options", "belongs to a choice"
    if len(spec.options) > MAX_OPTIONS:
        yield "options", f"should have at most {MAX_OPTIONS} entries"
    if len(set(spec.options)) < len(spec.options):
        yield "options", "has an entry twice"
    if spec.type == "entity" and not spec.entity:
        yield "entity", "is required: the kind of entity"
    if spec.currencies and spec.type != "money":
        yield "currencies", "belongs to money"
    if spec.kinds and spec.type != "file":
        yield "kinds", "belongs to a file"
    yield from (
        ("kinds", f"{kind!r} cannot be read; {suggestion(kind, FILE_KINDS)}")
        for kind in spec.kinds
        if kind not in FILE_KINDS
    )
    yield from (("currencies", f"{c!r} {f}") for c in spec.currencies if (f := currency_fault(c)))
    yield from _bound_faults(spec)
    if spec.pattern:
        if not traits.patterned:
            yield "pattern", "belongs to a text"
        try:
            compile_linear(spec.pattern)
        except BadPattern as error:
            yield "pattern", f"cannot be run: {error}"


def computed_faults(leaf: Leaf) -> Iterator[tuple[str, str]]:
    """Each key of a computed field that says something of what people give, and why."""
    if leaf.type not in COMPUTED_TYPES:
        yield "type", f"should be one of {', '.join(COMPUTED_TYPES)} for a computed field"
    if leaf.type == "money" and len(leaf.currencies) != 1:
        yield "currency", "is required for computed money: one currency"
    for key in ("minimum", "maximum", "pattern", "options", "hint", "pair_with", "entity"):
        if getattr(leaf, key) not in (None, "", ()):
            yield key, "is for what people give; let a rule judge what is computed"


def _bound_faults(spec: TypedValue) -> Iterator[tuple[str, str]]:
    bound, read = FIELD_TYPES[spec.type].bound, dict[str, Order]()
    for key, given in (("minimum", spec.minimum), ("maximum", spec.maximum)):
        if given is None:
            continue
        if bound is None:
            yield key, "belongs to an integer, a number, money, a date or a time"
            continue
        try:
            read[key] = bound(given)
        except ValueError as error:
            yield key, f"{error}, not {short_repr(given)}"
    match read.get("minimum"), read.get("maximum"):
        case (float() as low, float() as high) if low > high:
            yield "maximum", "is below the minimum"
        case (float() as low, float() as high):
            if spec.type == "integer" and ceil(low) > floor(high):
                yield "maximum", "leaves no whole number above the minimum"
        case (str() as first, str() as last) if first[:1].isdigit() and last[:1].isdigit():
            if first > last:
                yield "maximum", "is below the minimum"

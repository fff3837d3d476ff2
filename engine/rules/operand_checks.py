"""Operands of a rule that its operators can never take, found before the rule runs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cards.fields.table import FIELD_TYPES, JsonShape
from engine.rules.names import OVER_ENTRIES, RuleNames, name_read
from engine.rules.operators import Kind, is_date, kind_of
from engine.yaml.faults import Fault, Path, short_repr

_DATED = ("date_before", "date_after", "days_between")
_ORDERED = ("<", "<=", ">", ">=")
_EQUAL = ("==", "===", "!=", "!==")
_NEVER_DATES = ("integer", "number", "boolean", "list", "money", "time")
_SHAPE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_SHAPE_KINDS: Mapping[JsonShape, Kind] = {
    "text": "text",
    "integer": "number",
    "number": "number",
    "boolean": "bool",
    "rows": "list",
    "money": "mapping",
}
_TYPE_KINDS: Mapping[str, Kind] = {
    name: _SHAPE_KINDS[traits.shape] for name, traits in FIELD_TYPES.items()
}
_GIVES: Mapping[str, Kind] = {
    **dict.fromkeys((*_EQUAL, *_ORDERED, "!", "!!", "in", "all", "some", "none"), "bool"),
    **dict.fromkeys(("date_before", "date_after"), "bool"),
    **dict.fromkeys(("+", "-", "*", "/", "%", "min", "max", "days_between", "number"), "number"),
    **dict.fromkeys(("cat", "substr", "text", "date"), "text"),
    **dict.fromkeys(("merge", "filter", "map", "missing", "missing_some"), "list"),
}
"""The kind of value that an operator gives; of the others it depends on their operands."""
_NEEDS: Mapping[str, tuple[Kind, ...]] = {
    **dict.fromkeys(("+", "-", "*", "/", "%", "min", "max"), ("number",)),
    **dict.fromkeys(OVER_ENTRIES, ("list",)),
    "cat": ("text", "number"),
    "substr": ("text",),
    "number": ("number", "text"),
    "text": ("text", "number"),
    "date": ("text",),
}
_FIRST_ONLY = frozenset({*OVER_ENTRIES, "substr"})
_WORDS: Mapping[str, str] = {
    "bool": "yes/no",
    "number": "a number",
    "text": "text",
    "list": "a list",
    "mapping": "a value with parts",
}


def operand_faults(logic: object, names: RuleNames) -> list[Fault]:
    """Every operand of a checked rule that is compared with a date and can be none, and every one
    of a kind that its operator never takes.
    """
    return list(_faults(logic, (), names))


def _faults(part: object, path: Path, names: RuleNames) -> Iterator[Fault]:
    if isinstance(part, list):
        for at, each in enumerate(part):
            yield from _faults(each, (*path, at), names)
    if not isinstance(part, dict):
        return
    for operator, given in part.items():
        operands = given if isinstance(given, list) else [given]
        at_operand = [(number,) if given is operands else () for number in range(len(operands))]
        dated = list(_date_faults(operator, operands, names))
        for where, fault in dated or _kind_faults(operator, operands, names):
            yield (*path, operator, *at_operand[where[0]], *where[1:]), fault
        for number, operand in enumerate(operands):
            is_body = operator in OVER_ENTRIES and number == 1
            inner = names.of_body(operator, operands[0]) if is_body else names
            yield from _faults(operand, (*path, operator, *at_operand[number]), inner)


def _date_faults(
    operator: str, operands: Sequence[Any], names: RuleNames
) -> Iterator[tuple[tuple[int, ...], str]]:
    for where, operand in _compared_with_dates(operator, operands, names):
        if wrong := _no_date(operand, names, empty=operator in _EQUAL):
            yield where, wrong


def _compared_with_dates(
    operator: str, operands: Sequence[Any], names: RuleNames
) -> list[tuple[tuple[int, ...], Any]]:
    placed: list[tuple[tuple[int, ...], Any]] = [((at,), each) for at, each in enumerate(operands)]
    if operator in _DATED:
        return placed
    if operator == "in" and len(operands) == 2 and isinstance(operands[1], list):
        dated = _leaf_type(operands[0], names) == "date"
        return [((1, at), each) for at, each in enumerate(operands[1])] if dated else []
    dated = any(_leaf_type(operand, names) == "date" for operand in operands)
    written = any(isinstance(each, str) and _SHAPE.fullmatch(each) for each in operands)
    if (operator in _EQUAL and dated) or (operator in _ORDERED and (dated or written)):
        return placed
    return []


def _leaf_type(operand: object, names: RuleNames) -> str:
    """The type of the leaf that an operand reads; "" for all other operands."""
    name = name_read(operand)
    return names.type_of(name) if name is not None else ""


def _no_date(operand: object, names: RuleNames, *, empty: bool) -> str:
    if isinstance(operand, dict):
        kind = _leaf_type(operand, names)
        return f"is of type {kind}, and compared with a date" if kind in _NEVER_DATES else ""
    if isinstance(operand, str) and (is_date(operand) or (empty and not operand)):
        return ""
    return f"should be a date like 2026-01-31, not {short_repr(operand)}"


def _kind_faults(
    operator: str, operands: Sequence[Any], names: RuleNames
) -> Iterator[tuple[tuple[int, ...], str]]:
    kinds = [_kind(operand, names) for operand in operands]
    if needed := _NEEDS.get(operator):
        for at, kind in enumerate(kinds[:1] if operator in _FIRST_ONLY else kinds):
            if kind and kind not in needed:
                wanted = " or ".join(_WORDS[each] for each in needed)
                yield (at,), f"{operator!r} takes {wanted}, and this is {_WORDS[kind]}"
    if operator in ("==", "!=", *_ORDERED):
        yield from _unlike_faults(operator, kinds)


def _unlike_faults(
    operator: str, kinds: Sequence[Kind | None]
) -> Iterator[tuple[tuple[int, ...], str]]:
    known = [(at, kind) for at, kind in enumerate(kinds) if kind]
    for at, kind in known[1:]:
        if kind != known[0][1]:
            both, castable = {known[0][1], kind}, {"number", "text"}
            hint = "; cast one with number or text" if both == castable else ""
            compared = f"{_WORDS[known[0][1]]} with {_WORDS[kind]}"
            yield (at,), f"{operator!r} cannot compare {compared}{hint}"
            return
    if operator in _ORDERED and known and known[0][1] not in ("number", "text"):
        yield (known[0][0],), f"{operator!r} puts {_WORDS[known[0][1]]} in no order"


def _kind(operand: object, names: RuleNames) -> Kind | None:
    """The kind of value that an operand has on all data; None where that is not known."""
    if not isinstance(operand, dict):
        return kind_of(operand)
    if (name := name_read(operand)) is not None:
        kind = _TYPE_KINDS.get(names.type_of(name))
        given = operand["var"]
        default = given[1] if isinstance(given, list) and len(given) > 1 else None
        return kind if default is None or _kind(default, names) == kind else None
    (operator,) = operand
    return _GIVES.get(operator)

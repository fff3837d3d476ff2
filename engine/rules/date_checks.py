"""Operands of a rule that are compared with dates and can be none, found before the rule runs."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from engine.rules.operators import is_date
from engine.yaml.faults import Fault, Path, short_repr

KindOf = Callable[[str], str]
"""The type of the leaf that a rule reads by a name; "" where it is not known."""

_DATED = ("date_before", "date_after", "days_between")
_ORDERED = ("<", "<=", ">", ">=")
_EQUAL = ("==", "===", "!=", "!==")
_NEVER_DATES = ("integer", "number", "boolean", "list")
_SHAPE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def date_operand_faults(logic: object, kind_of: KindOf) -> list[Fault]:
    """Every literal or leaf of a checked rule that is compared with a date and can be none."""
    return list(_faults(logic, (), kind_of))


def _faults(part: object, path: Path, kind_of: KindOf) -> Iterator[Fault]:
    if isinstance(part, list):
        for at, each in enumerate(part):
            yield from _faults(each, (*path, at), kind_of)
    if not isinstance(part, dict):
        return
    for name, given in part.items():
        for where, operand in _compared_with_dates(name, given, kind_of):
            if wrong := _wrong(operand, kind_of, empty=name in _EQUAL):
                yield (*path, name, *where), wrong
        yield from _faults(given, (*path, name), kind_of)


def _compared_with_dates(name: str, given: object, kind_of: KindOf) -> list[tuple[Path, Any]]:
    operands: list[Any] = given if isinstance(given, list) else [given]
    placed: list[tuple[Path, Any]] = [((at,), each) for at, each in enumerate(operands)]
    if name in _DATED:
        return placed
    if name == "in" and len(operands) == 2 and isinstance(operands[1], list):
        items: list[tuple[Path, Any]] = [((1, at), each) for at, each in enumerate(operands[1])]
        return items if _kind(operands[0], kind_of) == "date" else []
    dated = any(_kind(operand, kind_of) == "date" for operand in operands)
    written = any(isinstance(each, str) and _SHAPE.fullmatch(each) for each in operands)
    if (name in _EQUAL and dated) or (name in _ORDERED and (dated or written)):
        return placed
    return []


def _kind(operand: object, kind_of: KindOf) -> str:
    """The type of the leaf that an operand reads; "" for all other operands."""
    name = operand.get("var") if isinstance(operand, dict) else None
    name = name[0] if isinstance(name, list) and name else name
    return kind_of(name) if isinstance(name, str) else ""


def _wrong(operand: object, kind_of: KindOf, *, empty: bool) -> str:
    if isinstance(operand, dict):
        kind = _kind(operand, kind_of)
        return f"is of type {kind}, and compared with a date" if kind in _NEVER_DATES else ""
    if isinstance(operand, str) and (is_date(operand) or (empty and not operand)):
        return ""
    return f"should be a date like 2026-01-31, not {short_repr(operand)}"

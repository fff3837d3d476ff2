"""What a JSON Logic rule may consist of, checked before it is ever evaluated (design §10).

json-logic-qubit runs whatever operator a rule names, down to Python attributes; so only what
passes here may reach it.
"""

import difflib
import math
from collections.abc import Collection, Iterator
from typing import Any

from engine.yaml.faults import InnerFaults, Path

MAX_DEPTH = 32
MAX_NODES = 500

_MANY = MAX_NODES
_ARITY: dict[str, tuple[int, int]] = {
    "==": (2, 2),
    "===": (2, 2),
    "!=": (2, 2),
    "!==": (2, 2),
    "<": (2, 3),
    "<=": (2, 3),
    ">": (2, 2),
    ">=": (2, 2),
    "!": (1, 1),
    "!!": (1, 1),
    "and": (1, _MANY),
    "or": (1, _MANY),
    "if": (2, _MANY),
    "in": (2, 2),
    "var": (1, 2),
    "missing": (1, _MANY),
    "missing_some": (2, 2),
    "+": (2, _MANY),
    "-": (1, 2),
    "*": (2, _MANY),
    "/": (2, 2),
    "%": (2, 2),
    "min": (1, _MANY),
    "max": (1, _MANY),
    "cat": (1, _MANY),
    "substr": (2, 3),
    "merge": (1, _MANY),
    "date_before": (2, 2),
    "date_after": (2, 2),
    "days_between": (2, 2),
}
OPERATORS = frozenset(_ARITY)

# With every other operator a literal null could only fail: a missing operand is no pass.
_TAKE_NULL = {"!", "!!", "and", "or", "if", "var", "missing", "missing_some", "merge"}


def check_logic(logic: object, *, variables: Collection[str] | None) -> list[tuple[Path, str]]:
    """Every fault of a rule, with its path inside the rule; an empty list when it may be run.

    `variables` are the names that `var` and `missing` may use; None allows every name.
    """
    check = _LogicChecker(variables)
    if not isinstance(logic, dict):
        return [((), "a rule is a mapping of one operator to its operands")]
    check.value(logic, (), 1)
    return check.faults


def validate_logic(logic: dict[str, Any]) -> dict[str, Any]:
    """The rule itself; raises InnerFaults when `check_logic` finds any (names not checked)."""
    if faults := check_logic(logic, variables=None):
        raise InnerFaults(faults)
    return logic


def variables_of(logic: object) -> tuple[str, ...]:
    """The names that a checked rule reads, each once, in the order they stand."""
    return tuple(dict.fromkeys(_names(logic)))


class _LogicChecker:
    """One walk over a rule; it stops when the rule turns out too big."""

    def __init__(self, variables: Collection[str] | None) -> None:
        self.faults: list[tuple[Path, str]] = []
        self._variables = variables
        self._nodes = 0
        self._seen: set[int] = set()

    def value(self, value: object, path: Path, depth: int) -> None:
        if self._nodes > MAX_NODES:
            return
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self.faults = [((), f"has more than {MAX_NODES} parts")]
        elif isinstance(value, dict | list):
            self._container(value, path, depth)
        elif isinstance(value, float) and not math.isfinite(value):
            self._fault(path, "should be a finite number")
        elif value is not None and not isinstance(value, str | bool | int | float):
            self._fault(path, f"a rule cannot hold a {type(value).__name__}")

    def _container(self, value: dict[Any, Any] | list[Any], path: Path, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._fault(path, f"is nested deeper than {MAX_DEPTH} levels")
        elif id(value) in self._seen:
            self._fault(path, "stands in the rule twice (shared or cyclic)")
        else:
            self._seen.add(id(value))
            if isinstance(value, dict):
                self._operation(value, path, depth)
            else:
                self._each(value, path, depth)

    def _operation(self, value: dict[Any, Any], path: Path, depth: int) -> None:
        if len(value) != 1:
            self._fault(path, f"should have exactly one operator, not {len(value)}")
            return
        operator, operands = next(iter(value.items()))
        if not isinstance(operator, str) or operator not in _ARITY:
            self._fault(path, f"unknown operator {operator!r}{_suggest(operator, OPERATORS)}")
            return
        listed = operands if isinstance(operands, list) else [operands]
        low, high = _ARITY[operator]
        if not low <= len(listed) <= high:
            message = f"{operator!r} takes {_count_text(low, high)}, not {len(listed)}"
            self._fault((*path, operator), message)
        elif operator in ("var", "missing", "missing_some"):
            self._check_names(operator, listed, (*path, operator))
        elif operator not in _TAKE_NULL and None in listed:
            self._fault((*path, operator), f"null never passes {operator!r}; use 'missing'")
        self.value(operands, (*path, operator), depth + 1)

    def _each(self, values: list[Any], path: Path, depth: int) -> None:
        for at, each in enumerate(values):
            self.value(each, (*path, at), depth + 1)

    def _check_names(self, operator: str, listed: list[Any], path: Path) -> None:
        if operator == "var":
            names: object = listed[:1]
        elif operator == "missing":
            names = listed[0] if len(listed) == 1 and isinstance(listed[0], list) else listed
        else:
            names = listed[1]
            self._check_needed(listed[0], names, path)
        for name in names if isinstance(names, list) else [names]:
            if not isinstance(name, str) or not name:
                self._fault(path, f"{operator!r} takes names written out, not expressions")
            elif self._variables is not None and name not in self._variables:
                self._fault(path, f"unknown name {name!r}{_suggest(name, self._variables)}")

    def _check_needed(self, needed: object, names: object, path: Path) -> None:
        known = len(names) if isinstance(names, list) else 0
        if type(needed) is not int or not 1 <= needed <= known:
            self._fault(path, "'missing_some' takes how many are needed, then a list of names")

    def _fault(self, path: Path, message: str) -> None:
        self.faults.append((path, message))


def _names(logic: object) -> Iterator[str]:
    if isinstance(logic, list):
        for each in logic:
            yield from _names(each)
    if not isinstance(logic, dict):
        return
    for operator, operands in logic.items():
        listed = operands if isinstance(operands, list) else [operands]
        if operator == "var":
            yield listed[0]
            yield from _names(listed[1:])
        elif operator in ("missing", "missing_some"):
            yield from (name for name in _flatten(listed) if isinstance(name, str))
        else:
            yield from _names(listed)


def _flatten(values: list[Any]) -> Iterator[Any]:
    for each in values:
        if isinstance(each, list):
            yield from _flatten(each)
        else:
            yield each


def _suggest(word: object, known: Collection[str]) -> str:
    near = difflib.get_close_matches(str(word), sorted(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _count_text(low: int, high: int) -> str:
    if high == low:
        return f"{low} operand" + ("s" if low > 1 else "")
    return f"{low} or more operands" if high == _MANY else f"{low} to {high} operands"

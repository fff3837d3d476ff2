"""What a JSON Logic rule may consist of, checked before it is ever evaluated (design §10).

json-logic-qubit runs whatever operator a rule names, down to Python attributes; so only what
passes here may reach it.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from engine.rules.names import OUTER, OVER_ENTRIES, RuleNames, suggest
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
    "?:": (3, 3),
    "in": (2, 2),
    "var": (1, 2),
    "missing": (1, _MANY),
    "missing_some": (2, 2),
    "+": (1, _MANY),
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
    **dict.fromkeys(("all", "some", "none", "filter", "map"), (2, 2)),
    "reduce": (3, 3),
    **dict.fromkeys(("number", "text", "date"), (1, 1)),
}
OPERATORS = frozenset(_ARITY)
ANY_NAMES = RuleNames()

# With every other operator a literal null could only fail: a missing operand is no pass.
_TAKE_NULL = {"!", "!!", "and", "or", "if", "?:", "var", "missing", "missing_some", "merge"}


def check_logic(logic: object, names: RuleNames = ANY_NAMES) -> list[tuple[Path, str]]:
    """Every fault of a rule, with its path inside the rule; an empty list when it may be run.

    `names` are those that `var` and `missing` may use.
    """
    check = _LogicChecker()
    if not isinstance(logic, dict):
        return [((), "a rule is a mapping of one operator to its operands")]
    check.value(logic, (), 1, names)
    return check.faults


def validate_logic(logic: dict[str, Any]) -> dict[str, Any]:
    """The rule itself; raises InnerFaults when `check_logic` finds any (names not checked)."""
    if faults := check_logic(logic):
        raise InnerFaults(faults)
    return logic


def variables_of(logic: object) -> tuple[str, ...]:
    """The names that a checked rule reads, each once, in the order they stand.

    What it reads of the entries of a list is not among them.
    """
    return tuple(dict.fromkeys(_names(logic)))


class _LogicChecker:
    """One walk over a rule; it stops when the rule turns out too big."""

    def __init__(self) -> None:
        self.faults: list[tuple[Path, str]] = []
        self._nodes = 0
        self._seen: set[int] = set()

    def value(
        self,
        value: object,
        path: Path,
        depth: int,
        names: RuleNames,
        body_names: RuleNames | None = None,
    ) -> None:
        """A part of the rule; `body_names` are those of the second of several operands."""
        if self._nodes > MAX_NODES:
            return
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self.faults = [((), f"has more than {MAX_NODES} parts")]
        elif isinstance(value, dict | list):
            self._container(value, path, depth, names, body_names)
        elif isinstance(value, float) and not math.isfinite(value):
            self._fault(path, "should be a finite number")
        elif value is not None and not isinstance(value, str | bool | int | float):
            self._fault(path, f"a rule cannot hold a {type(value).__name__}")

    def _container(
        self,
        value: dict[Any, Any] | list[Any],
        path: Path,
        depth: int,
        names: RuleNames,
        body_names: RuleNames | None,
    ) -> None:
        if depth > MAX_DEPTH:
            self._fault(path, f"is nested deeper than {MAX_DEPTH} levels")
        elif id(value) in self._seen:
            self._fault(path, "stands in the rule twice (shared or cyclic)")
        else:
            self._seen.add(id(value))
            if isinstance(value, dict):
                self._operation(value, path, depth, names)
            else:
                for at, each in enumerate(value):
                    own = body_names if at == 1 and body_names else names
                    self.value(each, (*path, at), depth + 1, own)

    def _operation(self, value: dict[Any, Any], path: Path, depth: int, names: RuleNames) -> None:
        if len(value) != 1:
            self._fault(path, f"should have exactly one operator, not {len(value)}")
            return
        operator, operands = next(iter(value.items()))
        if not isinstance(operator, str) or operator not in _ARITY:
            self._fault(path, f"unknown operator {operator!r}{suggest(operator, OPERATORS)}")
            return
        listed = operands if isinstance(operands, list) else [operands]
        low, high = _ARITY[operator]
        if not low <= len(listed) <= high:
            message = f"{operator!r} takes {_count_text(low, high)}, not {len(listed)}"
            self._fault((*path, operator), message)
        elif operator in ("var", "missing", "missing_some"):
            self._check_names(operator, listed, (*path, operator), names)
        elif operator not in _TAKE_NULL and None in listed:
            self._fault((*path, operator), f"null never passes {operator!r}; use 'missing'")
        body = names.of_body(operator, listed[0]) if operator in OVER_ENTRIES and listed else None
        self.value(operands, (*path, operator), depth + 1, names, body)

    def _check_names(self, operator: str, listed: list[Any], path: Path, names: RuleNames) -> None:
        if operator == "var":
            read: object = listed[:1]
        elif operator == "missing":
            read = listed[0] if len(listed) == 1 and isinstance(listed[0], list) else listed
        else:
            read = listed[1]
            self._check_needed(listed[0], read, path)
        for name in read if isinstance(read, list) else [read]:
            if fault := names.fault(name, operator):
                self._fault(path, fault)

    def _check_needed(self, needed: object, names: object, path: Path) -> None:
        known = len(names) if isinstance(names, list) else 0
        if type(needed) is not int or not 1 <= needed <= known:
            self._fault(path, "'missing_some' takes how many are needed, then a list of names")

    def _fault(self, path: Path, message: str) -> None:
        self.faults.append((path, message))


def _names(logic: object, *, in_body: bool = False) -> Iterator[str]:
    if isinstance(logic, list):
        for each in logic:
            yield from _names(each, in_body=in_body)
    if not isinstance(logic, dict):
        return
    for operator, operands in logic.items():
        listed = operands if isinstance(operands, list) else [operands]
        if operator == "var":
            yield from _outer_names(listed[:1], in_body)
            yield from _names(listed[1:], in_body=in_body)
        elif operator in ("missing", "missing_some"):
            yield from _outer_names(_flatten(listed), in_body)
        else:
            for at, each in enumerate(listed):
                is_body = operator in OVER_ENTRIES and at == 1
                yield from _names(each, in_body=in_body or is_body)


def _outer_names(names: Iterable[object], in_body: bool) -> Iterator[str]:
    for name in names:
        if isinstance(name, str) and (name.startswith(OUTER) or not in_body):
            yield name.removeprefix(OUTER)


def _flatten(values: list[Any]) -> Iterator[Any]:
    for each in values:
        if isinstance(each, list):
            yield from _flatten(each)
        else:
            yield each


def _count_text(low: int, high: int) -> str:
    if high == low:
        return f"{low} operand" + ("s" if low > 1 else "")
    return f"{low} or more operands" if high == _MANY else f"{low} to {high} operands"

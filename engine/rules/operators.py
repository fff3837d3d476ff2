"""JSON Logic's operators without coercion (spec 001 §2).

An operator raises MissingOperand or RuleFailure where it has no answer. A bool is not a number,
text that looks like a number is text, and a date is in no order with text that is none.
"""

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

Kind = Literal["missing", "bool", "number", "text", "date", "list", "mapping", "other"]
FailureCode = Literal[
    "different",
    "number",
    "text",
    "list",
    "entries",
    "date",
    "finite",
    "zero",
    "shape",
    "work",
    "unread",
]

_KINDS: dict[type, Kind] = {
    type(None): "missing",
    bool: "bool",
    int: "number",
    float: "number",
    str: "text",
    date: "date",
    list: "list",
    tuple: "list",
    dict: "mapping",
}
_PLAIN = frozenset({int, str, date})
_NUMBERS = frozenset({int, float})
_INF = math.inf
MAX_BITS = 4096
"""A whole number that a rule reckons out has at most so many; more is out of range."""
_NO_THIRD = object()
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class NoAnswer(Exception):
    """A part of a rule is neither true nor false on this data."""

    def outranks(self, other: "NoAnswer") -> bool:
        """Whether this one is told where both stand, in whatever order they stand."""
        return self.args > other.args


class MissingOperand(NoAnswer):
    """An operand is missing from the data, so the answer is not known."""


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """Stands for what a file contains that cannot be read; the sentence `key` says why."""

    name: str
    key: str


class RuleFailure(NoAnswer):
    """The data cannot be compared as the rule does; `code` and the operands' kinds say why.

    `unread` is the file that a rule asks about and that cannot be read.
    """

    def __init__(self, code: FailureCode, *kinds: Kind, unread: UnreadFile | None = None) -> None:
        super().__init__(code, *kinds)
        self.code = code
        self.kinds = kinds
        self.unread = unread


def kind_of(value: object) -> Kind:
    """The kind by which operands are compared."""
    return _KINDS.get(type(value)) or _kind_of_subclass(value)


def _kind_of_subclass(value: object) -> Kind:
    match value:
        case int() | float():
            return "number"
        case str():
            return "text"
        case date() if not isinstance(value, datetime):
            return "date"
        case list() | tuple():
            return "list"
        case Mapping():
            return "mapping"
    return "other"


def is_same(a: object, b: object) -> bool:
    """Equal and of the same kind, all the way down: `1` is `1.0`, but neither `true` nor `"1"`."""
    if kind_of(a) != kind_of(b):
        return False
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(is_same(a[key], b[key]) for key in a)
    return bool(a == b)


def _plain(a: Any, b: Any) -> bool:
    # Most pairs are such; it saves all other questions. No NaN and no infinity is in between.
    kind = type(a)
    if kind is type(b) and kind in _PLAIN:
        return True
    return kind in _NUMBERS and type(b) in _NUMBERS and -_INF < a < _INF and -_INF < b < _INF


def _require_same_kind(a: Any, b: Any) -> None:
    kinds = require_present(a, b)
    if kinds[0] != kinds[1]:
        raise RuleFailure("different", *kinds)


def require_present(*operands: Any) -> tuple[Kind, ...]:
    """The kinds of the operands. Raises MissingOperand, and RuleFailure for no finite number."""
    kinds = tuple(map(kind_of, operands))
    if "missing" in kinds:
        raise MissingOperand
    for operand in operands:
        if isinstance(operand, float) and not math.isfinite(operand):
            raise RuleFailure("finite")
    return kinds


def _require_kind(wanted: Literal["number", "text"], operands: tuple[Any, ...]) -> None:
    for kind in require_present(*operands):
        if kind != wanted:
            raise RuleFailure(wanted, kind)


def _equal(a: Any, b: Any) -> bool:
    if _plain(a, b):
        return bool(a == b)
    _require_same_kind(a, b)
    return is_same(a, b)


def _not_equal(a: Any, b: Any) -> bool:
    return not _equal(a, b)


def _identical(a: Any, b: Any) -> bool:
    require_present(a, b)
    return is_same(a, b)


def _not_identical(a: Any, b: Any) -> bool:
    return not _identical(a, b)


def _less(a: Any, b: Any, c: Any = _NO_THIRD) -> bool:
    if c is _NO_THIRD:
        return _ordered(a, b, operator.lt)
    # Both pairs are looked at before one decides: a missing operand is never passed over.
    require_present(a, b, c)
    low, high = _ordered(a, b, operator.lt), _ordered(b, c, operator.lt)
    return low and high


def _at_most(a: Any, b: Any, c: Any = _NO_THIRD) -> bool:
    if c is _NO_THIRD:
        return _ordered(a, b, operator.le)
    require_present(a, b, c)
    low, high = _ordered(a, b, operator.le), _ordered(b, c, operator.le)
    return low and high


def _greater(a: Any, b: Any) -> bool:
    return _ordered(a, b, operator.gt)


def _at_least(a: Any, b: Any) -> bool:
    return _ordered(a, b, operator.ge)


def _ordered(a: Any, b: Any, test: Callable[[Any, Any], bool]) -> bool:
    if not _plain(a, b):
        _require_same_kind(a, b)
        if kind_of(a) not in ("number", "text", "date"):
            raise RuleFailure("number", kind_of(a))
    if isinstance(a, str) and (_DATE.fullmatch(a) or _DATE.fullmatch(b)):
        _date(a)
        _date(b)
    return test(a, b)


def _in(item: Any, whole: Any) -> bool:
    if type(whole) is str and type(item) is str:
        return item in whole
    if type(whole) is list and type(item) in _PLAIN:
        for each in whole:
            if type(each) is type(item) and each == item:
                return True
    kinds = require_present(item, whole)
    if isinstance(whole, str):
        _require_kind("text", (item,))
        return item in whole
    if not isinstance(whole, list | tuple):
        raise RuleFailure("list", kinds[1])
    others = list(map(kind_of, whole))
    if others and kinds[0] not in others:
        raise RuleFailure("different", kinds[0], others[0])
    return any(is_same(item, each) for each in whole)


def _finite(value: float) -> float:
    if isinstance(value, float) and not math.isfinite(value):
        raise RuleFailure("finite")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise RuleFailure("finite")
    return value


def _add(*operands: Any) -> float:
    _require_kind("number", operands)
    return _finite(sum(operands))


def _subtract(*operands: Any) -> float:
    _require_kind("number", operands)
    return _finite(-operands[0] if len(operands) == 1 else operands[0] - operands[1])


def _multiply(*operands: Any) -> float:
    _require_kind("number", operands)
    return _finite(math.prod(operands))


def _divide(a: Any, b: Any) -> float:
    _require_kind("number", (a, b))
    return _finite(a / b)


def _remainder(a: Any, b: Any) -> float:
    _require_kind("number", (a, b))
    return _finite(a % b)


def _least(*operands: Any) -> Any:
    _require_kind("number", operands)
    return min(operands)


def _most(*operands: Any) -> Any:
    _require_kind("number", operands)
    return max(operands)


def _concatenate(*operands: Any) -> str:
    for kind in require_present(*operands):
        if kind not in ("text", "number"):
            raise RuleFailure("text", kind)
    return "".join(map(str, operands))


def _substring(text: Any, *bounds: Any) -> str:
    _require_kind("text", (text,))
    _require_kind("number", bounds)
    start, length = bounds[0], bounds[1] if len(bounds) > 1 else None
    return str(text[start:][:length])


def is_date(text: str) -> bool:
    """Whether a text is a day of the calendar, written as 2026-01-31."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _date(value: Any) -> date:
    kind = require_present(value)[0]
    if isinstance(value, date) and kind == "date":
        return value
    if isinstance(value, str) and is_date(value):
        return date.fromisoformat(value)
    raise RuleFailure("date", kind)


def _date_before(a: Any, b: Any) -> bool:
    require_present(a, b)
    return _date(a) < _date(b)


def _date_after(a: Any, b: Any) -> bool:
    return _date_before(b, a)


def _days_between(a: Any, b: Any) -> int:
    require_present(a, b)
    return (_date(b) - _date(a)).days


def _merge(*operands: Any) -> list[Any]:
    whole: list[Any] = []
    for each in operands:
        whole.extend(each if isinstance(each, list | tuple) else [each])
    return whole


OPERATIONS: dict[str, Callable[..., Any]] = {
    "!": operator.not_,
    "!!": bool,
    "==": _equal,
    "===": _identical,
    "!=": _not_equal,
    "!==": _not_identical,
    "<": _less,
    "<=": _at_most,
    ">": _greater,
    ">=": _at_least,
    "in": _in,
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _remainder,
    "min": _least,
    "max": _most,
    "cat": _concatenate,
    "substr": _substring,
    "merge": _merge,
    "date_before": _date_before,
    "date_after": _date_after,
    "days_between": _days_between,
}
"""What each operator answers for the values of its operands."""

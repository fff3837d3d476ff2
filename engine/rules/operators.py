"""JSON Logic's operators without coercion, and the evaluation of a checked rule (spec 001 §2).

A missing operand ends a rule as not passed, wherever it stands in it (`!` around a comparison
does not turn it into a pass; test with `missing` or `if` first). Operands of different kinds end
it as failed. A bool is not a number, and text that looks like a number is text.
"""

import itertools
import math
import operator
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Literal

import json_logic

Kind = Literal["missing", "bool", "number", "text", "date", "list", "mapping", "other"]
FailureCode = Literal["different", "number", "text", "date", "finite", "zero", "shape"]

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class MissingOperand(Exception):
    """An operand is missing from the data: the rule does not pass."""


class RuleFailure(Exception):
    """A rule cannot be answered on this data; `code` and the operands' kinds say why."""

    def __init__(self, code: FailureCode, *kinds: Kind) -> None:
        super().__init__(code, *kinds)
        self.code = code
        self.kinds = kinds


def passes(logic: dict[str, Any], data: Mapping[str, Any]) -> bool:
    """Whether a rule that `check_logic` found faultless holds for the data, which stays as it is.

    A missing operand is False. Raises RuleFailure, and nothing else.
    """
    try:
        return bool(json_logic.jsonLogic(logic, data))
    except MissingOperand:
        return False
    except ZeroDivisionError:
        raise RuleFailure("zero") from None
    except OverflowError:
        raise RuleFailure("finite") from None
    except (TypeError, ValueError, LookupError, RecursionError):
        # A dotted name walks into data of any shape, and data may be nested without end.
        raise RuleFailure("shape") from None


def kind_of(value: object) -> Kind:
    """The kind by which operands are compared."""
    match value:
        case None:
            return "missing"
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "text"
        case datetime():
            return "other"
        case date():
            return "date"
        case list() | tuple():
            return "list"
        case Mapping():
            return "mapping"
    return "other"


def same(a: object, b: object) -> bool:
    """Equal and of the same kind, all the way down: `1` is `1.0`, but neither `true` nor `"1"`."""
    if kind_of(a) != kind_of(b):
        return False
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(a == b)


def _alike(a: Any, b: Any) -> None:
    kinds = _present(a, b)
    if kinds[0] != kinds[1]:
        raise RuleFailure("different", *kinds)


def _present(*operands: Any) -> tuple[Kind, ...]:
    kinds = tuple(map(kind_of, operands))
    if "missing" in kinds:
        raise MissingOperand
    for operand in operands:
        if isinstance(operand, float) and not math.isfinite(operand):
            raise RuleFailure("finite")
    return kinds


def _only(wanted: Literal["number", "text"], operands: tuple[Any, ...]) -> None:
    for kind in _present(*operands):
        if kind != wanted:
            raise RuleFailure(wanted, kind)


def _equal(a: Any, b: Any) -> bool:
    _alike(a, b)
    return same(a, b)


def _not_equal(a: Any, b: Any) -> bool:
    return not _equal(a, b)


def _less(*operands: Any) -> bool:
    return _ordered(operands, operator.lt)


def _at_most(*operands: Any) -> bool:
    return _ordered(operands, operator.le)


def _greater(a: Any, b: Any) -> bool:
    return _ordered((a, b), operator.gt)


def _at_least(a: Any, b: Any) -> bool:
    return _ordered((a, b), operator.ge)


def _ordered(operands: tuple[Any, ...], test: Callable[[Any, Any], bool]) -> bool:
    pairs = list(itertools.pairwise(operands))
    for a, b in pairs:
        _alike(a, b)
        if kind_of(a) not in ("number", "text", "date"):
            raise RuleFailure("number", kind_of(a))
    return all(test(a, b) for a, b in pairs)


def _in(item: Any, whole: Any) -> bool:
    kinds = _present(item, whole)
    if isinstance(whole, str):
        _only("text", (item,))
        return item in whole
    if not isinstance(whole, list | tuple):
        raise RuleFailure("different", *kinds)
    others = list(map(kind_of, whole))
    if others and kinds[0] not in others:
        raise RuleFailure("different", kinds[0], others[0])
    return any(same(item, each) for each in whole)


def _finite(value: float) -> float:
    if isinstance(value, float) and not math.isfinite(value):
        raise RuleFailure("finite")
    return value


def _add(*operands: Any) -> float:
    _only("number", operands)
    return _finite(sum(operands))


def _subtract(*operands: Any) -> float:
    _only("number", operands)
    return _finite(-operands[0] if len(operands) == 1 else operands[0] - operands[1])


def _multiply(*operands: Any) -> float:
    _only("number", operands)
    return _finite(math.prod(operands))


def _divide(a: Any, b: Any) -> float:
    _only("number", (a, b))
    return _finite(a / b)


def _remainder(a: Any, b: Any) -> float:
    _only("number", (a, b))
    return _finite(a % b)


def _least(*operands: Any) -> Any:
    _only("number", operands)
    return min(operands)


def _most(*operands: Any) -> Any:
    _only("number", operands)
    return max(operands)


def _joined(*operands: Any) -> str:
    for kind in _present(*operands):
        if kind not in ("text", "number"):
            raise RuleFailure("text", kind)
    return "".join(map(str, operands))


def _part(text: Any, *bounds: Any) -> str:
    _only("text", (text,))
    _only("number", bounds)
    start, length = bounds[0], bounds[1] if len(bounds) > 1 else None
    return str(text[start:][:length])


def _date(value: Any) -> date:
    kind = _present(value)[0]
    if isinstance(value, date) and kind == "date":
        return value
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise RuleFailure("date", kind) from None
    raise RuleFailure("date", kind)


def _date_before(a: Any, b: Any) -> bool:
    _present(a, b)
    return _date(a) < _date(b)


def _date_after(a: Any, b: Any) -> bool:
    return _date_before(b, a)


def _days_between(a: Any, b: Any) -> int:
    _present(a, b)
    return (_date(b) - _date(a)).days


_REPLACED: dict[str, Callable[..., Any]] = {
    "==": _equal,
    "===": _equal,
    "!=": _not_equal,
    "!==": _not_equal,
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
    "cat": _joined,
    "substr": _part,
    "date_before": _date_before,
    "date_after": _date_after,
    "days_between": _days_between,
}

# The library has one registry for the whole process; it asks added operations before its own.
for _name, _code in _REPLACED.items():
    json_logic.add_operation(_name, _code)

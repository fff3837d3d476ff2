"""The value of a checked rule on one record, in three-valued logic (spec 001 §2).

A part of a rule is true, false, unknown (an operand is missing) or failed (operands that do not
compare). As in Google's Common Expression Language, `or` is true when any branch is, and `and` is
false when any branch is, whatever the others are; where no branch decides, failed outranks
unknown. So the order of branches never matters; `some` and `all` are `or` and `and` over the
entries of a list. Every other operator is unknown or failed as soon as one of its operands is, `!`
and `if` with their condition included.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

from engine.rules.budget import TooMuchWork, WorkBudget
from engine.rules.casts import CASTS
from engine.rules.names import ACCUMULATOR, CONTENTS, CURRENT, OUTER
from engine.rules.operators import (
    OPERATIONS,
    MissingOperand,
    NoAnswer,
    RuleFailure,
    UnreadFile,
    kind_of,
)


class Scope:
    """What the names of a part of a rule are read in: a record, or an entry of a list.

    `outer` is what names with a `$` are read in. `is_entry` inside a list operator, where the
    budget counts every part.
    """

    __slots__ = ("budget", "data", "is_entry", "outer")

    def __init__(
        self, data: Any, outer: Mapping[str, Any], budget: WorkBudget, *, is_entry: bool = False
    ) -> None:
        self.data = data
        self.outer = outer
        self.budget = budget
        self.is_entry = is_entry

    def of_entry(self, entry: Any) -> "Scope":
        """The scope of an entry of a list."""
        return Scope(entry, self.outer, self.budget, is_entry=True)

    def read(self, name: str, default: Any = None) -> Any:
        """What stands at a dotted name; `default` where nothing of that name does."""
        if not name and self.is_entry:
            return self.data
        data, bare = (self.outer, name[1:]) if name[:1] == OUTER else (self.data, name)
        if "." in bare and type(data) is dict and bare in data.get(CONTENTS, ()):
            return _text_of(data[CONTENTS][bare])
        return value_at(data, bare, default)


def passes(
    logic: dict[str, Any], data: Mapping[str, Any], outer: Mapping[str, Any] | None = None
) -> bool:
    """Whether a rule that `check_logic` found faultless is true of the data, which stays as it is.

    Names with a `$` are read in `outer`, or in the data where there is none. Unknown is False.
    Raises RuleFailure, and nothing else.
    """
    try:
        return bool(value_of(logic, Scope(data, data if outer is None else outer, WorkBudget())))
    except MissingOperand:
        return False
    except TooMuchWork:
        raise RuleFailure("work") from None
    except RecursionError:
        raise RuleFailure("shape") from None


def result_of(logic: dict[str, Any], data: Mapping[str, Any]) -> Any:
    """What a rule that `check_logic` found faultless gives on the data; None without an answer.

    So it is where an operand is missing, and where the rule fails on this data.
    """
    try:
        return value_of(logic, Scope(data, data, WorkBudget()))
    except (NoAnswer, TooMuchWork, RecursionError):
        return None


def value_at(data: Any, name: str, default: Any = None) -> Any:
    """What stands in the data at a dotted name; `default` where nothing of that name does."""
    if type(data) is dict and "." not in name:
        return data.get(name, default)
    try:
        for key in name.split("."):
            try:
                data = data[key]
            except TypeError:
                data = data[int(key)]
    except (KeyError, TypeError, ValueError):
        return default
    return data


def _text_of(content: str | UnreadFile) -> str:
    if isinstance(content, UnreadFile):
        raise RuleFailure("unread", unread=content)
    return content


def value_of(logic: Any, scope: Scope) -> Any:
    """The value of a part of a rule; raises NoAnswer where it is unknown or failed."""
    if not scope.is_entry:
        return _operate(logic, scope) if isinstance(logic, _COMPOUND) else logic
    scope.budget.take(1)
    value = _operate(logic, scope) if isinstance(logic, _COMPOUND) else logic
    scope.budget.take_value(value)
    return value


def _operate(logic: dict[str, Any] | list[Any], scope: Scope) -> Any:
    if isinstance(logic, list):
        return _values(logic, scope)
    ((name, given),) = logic.items()
    operands = given if isinstance(given, list) else [given]
    try:
        if name == "var" and len(operands) == 1:
            return scope.read(operands[0])
        if (lazy := _LAZY.get(name)) is not None:
            return lazy(operands, scope)
        values = _values(operands, scope)
        if (operation := _OPERATIONS.get(name)) is not None:
            return operation(*values)
        return _READING[name](scope, *values)
    except ZeroDivisionError:
        raise RuleFailure("zero") from None
    except OverflowError:
        raise RuleFailure("finite") from None
    except (TypeError, ValueError, LookupError, RecursionError):
        # A dotted name walks into data of any shape, and data may be nested without end.
        raise RuleFailure("shape") from None


def _values(parts: Sequence[Any], scope: Scope) -> list[Any]:
    return _all_answered(zip(parts, repeat(scope)))


def _all_answered(parts: Iterable[tuple[Any, Scope]]) -> list[Any]:
    """The value of each; raises the most serious NoAnswer where one has none."""
    values: list[Any] = []
    unanswered: NoAnswer | None = None
    for part, scope in parts:
        try:
            values.append(value_of(part, scope))
        except NoAnswer as error:
            unanswered = _more_serious(unanswered, error)
    if unanswered is not None:
        raise unanswered
    return values


def _first_that(decides: bool, parts: Iterable[tuple[Any, Scope]]) -> Any:
    """The first value that is as true as `decides`, else the last; None of no parts."""
    value: Any = None
    unanswered: NoAnswer | None = None
    for part, scope in parts:
        try:
            value = value_of(part, scope)
        except NoAnswer as error:
            unanswered = _more_serious(unanswered, error)
        else:
            if bool(value) is decides:
                return value
    if unanswered is not None:
        raise unanswered
    return value


def _more_serious(one: NoAnswer | None, other: NoAnswer) -> NoAnswer:
    return other if one is None or other.outranks(one) else one


def _or(branches: Sequence[Any], scope: Scope) -> Any:
    return _first_that(True, zip(branches, repeat(scope)))


def _and(branches: Sequence[Any], scope: Scope) -> Any:
    return _first_that(False, zip(branches, repeat(scope)))


def _if(branches: Sequence[Any], scope: Scope) -> Any:
    """Conditions and results in pairs, then what holds otherwise."""
    for at in range(0, len(branches) - 1, 2):
        if value_of(branches[at], scope):
            return value_of(branches[at + 1], scope)
    return value_of(branches[-1], scope) if len(branches) % 2 else None


def _entries(part: Any, scope: Scope) -> Sequence[Any]:
    """The list that a list operator goes over. One that is not there is unknown, and never empty.

    What a name reads is not counted entry by entry: only what is done with the entries is.
    """
    value = _operate(part, scope) if isinstance(part, _COMPOUND) else part
    match kind_of(value):
        case "list":
            listed: Sequence[Any] = value
            return listed
        case "missing":
            raise MissingOperand
        case kind:
            raise RuleFailure("entries", kind)


def _bodies(body: Any, entries: Sequence[Any], scope: Scope) -> Iterable[tuple[Any, Scope]]:
    return zip(repeat(body), map(scope.of_entry, entries))


def _all(operands: Sequence[Any], scope: Scope) -> bool:
    entries = _entries(operands[0], scope)
    return not entries or bool(_first_that(False, _bodies(operands[1], entries, scope)))


def _some(operands: Sequence[Any], scope: Scope) -> bool:
    entries = _entries(operands[0], scope)
    return bool(_first_that(True, _bodies(operands[1], entries, scope)))


def _none(operands: Sequence[Any], scope: Scope) -> bool:
    return not _some(operands, scope)


def _filter(operands: Sequence[Any], scope: Scope) -> list[Any]:
    entries = _entries(operands[0], scope)
    verdicts = _all_answered(_bodies(operands[1], entries, scope))
    return [entry for entry, verdict in zip(entries, verdicts, strict=True) if verdict]


def _map(operands: Sequence[Any], scope: Scope) -> list[Any]:
    entries = _entries(operands[0], scope)
    return _all_answered(_bodies(operands[1], entries, scope))


def _reduce(operands: Sequence[Any], scope: Scope) -> Any:
    value = value_of(operands[2], scope)
    for entry in _entries(operands[0], scope):
        value = value_of(operands[1], scope.of_entry({CURRENT: entry, ACCUMULATOR: value}))
    return value


def _var(scope: Scope, name: str, default: Any = None) -> Any:
    return scope.read(name, default)


def _missing(scope: Scope, *names: Any) -> list[str]:
    listed = names[0] if isinstance(names[0], list) else names
    return [name for name in listed if scope.read(name) in (None, "")]


def _missing_some(scope: Scope, needed: int, names: list[str]) -> list[str]:
    missing = _missing(scope, names)
    return [] if len(names) - len(missing) >= needed else missing


_COMPOUND = (dict, list)
_LAZY: dict[str, Callable[[Sequence[Any], Scope], Any]] = {
    "or": _or,
    "and": _and,
    "if": _if,
    "?:": _if,
    "all": _all,
    "some": _some,
    "none": _none,
    "filter": _filter,
    "map": _map,
    "reduce": _reduce,
}
"""Operators that evaluate their operands themselves: some of them, or again and again."""
_READING: dict[str, Callable[..., Any]] = {
    "var": _var,
    "missing": _missing,
    "missing_some": _missing_some,
}
_OPERATIONS = {**OPERATIONS, **CASTS}

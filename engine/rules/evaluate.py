"""The value of a checked rule on one record, in three-valued logic (spec 001 §2).

A part of a rule is true, false, unknown (an operand is missing) or failed (operands that do not
compare). As in Google's Common Expression Language, `or` is true when any branch is, and `and` is
false when any branch is, whatever the others are; where no branch decides, failed outranks
unknown. So the order of branches never matters. Every other operator is unknown or failed as soon
as one of its operands is, `!` and `if` with their condition included.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.rules.operators import OPERATIONS, MissingOperand, NoAnswer, RuleFailure


def passes(logic: dict[str, Any], data: Mapping[str, Any]) -> bool:
    """Whether a rule that `check_logic` found faultless is true of the data, which stays as it is.

    Unknown is False. Raises RuleFailure, and nothing else.
    """
    try:
        return bool(value_of(logic, data))
    except MissingOperand:
        return False
    except RecursionError:
        raise RuleFailure("shape") from None


def value_of(logic: Any, data: Mapping[str, Any]) -> Any:
    """The value of a part of a rule; raises NoAnswer where it is unknown or failed."""
    if isinstance(logic, list):
        return _values(logic, data)
    if not isinstance(logic, dict):
        return logic
    ((name, given),) = logic.items()
    operands = given if isinstance(given, list) else [given]
    if (branching := _BRANCHING.get(name)) is not None:
        return branching(operands, data)
    values = _values(operands, data)
    try:
        if (operation := OPERATIONS.get(name)) is not None:
            return operation(*values)
        return _READING[name](data, *values)
    except ZeroDivisionError:
        raise RuleFailure("zero") from None
    except OverflowError:
        raise RuleFailure("finite") from None
    except (TypeError, ValueError, LookupError, RecursionError):
        # A dotted name walks into data of any shape, and data may be nested without end.
        raise RuleFailure("shape") from None


def _values(parts: Sequence[Any], data: Mapping[str, Any]) -> list[Any]:
    values: list[Any] = []
    unanswered: NoAnswer | None = None
    for part in parts:
        try:
            values.append(value_of(part, data))
        except NoAnswer as error:
            unanswered = _more_serious(unanswered, error)
    if unanswered is not None:
        raise unanswered
    return values


def _short_circuit(decides: bool) -> Callable[[Sequence[Any], Mapping[str, Any]], Any]:
    """The evaluation of `or` (a true branch decides) or of `and` (a false one does)."""

    def decided(branches: Sequence[Any], data: Mapping[str, Any]) -> Any:
        value: Any = None
        unanswered: NoAnswer | None = None
        for branch in branches:
            try:
                value = value_of(branch, data)
            except NoAnswer as error:
                unanswered = _more_serious(unanswered, error)
            else:
                if bool(value) is decides:
                    return value
        if unanswered is not None:
            raise unanswered
        return value

    return decided


def _more_serious(one: NoAnswer | None, other: NoAnswer) -> NoAnswer:
    return other if one is None or other.outranks(one) else one


def _evaluate_if(branches: Sequence[Any], data: Mapping[str, Any]) -> Any:
    """The evaluation of `if`: conditions and results in pairs, then what holds otherwise."""
    for at in range(0, len(branches) - 1, 2):
        if value_of(branches[at], data):
            return value_of(branches[at + 1], data)
    return value_of(branches[-1], data) if len(branches) % 2 else None


def _lookup(data: Any, name: str, default: Any = None) -> Any:
    try:
        for key in name.split("."):
            try:
                data = data[key]
            except TypeError:
                data = data[int(key)]
    except (KeyError, TypeError, ValueError):
        return default
    return data


def _missing(data: Any, *names: Any) -> list[str]:
    listed = names[0] if isinstance(names[0], list) else names
    return [name for name in listed if _lookup(data, name) in (None, "")]


def _missing_some(data: Any, needed: int, names: list[str]) -> list[str]:
    missing = _missing(data, names)
    return [] if len(names) - len(missing) >= needed else missing


_BRANCHING = {"or": _short_circuit(True), "and": _short_circuit(False), "if": _evaluate_if}
_READING: dict[str, Callable[..., Any]] = {
    "var": _lookup,
    "missing": _missing,
    "missing_some": _missing_some,
}

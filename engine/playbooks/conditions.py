"""The small checked language of gates, requirements and priority rules (spec 000 §3.2, §4; 003).

A path is `profile.x`, `decisions.x` or the bare name of a data field; what is not there is null.
A check is one of `empty`, `not_empty`, `equals:v`, `not_equals:v`, `in:[a, b]`. Values are JSON
scalars or bare text: `equals:true` is met by the bool alone, `equals:5` by the number 5 or 5.0,
`equals:"5"` and `equals:done` by exactly that text. `not_equals` is the plain opposite, so it
holds for null. Empty are null, blank text, and lists or mappings without entries, not 0 or false.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, assert_never

from pydantic import Field, field_validator

from cards.frozen import Frozen
from engine.playbooks.nesting import SECTIONS
from engine.rules.check import variables_of
from engine.rules.evaluate import passes
from engine.rules.hard import Logic, failure_text
from engine.rules.names import CONTENTS
from engine.rules.operators import RuleFailure, is_same
from engine.yaml.faults import InnerFaults, short_repr, suggestion

Scalar = str | int | float | bool | None
CheckKind = Literal["equals", "not_equals", "in", "empty", "not_empty"]

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_PATH = re.compile(rf"{_NAME}(\.{_NAME})*")
_ITEM = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*"|[^,"\s]+(?:\s+[^,"\s]+)*)\s*)?(,|$)')


@dataclass(frozen=True, slots=True)
class ParsedCheck:
    """A parsed check; `values` has one entry for equals/not_equals, some for in, else none."""

    kind: CheckKind
    values: tuple[Scalar, ...] = ()


class Condition(Frozen):
    """One path and what it should hold."""

    field: str
    check: str

    @field_validator("field")
    @classmethod
    def _known_form(cls, field: str) -> str:
        return validate_path(field)

    @field_validator("check")
    @classmethod
    def _parses(cls, check: str) -> str:
        parse_check(check)
        return check


class AllOf(Frozen):
    """Holds when every one of `all` does."""

    all: tuple["AnyCondition", ...] = Field(min_length=1)


class AnyOf(Frozen):
    """Holds when at least one of `any` does."""

    any: tuple["AnyCondition", ...] = Field(min_length=1)


class LogicCondition(Frozen):
    """A JSON Logic object over the same paths; it holds as a hard rule passes (spec 001 §2)."""

    logic: Logic

    @field_validator("logic")
    @classmethod
    def _iter_paths(cls, logic: dict[str, Any]) -> dict[str, Any]:
        faults = [((), fault) for name in variables_of(logic) if (fault := _path_fault(name))]
        if faults:
            raise InnerFaults(faults)
        return logic


AnyCondition = Condition | AllOf | AnyOf | LogicCondition
AllOf.model_rebuild()
AnyOf.model_rebuild()


def validate_path(path: str) -> str:
    """The path itself; raises ValueError with a sentence when it is not of the allowed form."""
    if fault := _path_fault(path):
        raise ValueError(fault)
    return path


@lru_cache(maxsize=1024)
def parse_check(text: str) -> ParsedCheck:
    """The check that `text` writes; raises ValueError with a sentence."""
    kind, colon, rest = text.strip().partition(":")
    match kind:
        case "empty" | "not_empty":
            if colon:
                raise ValueError(f"{kind!r} takes no value")
            return ParsedCheck(kind)
        case "equals" | "not_equals":
            return ParsedCheck(kind, (_scalar(rest.strip(), kind),))
        case "in":
            return ParsedCheck(kind, tuple(_scalar(item, kind) for item in _items(rest.strip())))
    known = ("equals", "not_equals", "in", "empty", "not_empty")
    raise ValueError(f"unknown check {kind!r}; {suggestion(kind, known)}")


def holds(condition: AnyCondition, state: Mapping[str, Any]) -> bool:
    """Whether it holds in `{"profile": {...}, "decisions": {...}, "data": {...}}`; never raises.

    A logic that meets a missing operand, or cannot be answered, does not hold.
    """
    match condition:
        case Condition():
            return _is_met(parse_check(condition.check), value_at(condition.field, state))
        case AllOf():
            return all(holds(each, state) for each in condition.all)
        case AnyOf():
            return any(holds(each, state) for each in condition.any)
        case LogicCondition():
            try:
                return passes(condition.logic, rule_data(state))
            except RuleFailure:
                return False
    assert_never(condition)


def may_hold(condition: AnyCondition, state: Mapping[str, Any]) -> bool:
    """Whether it holds, or cannot be told: what it reads is missing, or does not compare."""
    match condition:
        case Condition():
            asks_for_value = parse_check(condition.check).kind not in ("empty", "not_empty")
            is_missing = asks_for_value and value_at(condition.field, state) is None
            return is_missing or holds(condition, state)
        case AllOf():
            return all(may_hold(each, state) for each in condition.all)
        case AnyOf():
            return any(may_hold(each, state) for each in condition.any)
        case LogicCondition():
            try:
                return not passes({"!": [condition.logic]}, rule_data(state))
            except RuleFailure:
                return True
    assert_never(condition)


def explain(condition: AnyCondition, state: Mapping[str, Any]) -> str:
    """Why it holds or does not, short, in English, for traces."""
    match condition:
        case Condition():
            value = short_repr(value_at(condition.field, state))
            verb = "meets" if holds(condition, state) else "wants"
            return f"{condition.field} is {value}, {verb} {condition.check.strip()}"
        case AllOf():
            failing = [each for each in condition.all if not holds(each, state)]
            return " and ".join(explain(each, state) for each in failing or condition.all)
        case AnyOf():
            meeting = [each for each in condition.any if holds(each, state)]
            if meeting:
                return explain(meeting[0], state)
            return "none of: " + "; ".join(explain(each, state) for each in condition.any)
        case LogicCondition():
            return _explain_logic(condition, state)
    assert_never(condition)


def paths_of(condition: AnyCondition) -> tuple[str, ...]:
    """Every path it reads, each once, in the order they stand."""
    return tuple(dict.fromkeys(_iter_paths(condition)))


def value_at(path: str, state: Mapping[str, Any]) -> Any:
    """What stands at `path`; None when anything on the way is missing."""
    steps = path.split(".")
    value: Any = state if steps[0] in SECTIONS else state.get("data")
    for step in steps:
        # Most are plain, and to ask whether one is a mapping costs more than all else here.
        if type(value) is not dict and not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


def _is_met(check: ParsedCheck, value: Any) -> bool:
    match check.kind:
        case "empty":
            return _is_empty(value)
        case "not_empty":
            return not _is_empty(value)
        case "equals":
            return is_same(value, check.values[0])
        case "in":
            return any(is_same(value, wanted) for wanted in check.values)
        case "not_equals":
            return not is_same(value, check.values[0])
    assert_never(check.kind)


def _is_empty(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, Mapping | list | tuple) and not value)


def rule_data(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state as rules read it: data leaves by their bare names, beside profile and decisions."""
    sections = {name: state.get(name) for name in SECTIONS}
    return {**(state.get("data") or {}), **sections, CONTENTS: state.get(CONTENTS) or {}}


def _explain_logic(condition: LogicCondition, state: Mapping[str, Any]) -> str:
    values = ", ".join(
        f"{path} is {short_repr(value_at(path, state))}" for path in paths_of(condition)
    )
    try:
        verdict = "holds" if passes(condition.logic, rule_data(state)) else "does not hold"
    except RuleFailure as failure:
        verdict = failure_text(failure, "en")
    return f"logic {verdict} ({values})"


def _iter_paths(condition: AnyCondition) -> Iterator[str]:
    match condition:
        case Condition():
            yield condition.field
        case AllOf():
            for each in condition.all:
                yield from _iter_paths(each)
        case AnyOf():
            for each in condition.any:
                yield from _iter_paths(each)
        case LogicCondition():
            yield from variables_of(condition.logic)
        case _:
            assert_never(condition)


def _path_fault(path: str) -> str:
    start, _, rest = path.partition(".")
    if start == "state" and rest:
        return f"write {rest!r} without 'state.'"
    if start == "data" and rest:
        return f"a data field is named without its groups: write {rest.rpartition('.')[2]!r}"
    if path.startswith("profile.decisions."):
        return f"write {path.removeprefix('profile.')!r} without 'profile.'"
    if not _PATH.fullmatch(path) or path in SECTIONS:
        return f"{path!r} is no path; use profile.x, decisions.x or the name of a data field"
    return ""


def _scalar(text: str, kind: str) -> Scalar:
    if not text:
        raise ValueError(f'{kind!r} needs a value; write "" for empty text')
    try:
        value = json.loads(text)
    except ValueError:
        if text[0] in '"[{':
            raise ValueError(f"{kind!r} has an unfinished value: {short_repr(text)}") from None
        return text
    if isinstance(value, dict | list):
        raise ValueError(f"{kind!r} takes single values, not {short_repr(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        return text
    scalar: Scalar = value
    return scalar


def _items(text: str) -> list[str]:
    if text.startswith("[") != text.endswith("]"):
        raise ValueError("'in' has a bracket that is not closed")
    rest = text[1:-1] if text.startswith("[") else text
    items: list[str] = []
    while True:
        match = _ITEM.match(rest)
        if match is None:
            raise ValueError(f"'in' has an unfinished value: {short_repr(rest.strip())}")
        items.append(match[1] or "")
        rest = rest[match.end() :]
        if not match[2]:
            return items

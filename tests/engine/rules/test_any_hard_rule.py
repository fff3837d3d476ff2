"""Whatever rule passes the check: it ends within its bounds, and changes and raises nothing."""

import copy
import json
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from types import FrameType
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rules.budget import MAX_WORK
from engine.rules.check import MAX_NODES, OPERATORS, check_logic
from engine.rules.evaluate import value_of
from engine.rules.hard import HardRule, HardRuleEngine, Violation
from tests.fakes.tries import tries

NAMES = ["a", "b", "a.b", "a.0", "a.9", "a.b.c", "访", "."]
WORDS = ["2026-01-31", "2026-02-29", "5", "", "肺炎", "👩🏽‍🔬", "{value}", "%d"]
NUMBERS = st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.sampled_from(WORDS) | st.text(max_size=4)
# As the check counts them: how few and how many operands each operator is given here.
SIZES = {
    **dict.fromkeys(["!", "!!"], (1, 1)),
    **dict.fromkeys(["==", "===", "!=", "!==", ">", ">=", "in", "/", "%"], (2, 2)),
    **dict.fromkeys(["date_before", "date_after", "days_between"], (2, 2)),
    **dict.fromkeys(["<", "<=", "substr"], (2, 3)),
    **dict.fromkeys(["and", "or", "min", "max", "cat", "merge"], (1, 20)),
    **dict.fromkeys(["if", "*"], (2, 20)),
    **dict.fromkeys(["number", "text", "date"], (1, 1)),
    "?:": (3, 3),
    "+": (1, 20),
    "-": (1, 2),
}
OVER_ALL = ["all", "some", "none", "filter", "map", "reduce"]
SEVERAL = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)
READS = st.one_of(
    st.sampled_from(NAMES).map(lambda name: {"var": name}),
    st.tuples(st.sampled_from(NAMES), NUMBERS | TEXTS).map(lambda both: {"var": list(both)}),
    SEVERAL.map(lambda names: {"missing": names}),
    SEVERAL.map(lambda names: {"missing_some": [len(names), names]}),
)
LITERALS = st.booleans() | NUMBERS | TEXTS
ODD = st.sampled_from(
    [float("nan"), float("inf"), 10**400, date(2026, 1, 31), datetime(2026, 1, 31, tzinfo=UTC), b""]
)
VALUES = st.recursive(
    st.none() | LITERALS | ODD,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(st.sampled_from(["b", "c", "0"]), inner)
    ),
    max_leaves=6,
)
DATA = st.dictionaries(st.sampled_from(["a", "b", "访"]), VALUES)


def plain_operations(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    one = inner | st.lists(inner, max_size=3)

    def of(name: str) -> st.SearchStrategy[dict[str, Any]]:
        low, high = SIZES[name]
        return st.lists(one, min_size=low, max_size=high).map(lambda each: {name: each})

    return st.sampled_from(sorted(SIZES)).flatmap(of)


def over_all(
    inner: st.SearchStrategy[Any], body: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    """List operators: what they go over and begin with is `inner`, their body may read an entry."""
    entries = inner | st.lists(inner, max_size=3)
    whole = st.tuples(entries, body, inner)
    return st.tuples(st.sampled_from(OVER_ALL), whole).map(
        lambda both: {both[0]: list(both[1][: 3 if both[0] == "reduce" else 2])}
    )


ENTRY_NAMES = ["", "b", "c", "$a", "$a.b", "current", "current.b", "accumulator"]
BODIES = st.recursive(
    st.sampled_from(ENTRY_NAMES).map(lambda name: {"var": name}) | LITERALS,
    lambda body: plain_operations(body) | over_all(body, body) | st.lists(body, max_size=2),
    max_leaves=6,
)


def operations(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return plain_operations(inner) | over_all(inner, BODIES)


def fitted(logic: Any, *, in_reduce: bool = False) -> Any:
    """A copy in which the bodies of `reduce` read only what they may.

    Hypothesis may give one object twice; a file never does.
    """
    if isinstance(logic, list):
        return [fitted(each, in_reduce=in_reduce) for each in logic]
    if not isinstance(logic, dict):
        return logic
    ((name, given),) = logic.items()
    if name == "var" and in_reduce and given in ("b", "c"):
        return {"var": f"current.{given}"}
    if name not in OVER_ALL:
        return {name: fitted(given, in_reduce=in_reduce)}
    inner = [fitted(given[1], in_reduce=name == "reduce")]
    first, *last = fitted([given[0], *given[2:]], in_reduce=in_reduce)
    return {name: [first, *inner, *last]}


RULES = operations(st.recursive(READS | LITERALS, operations, max_leaves=15)).map(fitted)


def parts(logic: Any) -> int:
    """How many parts a rule has, as the check counts them."""
    inner = logic.values() if isinstance(logic, dict) else logic if isinstance(logic, list) else ()
    return 1 + sum(map(parts, inner))


@contextmanager
def counted(function: Callable[..., Any]) -> Iterator[list[int]]:
    """How often it is called in the block."""
    calls, code = [0], function.__code__
    before = sys.getprofile()

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is code:
            calls[0] += 1

    sys.setprofile(look)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def run(logic: dict[str, Any], data: dict[str, Any]) -> tuple[Violation, ...]:
    rule = HardRule(field="a", logic=logic, message="{field}: {value}")
    return HardRuleEngine().run([rule], data, "en")


def test_every_operator_is_tried() -> None:
    assert {*SIZES, *OVER_ALL, "var", "missing", "missing_some"} == OPERATORS


@settings(max_examples=tries(80), deadline=None)
@given(RULES, DATA)
def test_a_checked_rule_ends_within_its_parts_and_leaves_rule_and_data_alone(
    logic: dict[str, Any], data: dict[str, Any]
) -> None:
    size = parts(logic)
    if size <= MAX_NODES:
        assert check_logic(logic) == []
    else:
        assert check_logic(logic) == [((), f"has more than {MAX_NODES} parts")]
        return
    before = repr(data), repr(logic)
    with counted(value_of) as calls:
        found = run(logic, data)
    assert 1 <= calls[0] <= size + MAX_WORK
    if not any(f'"{name}":' in json.dumps(logic) for name in OVER_ALL):
        assert calls[0] <= size
    assert len(found) in (0, 1)
    assert (repr(data), repr(logic)) == before
    assert repr(run(copy.deepcopy(logic), copy.deepcopy(data))) == repr(found)


@settings(max_examples=tries(20), deadline=None)
@given(st.lists(RULES, max_size=6), DATA)
def test_rules_do_not_touch_one_another(logics: list[dict[str, Any]], data: dict[str, Any]) -> None:
    rules = [
        HardRule(field=f"f{at}", logic=logic, message="x", severity="info")
        for at, logic in enumerate(logics)
        if parts(logic) <= MAX_NODES
    ]
    together = HardRuleEngine().run(rules, data, "zh")
    alone = [v for rule in reversed(rules) for v in HardRuleEngine().run([rule], data, "zh")]
    assert repr(together) == repr(tuple(reversed(alone)))


BRANCHES = st.recursive(
    READS | st.booleans() | operations(READS | LITERALS),
    lambda inner: (
        st.tuples(st.sampled_from(["and", "or"]), st.lists(inner, min_size=1, max_size=4)).map(
            lambda both: {both[0]: both[1]}
        )
        | st.tuples(st.sampled_from(["!", "!!"]), inner).map(lambda both: {both[0]: [both[1]]})
        | st.lists(inner, min_size=2, max_size=5).map(lambda parts: {"if": parts})
    ),
    max_leaves=8,
).map(fitted)


def shuffled(logic: Any, dice: random.Random) -> Any:
    """The same rule with the branches of each `and` and `or` in another order."""
    if isinstance(logic, list):
        return [shuffled(each, dice) for each in logic]
    if not isinstance(logic, dict):
        return logic
    ((name, operands),) = logic.items()
    if name not in ("and", "or", "if", "!", "!!"):
        # What a comparison reads of a branch is its value, and that is of the first that decides.
        return logic
    again = shuffled(operands if isinstance(operands, list) else [operands], dice)
    if name in ("and", "or"):
        dice.shuffle(again)
    return {name: again}


@settings(max_examples=tries(120), deadline=None)
@given(BRANCHES, DATA, st.randoms(use_true_random=False))
def test_the_order_of_branches_never_changes_what_comes_of_a_rule(
    logic: Any, data: dict[str, Any], dice: random.Random
) -> None:
    rule = {"!!": [logic]}
    if check_logic(rule) == []:
        assert repr(run(shuffled(rule, dice), data)) == repr(run(rule, data))


ENTRIES = st.lists(
    st.none() | st.integers(-3, 3) | st.sampled_from(["x", "1"]), min_size=1, max_size=5
)
TESTS = st.sampled_from(["<", "<=", "==", "!=", "===", "!=="])


@settings(max_examples=tries(80), deadline=None)
@given(ENTRIES, TESTS, st.integers(-3, 3), st.randoms(use_true_random=False))
def test_a_list_operator_answers_as_the_branches_written_out_in_any_order(
    entries: list[Any], test: str, bound: int, dice: random.Random
) -> None:
    body = {test: [{"var": ""}, bound]}
    branches = [{test: [{"var": f"a.{at}"}, bound]} for at in range(len(entries))]
    written_out = {"all": {"and": branches}, "some": {"or": branches}}
    written_out["none"] = {"!": [{"or": branches}]}
    for name, logic in written_out.items():
        dice.shuffle(entries)
        over, data = {name: [{"var": "a"}, body]}, {"a": entries}
        for rule, opposite in ((over, logic), ({"!": [over]}, {"!": [logic]})):
            assert run(rule, data) == run(opposite, data)


@settings(max_examples=tries(40), deadline=None)
@given(st.lists(st.integers(-3, 3), max_size=6), st.integers(-3, 3))
def test_lists_are_filtered_mapped_and_summed(entries: list[int], bound: int) -> None:
    above = {"filter": [{"var": "a"}, {">": [{"var": ""}, bound]}]}
    doubled = {"map": [above, {"*": [{"var": ""}, 2]}]}
    plus = {"+": [{"var": "accumulator"}, {"var": "current"}]}
    expected = [entry * 2 for entry in entries if entry > bound]
    data = {"a": entries, "b": expected, "c": sum(expected)}
    for rule in (
        {"==": [doubled, {"var": "b"}]},
        {"==": [{"reduce": [doubled, plus, 0]}, {"var": "c"}]},
    ):
        assert run(json.loads(json.dumps(rule)), data) == ()

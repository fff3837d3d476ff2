import copy
import time
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine.language import Bilingual
from engine.rules.check import check_logic
from engine.rules.engine import HardRule, HardRuleEngine, Violation

RECORD: dict[str, Any] = {
    "ecog": 1,
    "age": 40.0,
    "weight_kg": 61.5,
    "zero": 0,
    "huge": 10**400,
    "inf": float("inf"),
    "note": "轻度肺炎 🫁",
    "digits": "5",
    "blank": "",
    "nothing": None,
    "yes": True,
    "no": False,
    "enrolled": "2026-01-05",
    "visit": "2026-01-31",
    "day": date(2026, 1, 31),
    "moment": datetime(2026, 1, 31, 9, 0, tzinfo=UTC),
    "list": [1, "a", None],
    "empty": [],
    "group": {"inner": {"leaf": 7}},
}


def v(name: str) -> dict[str, Any]:
    return {"var": name}


def run(logic: dict[str, Any], data: dict[str, Any] = RECORD) -> tuple[Violation, ...]:
    rule = HardRule(field="ecog", logic=logic, message="not so")
    return HardRuleEngine().run([rule], data, "en")


def outcome(logic: dict[str, Any]) -> str:
    found = run(logic)
    return found[0].message if found else "passes"


PASSES: list[dict[str, Any]] = [
    {"and": [{">=": [v("age"), 18]}, {"<=": [v("age"), 75]}]},
    {"<=": [0, v("ecog"), 4]},
    {"<": [0, v("ecog"), 4]},
    {"==": [v("age"), 40]},
    {"===": [v("ecog"), 1.0]},
    {"!=": [v("ecog"), 2]},
    {"!==": [v("note"), "x"]},
    {"==": [v("yes"), True]},
    {"==": [v("list"), [1, "a", None]]},
    {"in": [v("ecog"), [0, 1, 2]]},
    {"in": [1.0, [0, 1, 2]]},
    {"in": ["肺炎", v("note")]},
    {"in": ["🫁", v("note")]},
    {"in": ["a", v("list")]},
    {"!": {"in": [5, [0, 1]]}},
    {"!": {"in": [5, v("empty")]}},
    {"!!": v("enrolled")},
    {"!": v("nothing")},
    {"!": v("never_heard_of")},
    {"!": v("blank")},
    {"!": {"missing": ["ecog", "age"]}},
    {"==": [{"missing": ["ecog", "nothing", "blank"]}, ["nothing", "blank"]]},
    {"!": {"missing_some": [1, ["nothing", "ecog"]]}},
    {"if": [{"missing": ["nothing"]}, True, {"<": [v("nothing"), 3]}]},
    {"or": [{"!": v("nothing")}, {"<": [v("nothing"), 3]}]},
    {"==": [{"var": ["nothing_here", 5]}, 5]},
    {"==": [v("group.inner.leaf"), 7]},
    {"==": [v("list.1"), "a"]},
    {"<=": [v("enrolled"), v("visit")]},
    {"date_before": [v("enrolled"), v("visit")]},
    {"date_after": [v("day"), v("enrolled")]},
    {"!": {"date_before": [v("visit"), v("day")]}},
    {"==": [{"days_between": [v("enrolled"), v("visit")]}, 26]},
    {"==": [{"days_between": [v("visit"), v("enrolled")]}, -26]},
    {"==": [{"+": [1, 2, v("weight_kg")]}, 64.5]},
    {"==": [{"-": [v("ecog")]}, -1]},
    {"==": [{"-": [5, v("ecog")]}, 4]},
    {"==": [{"*": [2, 3, 4]}, 24]},
    {"==": [{"/": [1, 2]}, 0.5]},
    {"==": [{"%": [7, 4]}, 3]},
    {"==": [{"min": [3, v("ecog"), 2.5]}, 1]},
    {"==": [{"max": [3, v("ecog"), 3.5]}, 3.5]},
    {"==": [{"cat": ["P", 3, "号"]}, "P3号"]},
    {"==": [{"substr": [v("note"), 2, 2]}, "肺炎"]},
    {"==": [{"substr": ["P003", -3]}, "003"]},
    {"==": [{"merge": [[1], 2, v("empty")]}, [1, 2]]},
    {">": [v("huge"), 5]},
]
NOT_SO: list[dict[str, Any]] = [
    {"<=": [v("age"), 18]},
    {"<": [0, v("ecog"), 1]},
    {"in": [v("ecog"), [2, 3]]},
    {"!!": v("nothing")},
    {"!!": v("zero")},
    {"<": [v("nothing"), 3]},
    {"<": [v("never_heard_of"), 3]},
    {"!": {"<": [v("nothing"), 3]}},
    {"!=": [v("nothing"), 3]},
    {"==": [v("nothing"), v("nothing")]},
    {"in": [v("nothing"), [1, 2]]},
    {"in": [1, v("nothing")]},
    {">": [{"+": [1, v("nothing")]}, 0]},
    {"!!": {"cat": ["a", v("nothing")]}},
    {"!!": {"min": [v("nothing"), 1]}},
    {"!!": {"substr": [v("nothing"), 1]}},
    {"date_before": [v("nothing"), v("visit")]},
    {"date_after": [v("visit"), v("never_heard_of")]},
    {"==": [{"var": "group.other.leaf"}, 7]},
    {"if": [False, True]},
]
FAILS: list[tuple[dict[str, Any], str]] = [
    *(
        ({name: [v("digits"), 6]}, "cannot compare text with a number")
        for name in ("<", "<=", ">", ">=", "===", "!==")
    ),
    *(
        ({"!!": {name: [v("digits"), 6]}}, "needs a number, not text")
        for name in ("-", "*", "/", "%", "min")
    ),
    ({"==": [v("digits"), 5]}, "cannot compare text with a number"),
    ({"!=": [v("digits"), 5]}, "cannot compare text with a number"),
    ({"!": {"==": [v("digits"), 5]}}, "cannot compare text with a number"),
    ({"==": [v("blank"), 0]}, "cannot compare text with a number"),
    ({"==": [v("yes"), 1]}, "cannot compare yes/no with a number"),
    ({"===": [v("no"), 0]}, "cannot compare yes/no with a number"),
    ({"==": [v("yes"), "true"]}, "cannot compare yes/no with text"),
    ({"<": [v("no"), v("yes")]}, "needs a number, not yes/no"),
    ({"<": [v("empty"), v("list")]}, "needs a number, not a list"),
    ({"<": [1, 2, v("digits")]}, "cannot compare a number with text"),
    ({"==": [v("visit"), v("day")]}, "cannot compare text with a date"),
    ({"in": [v("digits"), [5, 6]]}, "cannot compare text with a number"),
    ({"in": [v("yes"), [0, 1]]}, "cannot compare yes/no with a number"),
    ({"in": [5, v("note")]}, "needs text, not a number"),
    ({"in": [5, v("group")]}, "cannot compare a number with a mapping"),
    ({">": [{"+": [v("digits"), 1]}, 0]}, "needs a number, not text"),
    ({">": [{"+": [v("yes"), 1]}, 0]}, "needs a number, not yes/no"),
    ({">": [{"max": [v("list"), 1]}, 0]}, "needs a number, not a list"),
    ({"!!": {"cat": ["a", v("yes")]}}, "needs text, not yes/no"),
    ({"!!": {"substr": [v("ecog"), 1]}}, "needs text, not a number"),
    ({"!!": {"substr": ["abc", 1.5]}}, "the data does not have the shape it expects"),
    ({"!!": v("list.9")}, "the data does not have the shape it expects"),
    ({">": [{"/": [1, v("zero")]}, 0]}, "division by zero"),
    ({">": [{"%": [1, v("zero")]}, 0]}, "division by zero"),
    ({">": [{"*": [v("huge"), 1.5]}, 0]}, "a number is out of range"),
    ({"<": [v("inf"), 1]}, "a number is out of range"),
    ({">": [{"*": [1e300, 1e300]}, 0]}, "a number is out of range"),
    ({"date_before": [v("note"), v("visit")]}, "needs a date like 2026-01-31"),
    ({"date_before": ["20260101", v("visit")]}, "needs a date like 2026-01-31"),
    ({"date_before": ["2026-02-30", v("visit")]}, "needs a date like 2026-01-31"),
    ({"date_after": [v("moment"), v("visit")]}, "needs a date like 2026-01-31"),
    ({">": [{"days_between": [v("ecog"), v("visit")]}, 1]}, "needs a date like 2026-01-31"),
]


@pytest.mark.parametrize("logic", PASSES, ids=str)
def test_a_rule_passes_on_what_it_allows(logic: dict[str, Any]) -> None:
    assert outcome(logic) == "passes"


@pytest.mark.parametrize("logic", NOT_SO, ids=str)
def test_a_rule_that_does_not_hold_or_misses_an_operand_is_a_violation(
    logic: dict[str, Any],
) -> None:
    assert outcome(logic) == "not so"


@pytest.mark.parametrize(("logic", "reason"), FAILS, ids=str)
def test_a_rule_that_cannot_be_answered_says_why(logic: dict[str, Any], reason: str) -> None:
    assert outcome(logic) == f"rule failed: {reason}"


def test_all_rules_are_evaluated_in_order_and_none_stops_the_others() -> None:
    texts = Bilingual(zh="体重应小于 60", en="weight below 60")
    rules = [
        HardRule(field="digits", logic={"<": [v("digits"), 6]}, message="x", severity="info"),
        HardRule(field="ecog", logic={"<": [v("ecog"), 2]}, message="passes"),
        HardRule(field="weight_kg", logic={"<": [v("weight_kg"), 60]}, message=texts),
        HardRule(field="gone", logic={"<": [v("gone"), 2]}, message="给出", severity="warning"),
    ]
    assert HardRuleEngine().run(rules, RECORD, "zh") == (
        Violation(
            field="digits", message="规则无法执行：文本与数字不能比较", severity="info", value="5"
        ),
        Violation(field="weight_kg", message="体重应小于 60", severity="error", value=61.5),
        Violation(field="gone", message="给出", severity="warning", value=None),
    )
    assert HardRuleEngine().run(rules, RECORD, "en")[1].message == "weight below 60"


def test_no_rules_and_no_data_are_fine() -> None:
    assert HardRuleEngine().run([], {}, "en") == ()
    assert run({"<": [v("ecog"), 2]}, {})[0].value is None


def test_data_that_looks_like_a_rule_is_only_data() -> None:
    data = {"a": {"method": ["", "__class__"]}, "b": {"var": "a"}}
    assert run({"==": [v("a"), v("b")]}, data)[0].message == "not so"
    assert run({"if": [True, {"!!": v("a")}, False]}, data) == ()


def test_data_nested_without_end_fails_one_rule_only() -> None:
    endless: list[Any] = []
    endless.append(endless)
    twin: list[Any] = []
    twin.append(twin)
    found = run({"==": [v("a"), v("b")]}, {"a": endless, "b": twin})
    assert found[0].message == "rule failed: the data does not have the shape it expects"


def test_a_hundred_rules_take_well_under_100_ms() -> None:
    logic = {"and": [{">=": [v("ecog"), 0]}, {"<=": [v("ecog"), 4]}, {"in": [v("ecog"), [0, 1]]}]}
    rules = [HardRule(field="ecog", logic=copy.deepcopy(logic), message="x") for _ in range(100)]
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        assert HardRuleEngine().run(rules, RECORD, "en") == ()
        taken.append(time.perf_counter() - start)
    assert min(taken) < 0.1


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["2026-01-31", "5", "a.b"]),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
NAMES = ["a", "b", "a.b", "a.0", "c"]
ONE = ["!", "!!", "-", "merge", "min", "max", "cat"]
TWO = ["==", "===", "!=", "!==", "<", "<=", ">", ">=", "in", "+", "-", "*", "/", "%", "substr"]
TWO += ["date_before", "date_after", "days_between", "and", "or", "if", "merge", "min", "cat"]
NAMED = st.sampled_from(NAMES).map(v) | st.lists(st.sampled_from(NAMES), min_size=1).map(
    lambda names: {"missing": names}
)


def operation(names: list[str], inner: st.SearchStrategy[Any], size: int) -> Any:
    operands = st.lists(inner, min_size=size, max_size=size)
    return st.builds(lambda name, each: {name: each}, st.sampled_from(names), operands)


def operations(inner: st.SearchStrategy[Any]) -> Any:
    return operation(ONE, inner, 1) | operation(TWO, inner, 2) | operation(["if", "<"], inner, 3)


RULES = operations(st.recursive(NAMED | LEAVES, operations, max_leaves=12))
DATA = st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(RULES, DATA)
def test_any_checked_rule_ends_and_leaves_the_data_alone(
    logic: dict[str, Any], data: dict[str, Any]
) -> None:
    logic = copy.deepcopy(logic)
    assume(not check_logic(logic, variables=None))
    before, rule_before = repr(data), repr(logic)
    found = run(logic, data)
    assert len(found) in (0, 1)
    assert (repr(data), repr(logic)) == (before, rule_before)
    assert run(logic, data) == found or "nan" in before

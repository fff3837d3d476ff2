import copy
import re
import time
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from engine.rules.hard import HardRule, HardRuleEngine, Violation
from engine.text.language import LocalizedText
from tests.fakes.tables import table

RECORD: dict[str, Any] = {"ecog": 1, "weight_kg": 61.5, "digits": "5", "nothing": None}


def v(name: str) -> dict[str, Any]:
    return {"var": name}


def run(logic: dict[str, Any], data: dict[str, Any] = RECORD) -> tuple[Violation, ...]:
    rule = HardRule(field="ecog", logic=logic, message="not so")
    return HardRuleEngine().run([rule], data, "en")


def test_all_rules_are_evaluated_in_order_and_none_stops_the_others() -> None:
    texts = LocalizedText(zh="体重应小于 60", en="weight below 60")
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


def endless() -> list[Any]:
    inside: list[Any] = []
    inside.append(inside)
    return inside


def deep() -> list[Any]:
    inside: list[Any] = []
    for _ in range(100_000):
        inside = [inside]
    return inside


@table("nested", [endless, deep])
@table(
    "logic",
    [
        {"==": [v("a"), v("b")]},
        {"!=": [v("a"), v("b")]},
        {"in": [v("a"), {"merge": [[v("b")]]}]},
        {"or": [{"==": [v("a"), v("b")]}, False]},
        {"!": {"and": [True, {"===": [v("b"), v("a")]}]}},
    ],
)
def test_data_nested_without_end_is_told_and_fails_one_rule_only(
    logic: dict[str, Any], nested: Callable[[], list[Any]]
) -> None:
    rules = [
        HardRule(field="a", logic=logic, message="not so"),
        HardRule(field="ecog", logic={"<": [v("ecog"), 1]}, message="too high"),
    ]
    found = HardRuleEngine().run(rules, {"a": nested(), "b": nested(), "ecog": 2}, "en")
    told = "rule failed: the data does not have the shape it expects"
    assert [violation.message for violation in found] == [told, "too high"]


TOLD = LocalizedText(zh="{field}是 {value}，应小于 60", en="{field} is {value}, not below 60")


@pytest.mark.parametrize(
    ("value", "en"),
    [
        (61.5, "weight is 61.5, not below 60"),
        (62.0, "weight is 62, not below 60"),
        (None, "weight is —, not below 60"),
        ("", "weight is —, not below 60"),
        (True, "weight is yes, not below 60"),
        (date(2026, 1, 31), "weight is 2026-01-31, not below 60"),
        ("*two*\n# {field} lines", "weight is *two* # {field} lines, not below 60"),
        ("6" * 81, f"weight is {'6' * 79}…, not below 60"),
        pytest.param(10**5000, "weight is a number, not below 60", id="huge"),
        ([60, 61], "weight is a list, not below 60"),
        ({"kg": 61}, "weight is a mapping, not below 60"),
        ({"value": 120, "currency": "EUR"}, "weight is 120.00 EUR, not below 60"),
        (b"61", "weight is something else, not below 60"),
    ],
)
def test_a_message_quotes_the_field_and_its_value_as_plain_text(value: Any, en: str) -> None:
    rule = HardRule(field="weight_kg", logic={"==": [1, 2]}, message=TOLD)
    labels = {"weight_kg": "weight"}
    found = HardRuleEngine().run([rule], {"weight_kg": value}, "en", label=labels.__getitem__)
    assert found[0].message == en


def test_a_message_quotes_in_the_language_of_the_person() -> None:
    rule = HardRule(field="ok", logic={"==": [1, 2]}, message=TOLD)
    found = HardRuleEngine().run([rule], {"ok": False}, "zh")
    assert found[0].message == "ok是 否，应小于 60"


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("below {valeu}", "nothing fills {valeu}; did you mean 'value'?"),
        (
            "below {limit}",
            "nothing fills {limit}; known here: approver, approvers, case, field, project,"
            " requester, today, value",
        ),
        (
            "below {}",
            "nothing fills {}; known here: approver, approvers, case, field, project, requester,"
            " today, value",
        ),
        ({"zh": "小于 60", "en": "{Field}"}, "en: nothing fills {Field}; did you mean 'field'?"),
        ({"zh": "{value.real}", "en": "x"}, "zh: nothing fills {value.real}; did you mean"),
    ],
)
def test_a_message_with_a_placeholder_that_nothing_fills_is_refused(
    message: Any, problem: str
) -> None:
    rule = {"field": "a", "logic": {"==": [1, 2]}, "message": message}
    with pytest.raises(ValidationError, match=re.escape(problem)):
        HardRule.model_validate(rule)


def test_a_brace_alone_is_text() -> None:
    rule = HardRule(field="a", logic={"==": [1, 2]}, message="a } and then {")
    assert HardRuleEngine().run([rule], {}, "en")[0].message == "a } and then {"


def test_a_hundred_rules_take_well_under_100_ms() -> None:
    logic = {"and": [{">=": [v("ecog"), 0]}, {"<=": [v("ecog"), 4]}, {"in": [v("ecog"), [0, 1]]}]}
    rules = [HardRule(field="ecog", logic=copy.deepcopy(logic), message="x") for _ in range(100)]
    taken = []
    for _ in range(5):
        start = time.thread_time()
        assert HardRuleEngine().run(rules, RECORD, "en") == ()
        taken.append(time.thread_time() - start)
    assert min(taken) < 0.1

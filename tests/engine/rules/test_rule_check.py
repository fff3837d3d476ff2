from typing import Any

import pytest
from pydantic import ValidationError

from engine.errors import DefinitionError
from engine.rules.check import MAX_DEPTH, MAX_NODES, OPERATORS, check_logic, variables_of
from engine.rules.hard import HardRule
from engine.yaml.source import read_yaml
from tests.fakes.building import build

ECOG = {"var": "ecog"}


def nested(depth: int) -> dict[str, Any]:
    logic: dict[str, Any] = {"!": [ECOG]}
    for _ in range(depth):
        logic = {"!": logic}
    return logic


@pytest.mark.parametrize(
    "logic",
    [
        {"and": [{">=": [{"var": "ecog"}, 0]}, {"<=": [ECOG, 4]}]},
        {"<=": [0, ECOG, 4]},
        {"!!": ECOG},
        {"!": [ECOG]},
        {"in": [ECOG, [0, 1, 2]]},
        {"in": ["肺炎", {"var": ["history", ""]}]},
        {"if": [{"missing": ["ecog"]}, True, {"<": [ECOG, 3]}]},
        {"!": {"missing": [["ecog", "weight_kg"]]}},
        {"!": {"missing": "ecog"}},
        {"!": {"missing_some": [1, ["ecog", "weight_kg"]]}},
        {"<": [{"days_between": [{"var": "a"}, "2026-01-31"]}, 28]},
        {"==": [{"substr": [{"cat": ["P", 3]}, 0, 1]}, "P"]},
        {"in": [1, {"merge": [[1], 2]}]},
        {"==": [{"%": [{"max": [{"-": 1}, {"+": [1, 2]}]}, 2]}, 1.5]},
    ],
)
def test_an_allowed_rule_has_no_fault(logic: dict[str, Any]) -> None:
    assert check_logic(logic, variables=None) == []


@pytest.mark.parametrize(
    ("logic", "path", "message"),
    [
        ({"method": ["", "__class__"]}, (), "unknown operator 'method'"),
        ({"datetime.datetime.now": []}, (), "unknown operator 'datetime.datetime.now'"),
        ({"==.__globals__.get": ["x"]}, (), "unknown operator '==.__globals__.get'"),
        ({".": []}, (), "unknown operator '.'"),
        ({"log": [ECOG]}, (), "unknown operator 'log'"),
        ({"count": [1, 2]}, (), "unknown operator 'count'"),
        ({"?:": [1, 2, 3]}, (), "unknown operator '?:'"),
        *(
            ({name: [[1], ECOG]}, (), f"unknown operator {name!r}")
            for name in ("all", "some", "none", "filter", "reduce")
        ),
        ({"map": [[1], ECOG]}, (), "unknown operator 'map'; did you mean 'max'?"),
        ({"mising": ["a"]}, (), "unknown operator 'mising'; did you mean 'missing'?"),
        ({1: [2]}, (), "unknown operator 1"),
        ({}, (), "should have exactly one operator, not 0"),
        ({">": [1, 2], "<": [1, 2]}, (), "should have exactly one operator, not 2"),
        ({"in": [1, {"a": 1, "b": 2}]}, ("in", 1), "should have exactly one operator, not 2"),
        ([], (), "a rule is a mapping of one operator to its operands"),
        (True, (), "a rule is a mapping of one operator to its operands"),
        ({"!": []}, ("!",), "'!' takes 1 operand, not 0"),
        ({">": [1, 2, 3]}, (">",), "'>' takes 2 operands, not 3"),
        ({"==": ECOG}, ("==",), "'==' takes 2 operands, not 1"),
        ({"<": [1, 2, 3, 4]}, ("<",), "'<' takes 2 to 3 operands, not 4"),
        ({"if": [1]}, ("if",), "'if' takes 2 or more operands, not 1"),
        ({"==": [ECOG, None]}, ("==",), "null never passes '=='; use 'missing'"),
        ({"+": [None, 1]}, ("+",), "null never passes '+'; use 'missing'"),
        ({"var": ""}, ("var",), "'var' takes names written out, not expressions"),
        ({"var": 0}, ("var",), "'var' takes names written out, not expressions"),
        (
            {"var": [{"cat": ["a", "b"]}]},
            ("var",),
            "'var' takes names written out, not expressions",
        ),
        (
            {"missing": {"merge": ["a"]}},
            ("missing",),
            "'missing' takes names written out, not expressions",
        ),
        (
            {"missing_some": [3, ["ecog", "weight_kg"]]},
            ("missing_some",),
            "'missing_some' takes how many are needed, then a list of names",
        ),
        (
            {"missing_some": [True, ["ecog", "weight_kg"]]},
            ("missing_some",),
            "'missing_some' takes how many are needed, then a list of names",
        ),
        (
            {"and": [True, {"<": [{"var": "ecgo"}, 1]}]},
            ("and", 1, "<", 0, "var"),
            "unknown name 'ecgo'; did you mean 'ecog'?",
        ),
        ({"missing": ["ecog", "xyz"]}, ("missing",), "unknown name 'xyz'"),
        ({"<": [float("nan"), 1]}, ("<", 0), "should be a finite number"),
        ({"<": [b"x", 1]}, ("<", 0), "a rule cannot hold a bytes"),
        ({"in": [1, (1, 2)]}, ("in", 1), "a rule cannot hold a tuple"),
        ({"and": [True] * MAX_NODES}, (), f"has more than {MAX_NODES} parts"),
    ],
)
def test_a_hostile_or_mistaken_rule_is_refused(
    logic: object, path: tuple[str | int, ...], message: str
) -> None:
    assert check_logic(logic, variables={"ecog", "weight_kg"}) == [(path, message)]


def test_every_fault_of_a_rule_is_told() -> None:
    logic = {"and": [{"method": []}, {"var": "ecgo"}, {"==": [1]}]}
    assert check_logic(logic, variables=["ecog"]) == [
        (("and", 0), "unknown operator 'method'"),
        (("and", 1, "var"), "unknown name 'ecgo'; did you mean 'ecog'?"),
        (("and", 2, "=="), "'==' takes 2 operands, not 1"),
    ]


def test_depth_is_limited() -> None:
    assert check_logic(nested(MAX_DEPTH - 3), variables=None) == []
    faults = check_logic(nested(MAX_DEPTH - 2), variables=None)
    assert [message for _, message in faults] == [f"is nested deeper than {MAX_DEPTH} levels"]
    assert check_logic(nested(900), variables=None)


def test_the_largest_allowed_rule_passes() -> None:
    assert check_logic({"and": [True] * (MAX_NODES - 2)}, variables=None) == []
    assert check_logic({"and": [True] * (MAX_NODES - 1)}, variables=None)


def test_shared_and_cyclic_structures_are_refused() -> None:
    shared = {"<": [ECOG.copy(), 4]}
    cyclic: dict[str, Any] = {"and": [True]}
    cyclic["and"].append(cyclic)
    message = "stands in the rule twice (shared or cyclic)"
    assert check_logic({"and": [shared, shared]}, variables=None) == [(("and", 1), message)]
    assert check_logic(cyclic, variables=None) == [(("and", 1), message)]


def test_no_allowed_operator_reaches_python_attributes() -> None:
    assert not OPERATORS & {"method", "log", "map", "filter", "reduce", "all", "some", "none"}
    assert not any("." in operator for operator in OPERATORS)


def test_the_names_a_rule_reads_are_known() -> None:
    logic = {
        "if": [
            {"missing": [["b", "a"]]},
            {"missing_some": [1, ["c", "a"]]},
            {"in": [{"var": ["d", {"var": "e"}]}, [1, {"var": "profile.x"}]]},
        ]
    }
    assert variables_of(logic) == ("b", "a", "c", "d", "e", "profile.x")


def test_a_rule_that_fails_the_check_cannot_become_a_model() -> None:
    with pytest.raises(ValidationError, match="unknown operator 'method'"):
        HardRule(field="ecog", logic={"method": ["", "__class__"]}, message="x")


def test_a_bad_rule_in_a_file_is_told_with_its_line() -> None:
    text = (
        "field: ecog\nmessage: {zh: 值, en: v}\nlogic:\n  and:\n  - '!!': {var: ecog}\n  - log: 1"
    )
    with pytest.raises(DefinitionError) as caught:
        build(HardRule, read_yaml(text, file="sop.yaml"))
    assert caught.value.problems == ("sop.yaml:6: logic.and.1: unknown operator 'log'",)

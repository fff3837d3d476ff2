from typing import Any

import pytest
from pydantic import ValidationError

from engine.errors import DefinitionError
from engine.rules.check import MAX_DEPTH, MAX_NODES, OPERATORS, check_logic, variables_of
from engine.rules.hard import HardRule
from engine.rules.names import RuleNames
from engine.rules.operand_checks import operand_faults
from engine.yaml.source import read_yaml
from tests.fakes.building import build
from tests.fakes.tables import table

ECOG = {"var": "ecog"}


def only(*names: str) -> RuleNames:
    return RuleNames(dict.fromkeys(names, ""))


def nested(depth: int) -> dict[str, Any]:
    logic: dict[str, Any] = {"!": [ECOG]}
    for _ in range(depth):
        logic = {"!": logic}
    return logic


@table(
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
    assert check_logic(logic) == []


@table(
    ("logic", "path", "message"),
    [
        ({"method": ["", "__class__"]}, (), "unknown operator 'method'"),
        ({"datetime.datetime.now": []}, (), "unknown operator 'datetime.datetime.now'"),
        ({"==.__globals__.get": ["x"]}, (), "unknown operator '==.__globals__.get'"),
        ({".": []}, (), "unknown operator '.'"),
        ({"log": [ECOG]}, (), "unknown operator 'log'"),
        ({"count": [1, 2]}, (), "unknown operator 'count'"),
        ({"?:": [1, 2]}, ("?:",), "'?:' takes 3 operands, not 2"),
        ({"all": ECOG}, ("all",), "'all' takes 2 operands, not 1"),
        ({"reduce": [ECOG, 1]}, ("reduce",), "'reduce' takes 3 operands, not 2"),
        ({"map": [ECOG, None]}, ("map",), "null never passes 'map'; use 'missing'"),
        ({"none": [1, 2, 3]}, ("none",), "'none' takes 2 operands, not 3"),
        ({"number": []}, ("number",), "'number' takes 1 operand, not 0"),
        ({"+": []}, ("+",), "'+' takes 1 or more operands, not 0"),
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
    assert check_logic(logic, only("ecog", "weight_kg")) == [(path, message)]


LINES = RuleNames(
    {"lines": "list", "limit": "number", "name": "text", "day": "date", "total": "money"},
    {"lines": {"sku": "text", "qty": "integer", "due": "date"}},
)
QTY = {"var": "qty"}


@table(
    "logic",
    [
        {"all": [{"var": "lines"}, {"<=": [QTY, {"var": "$limit"}]}]},
        {"some": [{"filter": [{"var": "lines"}, {"!!": {"var": "sku"}}]}, {">": [QTY, 1]}]},
        {"none": [{"map": [{"var": "lines"}, QTY]}, {"==": [{"var": ""}, 0]}]},
        {
            ">": [
                {
                    "reduce": [
                        {"var": "lines"},
                        {"+": [{"var": "accumulator"}, {"var": "current.qty"}]},
                        0,
                    ]
                },
                1,
            ]
        },
        {"all": [{"var": "lines"}, {"none": [{"var": "$lines"}, {"==": [{"var": "sku"}, "x"]}]}]},
        {"all": [[1, 2], {"in": [{"var": ""}, [{"var": "$limit"}, 3]]}]},
        {"<": [{"var": "total.value"}, {"var": "limit"}]},
        {"==": [{"var": "total.currency"}, "USD"]},
        {"===": [{"var": "name"}, 5]},
        {"<": [{"number": {"var": "name"}}, {"+": {"var": "limit"}}]},
        {"==": [{"text": {"var": "limit"}}, {"var": "name"}]},
        {"date_before": [{"date": {"var": "name"}}, {"var": "day"}]},
        {"<": [{"?:": [{"!!": {"var": "name"}}, 1, 2]}, {"var": "limit"}]},
    ],
    ids=str,
)
def test_names_and_kinds_are_known_inside_of_lists_too(logic: dict[str, Any]) -> None:
    assert check_logic(logic, LINES) == []
    assert operand_faults(logic, LINES) == []


@table(
    ("logic", "path", "message"),
    [
        (
            {"all": [{"var": "lines"}, {"<": [{"var": "qyt"}, 1]}]},
            ("all", 1, "<", 0, "var"),
            "unknown name 'qyt'; did you mean 'qty'?",
        ),
        (
            {"all": [{"var": "lines"}, {"!!": {"var": "limit"}}]},
            ("all", 1, "!!", "var"),
            "unknown name 'limit'",
        ),
        (
            {"some": [{"filter": [{"var": "lines"}, True]}, {"!!": {"var": "$limt"}}]},
            ("some", 1, "!!", "var"),
            "unknown name '$limt'; did you mean 'limit'?",
        ),
        (
            {"reduce": [{"var": "lines"}, {"max": [{"var": "current.qt"}]}, 0]},
            ("reduce", 1, "max", 0, "var"),
            "unknown name 'qt' in 'current'; did you mean 'qty'?",
        ),
        ({"reduce": [{"var": "lines"}, QTY, 0]}, ("reduce", 1, "var"), "unknown name 'qty'"),
        (
            {"!!": {"var": "limit.value"}},
            ("!!", "var"),
            "'limit' is of type number and has no 'value' in it",
        ),
        (
            {"!!": {"var": "total.valeu"}},
            ("!!", "var"),
            "unknown name 'valeu' in 'total'; did you mean 'value'?",
        ),
    ],
    ids=str,
)
def test_an_unknown_name_in_a_list_is_told_where_it_stands(
    logic: dict[str, Any], path: tuple[str | int, ...], message: str
) -> None:
    assert check_logic(logic, LINES) == [(path, message)]


@table(
    ("logic", "path", "message"),
    [
        ({"all": [{"var": "limit"}, True]}, ("all", 0), "'all' takes a list, and this is a number"),
        ({"+": [1, {"!!": QTY}]}, ("+", 1), "'+' takes a number, and this is yes/no"),
        (
            {"max": {"map": [{"var": "lines"}, QTY]}},
            ("max",),
            "'max' takes a number, and this is a list",
        ),
        (
            {"some": [{"var": "lines"}, {"<": [QTY, "3"]}]},
            ("some", 1, "<", 1),
            "'<' cannot compare a number with text; cast one with number or text",
        ),
        (
            {"some": [{"var": "lines"}, {"==": [{"var": "due"}, 3]}]},
            ("some", 1, "==", 1),
            "should be a date like 2026-01-31, not 3",
        ),
        (
            {"<": [{"var": "total"}, 3]},
            ("<", 1),
            "'<' cannot compare a value with parts with a number",
        ),
        ({"<": [{"var": "lines"}, {"var": "lines"}]}, ("<", 0), "'<' puts a list in no order"),
        (
            {"number": [{"var": "lines"}]},
            ("number", 0),
            "'number' takes a number or text, and this is a list",
        ),
    ],
    ids=str,
)
def test_an_operand_of_a_kind_that_never_fits_is_told_where_it_stands(
    logic: dict[str, Any], path: tuple[str | int, ...], message: str
) -> None:
    assert operand_faults(logic, LINES) == [(path, message)]


def test_every_fault_of_a_rule_is_told() -> None:
    logic = {"and": [{"method": []}, {"var": "ecgo"}, {"==": [1]}]}
    assert check_logic(logic, only("ecog")) == [
        (("and", 0), "unknown operator 'method'"),
        (("and", 1, "var"), "unknown name 'ecgo'; did you mean 'ecog'?"),
        (("and", 2, "=="), "'==' takes 2 operands, not 1"),
    ]


def test_depth_is_limited() -> None:
    assert check_logic(nested(MAX_DEPTH - 3)) == []
    faults = check_logic(nested(MAX_DEPTH - 2))
    assert [message for _, message in faults] == [f"is nested deeper than {MAX_DEPTH} levels"]
    assert check_logic(nested(900))


def test_the_largest_allowed_rule_passes() -> None:
    assert check_logic({"and": [True] * (MAX_NODES - 2)}) == []
    assert check_logic({"and": [True] * (MAX_NODES - 1)})


def test_shared_and_cyclic_structures_are_refused() -> None:
    shared = {"<": [ECOG.copy(), 4]}
    cyclic: dict[str, Any] = {"and": [True]}
    cyclic["and"].append(cyclic)
    message = "stands in the rule twice (shared or cyclic)"
    assert check_logic({"and": [shared, shared]}) == [(("and", 1), message)]
    assert check_logic(cyclic) == [(("and", 1), message)]


def test_no_allowed_operator_reaches_python_attributes() -> None:
    assert not OPERATORS & {"method", "log", "count"}
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

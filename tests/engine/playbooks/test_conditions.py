from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from cards.frozen import Frozen
from engine.errors import DefinitionError
from engine.playbooks.conditions import (
    AllOf,
    AnyCondition,
    AnyOf,
    Condition,
    LogicCondition,
    ParsedCheck,
    explain,
    holds,
    parse_check,
    paths_of,
    validate_path,
    value_at,
)
from engine.yaml.source import read_yaml
from tests.fakes.building import build
from tests.fakes.tables import table

STATE: dict[str, Any] = {
    "profile": {
        "check_status": "failed",
        "flag": True,
        "text_flag": "true",
        "count": 5,
        "text_count": "5",
        "plaintiff": {"name": "Zhang"},
        "off": False,
        "zero": 0,
        "blank": " \n",
    },
    "decisions": {"visit_approved": None},
    "data": {"ecog": 2, "notes": [], "history": {}, "subject_id": "P003"},
}


def met(field: str, check: str) -> bool:
    return holds(Condition(field=field, check=check), STATE)


@table(
    ("text", "check"),
    [
        ("empty", ParsedCheck("empty")),
        (" not_empty ", ParsedCheck("not_empty")),
        ("equals:completed", ParsedCheck("equals", ("completed",))),
        ("equals: two words ", ParsedCheck("equals", ("two words",))),
        ("equals:true", ParsedCheck("equals", (True,))),
        ("equals:null", ParsedCheck("equals", (None,))),
        ("equals:5", ParsedCheck("equals", (5,))),
        ("equals:-1.5", ParsedCheck("equals", (-1.5,))),
        ('equals:"5"', ParsedCheck("equals", ("5",))),
        ('equals:""', ParsedCheck("equals", ("",))),
        ("equals:a:b", ParsedCheck("equals", ("a:b",))),
        ("equals:True", ParsedCheck("equals", ("True",))),
        ("equals:NaN", ParsedCheck("equals", ("NaN",))),
        ("equals:1e999", ParsedCheck("equals", ("1e999",))),
        ("not_equals:已完成", ParsedCheck("not_equals", ("已完成",))),
        ("in:[a, 2, true]", ParsedCheck("in", ("a", 2, True))),
        ("in:a,b", ParsedCheck("in", ("a", "b"))),
        ("in: a ", ParsedCheck("in", ("a",))),
        ('in:["a, b", "c\\"]"]', ParsedCheck("in", ("a, b", 'c"]'))),
    ],
)
def test_a_check_is_parsed(text: str, check: ParsedCheck) -> None:
    parsed = parse_check(text)
    assert parsed == check
    assert [type(value) for value in parsed.values] == [type(value) for value in check.values]


@table(
    ("text", "sentence"),
    [
        ("equal:1", "unknown check 'equal'; did you mean 'equals'?"),
        ("x", "unknown check 'x'; known here: empty, equals, in, not_empty, not_equals"),
        ("", "unknown check ''; known here: empty, equals, in, not_empty, not_equals"),
        ("equals", "'equals' needs a value; write \"\" for empty text"),
        ("not_equals: ", "'not_equals' needs a value; write \"\" for empty text"),
        ("empty:1", "'empty' takes no value"),
        ("not_empty:", "'not_empty' takes no value"),
        ('equals:"a', "'equals' has an unfinished value: '\"a'"),
        ("equals:[1]", "'equals' takes single values, not a list"),
        ("equals:{}", "'equals' takes single values, not a mapping"),
        ("in:", "'in' needs a value; write \"\" for empty text"),
        ("in:[]", "'in' needs a value; write \"\" for empty text"),
        ("in:a,,b", "'in' needs a value; write \"\" for empty text"),
        ("in:a,", "'in' needs a value; write \"\" for empty text"),
        ("in:[a", "'in' has a bracket that is not closed"),
        ("in:a]", "'in' has a bracket that is not closed"),
        ('in:a,"b', "'in' has an unfinished value: '\"b'"),
        ("in:[[1], 2]", "'in' takes single values, not a list"),
    ],
)
def test_a_bad_check_is_told_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        parse_check(text)
    assert str(caught.value) == sentence


@given(
    st.text()
    | st.sampled_from(["equals:", "in:", "in:["]).flatmap(lambda s: st.text().map(s.__add__))
)
def test_any_text_is_a_check_or_a_value_error(text: str) -> None:
    try:
        assert isinstance(parse_check(text), ParsedCheck)
    except ValueError as error:
        message = str(error)
        assert message


@table(
    ("field", "check", "result"),
    [
        ("profile.check_status", "equals:failed", True),
        ("profile.check_status", "equals:passed", False),
        ("profile.check_status", "equals:Failed", False),
        ("profile.flag", "equals:true", True),
        ("profile.flag", "equals:1", False),
        ("profile.flag", 'equals:"true"', False),
        ("profile.text_flag", "equals:true", False),
        ("profile.text_flag", 'equals:"true"', True),
        ("profile.count", "equals:5", True),
        ("profile.count", "equals:5.0", True),
        ("profile.count", 'equals:"5"', False),
        ("profile.text_count", "equals:5", False),
        ("profile.zero", "equals:false", False),
        ("profile.off", "equals:0", False),
        ("profile.plaintiff.name", "equals:Zhang", True),
        ("profile.plaintiff.name.x", "equals:null", True),
        ("decisions.visit_approved", "equals:null", True),
        ("decisions.missing", "equals:null", True),
        ("decisions.missing", "not_equals:failed", True),
        ("profile.check_status", "not_equals:failed", False),
        ("profile.text_count", "not_equals:5", True),
        ("ecog", "in:[0, 1, 2]", True),
        ("ecog", "in:0,1", False),
        ("ecog", 'in:"2"', False),
        ("subject_id", "in:P001,P003", True),
        ("missing", "in:a,null", True),
        ("missing", "empty", True),
        ("profile.blank", "empty", True),
        ("notes", "empty", True),
        ("history", "empty", True),
        ("profile.zero", "empty", False),
        ("profile.off", "empty", False),
        ("ecog", "not_empty", True),
        ("notes", "not_empty", False),
        ("check_status", "not_empty", False),
    ],
)
def test_a_condition_holds_exactly(field: str, check: str, result: bool) -> None:
    assert met(field, check) is result


def test_a_state_without_sections_holds_nothing() -> None:
    for field in ("profile.x", "decisions.x", "x"):
        assert holds(Condition(field=field, check="empty"), {})
        assert value_at(field, {}) is None


PASSED = Condition(field="profile.check_status", check="equals:passed")
FAILED = Condition(field="profile.check_status", check="equals:failed")
ECOG = Condition(field="ecog", check="in:1,2")
LOGIC = LogicCondition(
    logic={"and": [{"==": [{"var": "profile.count"}, 5]}, {"<": [{"var": "ecog"}, 3]}]}
)
MISSING = LogicCondition(logic={"!": {"<": [{"var": "decisions.score"}, 3]}})
MIXED = LogicCondition(logic={"<": [{"var": "profile.text_count"}, 9]})


@table(
    ("condition", "result", "reason"),
    [
        (PASSED, False, "profile.check_status is 'failed', wants equals:passed"),
        (FAILED, True, "profile.check_status is 'failed', meets equals:failed"),
        (AllOf(all=(FAILED, ECOG)), True, f"{explain(FAILED, STATE)} and ecog is 2, meets in:1,2"),
        (AllOf(all=(FAILED, PASSED, ECOG)), False, explain(PASSED, STATE)),
        (AnyOf(any=(PASSED, ECOG)), True, "ecog is 2, meets in:1,2"),
        (
            AnyOf(any=(PASSED, AllOf(all=(PASSED,)))),
            False,
            f"none of: {explain(PASSED, STATE)}; {explain(PASSED, STATE)}",
        ),
        (LOGIC, True, "logic holds (profile.count is 5, ecog is 2)"),
        (MISSING, False, "logic does not hold (decisions.score is null)"),
        (
            MIXED,
            False,
            "logic rule failed: cannot compare text with a number (profile.text_count is '5')",
        ),
    ],
)
def test_conditions_combine_and_say_why(condition: AnyCondition, result: bool, reason: str) -> None:
    assert holds(condition, STATE) is result
    assert explain(condition, STATE) == reason


def test_the_paths_read_are_known() -> None:
    condition = AllOf(all=(FAILED, AnyOf(any=(ECOG, LOGIC, PASSED)), MISSING))
    assert paths_of(condition) == (
        "profile.check_status",
        "ecog",
        "profile.count",
        "decisions.score",
    )


def test_every_kind_is_read_back_from_json() -> None:
    adapter: TypeAdapter[AnyCondition] = TypeAdapter(AnyCondition)
    condition = AllOf(all=(FAILED, AnyOf(any=(ECOG, LOGIC))))
    assert adapter.validate_json(adapter.dump_json(condition)) == condition


@table(
    ("path", "sentence"),
    [
        ("state.profile.x", "write 'profile.x' without 'state.'"),
        ("data.evidence.list", "a data field is named without its groups: write 'list'"),
        ("data.ecog", "a data field is named without its groups: write 'ecog'"),
        ("profile.decisions.x", "write 'decisions.x' without 'profile.'"),
        *(
            (path, f"{path!r} is no path; use profile.x, decisions.x or the name of a data field")
            for path in ("", "profile", "decisions", "profile.", "profile..x", "1a", "a b")
        ),
    ],
)
def test_a_path_of_another_form_is_refused(path: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        validate_path(path)
    assert str(caught.value) == sentence
    for make in (
        lambda: Condition(field=path, check="empty"),
        lambda: LogicCondition(logic={"!!": {"var": path or "state.x"}}),
    ):
        with pytest.raises(ValidationError):
            make()


def test_a_logic_may_not_run_code() -> None:
    with pytest.raises(ValidationError, match="unknown operator 'method'"):
        LogicCondition(logic={"method": ["", "__class__"]})


class Gate(Frozen):
    when: AnyCondition


@table(
    ("text", "problems"),
    [
        (
            "{field: x, check: 'equal:1'}",
            ["1: when.check: unknown check 'equal'; did you mean 'equals'?"],
        ),
        (
            "{field: data.x, check: empty}",
            ["1: when.field: a data field is named without its groups: write 'x'"],
        ),
        ("{all: []}", ["1: when.all: should not be empty"]),
        (
            "\n  any:\n  - {field: x, chck: empty}",
            [
                "3: when.any.0.check: is required",
                "3: when.any.0.chck: unknown key; did you mean 'check'?",
            ],
        ),
        (
            "{logic: {'<': [{var: state.x}, 1]}}",
            ["1: when.logic: write 'x' without 'state.'"],
        ),
        ("\n  logic: {all: []}", ["2: when.logic.all: 'all' takes 2 operands, not 0"]),
        (
            "{field: x, check: empty, logic: {}}",
            ["1: when.logic: does not go together with the other keys here"],
        ),
    ],
)
def test_a_bad_condition_in_a_file_is_told_with_its_line(text: str, problems: list[str]) -> None:
    with pytest.raises(DefinitionError) as caught:
        build(Gate, read_yaml(f"when: {text}", file="p.yaml"))
    assert list(caught.value.problems) == [f"p.yaml:{problem}" for problem in problems]

"""A rule that could do harm, or is mistaken, is refused when its playbook is loaded."""

from pathlib import Path

import pytest

from engine.errors import DefinitionError
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.rules.check import MAX_DEPTH, MAX_NODES
from tests.fakes.tables import table

FOLDER = Path(__file__).parents[3] / "playbooks" / "clinical_qc"
SKILL = """\
id: visit-check
name: {zh: 访视数据检查, en: Visit data check}
description: {zh: 按规则检查访视数据, en: Checks a visit's data against the rules}
category: check
kind: sop
provides: [profile.check_status]
sop:
  start_node: ranges
  nodes:
    ranges:
      type: hard_rule
      rules:
        - field: ecog
          message: {message}
          logic: {logic}
      on_pass: end_passed
      on_fail: end_failed
  outcomes:
    end_passed: {profile.check_status: passed}
    end_failed: {profile.check_status: failed}
"""
QUOTE = "'"
LOGIC = "sop.nodes.ranges.rules.0.logic"
ALIASED = "{and: [&shared {'<': [{var: ecog}, 5]}, *shared]}"


def loaded(logic: str, *, message: str = "should be low") -> Playbook:
    paths = [FOLDER / "playbook.yaml", *sorted((FOLDER / "skills").glob("*.yaml"))]
    files = {path.relative_to(FOLDER).as_posix(): path.read_text() for path in paths}
    text = SKILL.replace("{logic}", logic).replace("{message}", message)
    return load({**files, "skills/visit-check.yaml": text}, roles=None, held=None)


def problems(logic: str, *, message: str = "should be low") -> tuple[str, ...]:
    with pytest.raises(DefinitionError) as caught:
        loaded(logic, message=message)
    return caught.value.problems


def nested(depth: int) -> str:
    """A name below that many operators."""
    return "{'!': " * depth + "{var: ecog}" + "}" * depth


@table(
    "logic",
    [
        "{'<=': [0, {var: ecog}, 5]}",
        "{'!': [{date_after: [{var: visit_date}, {var: today}]}]}",
        "{'<=': ['2026-01-01', {var: visit_date}, {var: today}]}",
        "{'!=': [{var: visit_date}, '']}",
        "{in: ['2026', {var: visit_date}]}",
        "{'<': [{var: adverse_event}, '31.12.2026']}",
        "{'<': [{days_between: [{var: visit_date}, {var: today}]}, 28]}",
        nested(20),
        f"{{and: [{', '.join(['true'] * (MAX_NODES - 2))}]}}",
    ],
)
def test_a_sound_rule_is_loaded(logic: str) -> None:
    skill = loaded(logic).skills["visit-check"]
    assert skill.sop
    assert len(skill.sop.nodes["ranges"].rules) == 1


@table(
    ("logic", "path", "problem"),
    [
        ("{method: ['', __class__]}", "", "unknown operator 'method'"),
        ("{and: [{method: [{var: ecog}, real]}]}", ".and.0", "unknown operator 'method'"),
        ("{'==.__globals__.get': [x]}", "", "unknown operator '==.__globals__.get'"),
        (
            "{'date_before.__class__': []}",
            "",
            "unknown operator 'date_before.__class__'; did you mean 'date_before'?",
        ),
        ("{'.': []}", "", "unknown operator '.'"),
        ("{log: [{var: ecog}]}", "", "unknown operator 'log'"),
        ("{count: [1, 2]}", "", "unknown operator 'count'"),
        ("{filter: [[1]]}", ".filter", "'filter' takes 2 operands, not 1"),
        (
            "{'<': [{var: ecog}, '3']}",
            ".<.1",
            "'<' cannot compare a number with text; cast one with number or text",
        ),
        ("{all: [{var: ecog}, true]}", ".all.0", "'all' takes a list, and this is a number"),
        (
            "{'!!': {var: profile.chek_status}}",
            ".!!.var",
            "unknown name 'profile.chek_status'; did you mean 'profile.check_status'?",
        ),
        ("{befor: [1, 2]}", "", "unknown operator 'befor'; did you mean 'date_before'?"),
        ("{mising: [ecog]}", "", "unknown operator 'mising'; did you mean 'missing'?"),
        ("{'>': [1, 2], '<': [1, 2]}", "", "should have exactly one operator, not 2"),
        ("{}", "", "should have exactly one operator, not 0"),
        ("[]", "", "should be a mapping, not a list"),
        ("yes", "", "should be a mapping, not 'yes'"),
        ("{'<': [{var: ecgo}, 1]}", ".<.0.var", "unknown name 'ecgo'; did you mean 'ecog'?"),
        ("{'!': {missing: [ecog, x.y]}}", ".!.missing", "unknown name 'x.y'"),
        ("{'!!': {var: ''}}", ".!!.var", "'var' takes names written out, not expressions"),
        ("{'==': [{var: ecog}]}", ".==", "'==' takes 2 operands, not 1"),
        ("{'==': [{var: ecog}, null]}", ".==", "null never passes '=='; use 'missing'"),
        *(
            (f"{{{operator}: [{{var: visit_date}}, {bound}]}}", f".{operator.strip(QUOTE)}.1", told)
            for operator in (
                "'<'",
                "'<='",
                "'>'",
                "'>='",
                "'=='",
                "'!='",
                "date_before",
                "date_after",
            )
            for bound, told in (
                ("'31.12.2026'", "should be a date like 2026-01-31, not '31.12.2026'"),
                ("2026", "should be a date like 2026-01-31, not 2026"),
                ("{var: ecog}", "is of type integer, and compared with a date"),
            )
        ),
        (
            "{and: [{'<=': [2026-01-01, {var: visit_date}, 2026-02-30]}]}",
            ".and.0.<=.2",
            "should be a date like 2026-01-31, not '2026-02-30'",
        ),
        (
            "{'!': {days_between: [{var: today}, yesterday]}}",
            ".!.days_between.1",
            "should be a date like 2026-01-31, not 'yesterday'",
        ),
        (
            "{'>': [{var: today}, '']}",
            ".>.1",
            "should be a date like 2026-01-31, not ''",
        ),
        (
            "{'<': [{var: adverse_event}, '2026-13-01']}",
            ".<.1",
            "should be a date like 2026-01-31, not '2026-13-01'",
        ),
        (
            "{in: [{var: visit_date}, ['2026-01-01', soon]]}",
            ".in.1.1",
            "should be a date like 2026-01-31, not 'soon'",
        ),
        (f"{{and: [{', '.join(['true'] * (MAX_NODES - 1))}]}}", "", "has more than 500 parts"),
        (f"{{in: [1, [{', '.join(['1'] * 5000)}]]}}", "", "has more than 500 parts"),
    ],
)
def test_a_hostile_or_mistaken_rule_is_told_with_its_line(
    logic: str, path: str, problem: str
) -> None:
    assert problems(logic) == (f"skills/visit-check.yaml:15: {LOGIC}{path}: {problem}",)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 900])
def test_a_rule_nested_too_deeply_is_refused(depth: int) -> None:
    at = "skills/visit-check.yaml:15: "
    assert problems(nested(depth)) == (f"{at}nested deeper than {MAX_DEPTH} levels",)


def test_a_rule_that_shares_parts_or_names_a_key_twice_is_refused() -> None:
    at = "skills/visit-check.yaml:15: "
    shared = ("aliases (*name) are not allowed; write it out", "anchors (&name) are not allowed")
    assert problems(ALIASED) == tuple(at + problem for problem in shared)
    twice = "key '<' stands twice, first on line 15"
    assert problems("{'<': [1, 2], '<': [2, 3]}") == (at + twice,)


def test_a_placeholder_that_nothing_fills_is_told_with_its_line() -> None:
    found = problems("{'<': [1, 2]}", message="{zh: 值, en: 'of {vlaue}'}")
    at = "skills/visit-check.yaml:14: sop.nodes.ranges.rules.0.message.en: "
    assert found == (f"{at}nothing fills {{vlaue}}; did you mean 'value'?",)

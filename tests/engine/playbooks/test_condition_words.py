"""Conditions in words."""

import pytest

from engine.playbooks.conditions import AllOf, AnyCondition, AnyOf, Condition, LogicCondition
from engine.playbooks.drawing.graph import condition_text

DONE = Condition(field="profile.done", check=" equals:yes ")
EMPTY = Condition(field="subject_id", check="empty")
LOGIC = LogicCondition(logic={"<": [{"var": "age"}, 18]})


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (DONE, "profile.done equals:yes"),
        (AllOf(all=(DONE, EMPTY)), "all of (profile.done equals:yes; subject_id empty)"),
        (LOGIC, 'logic {"<": [{"var": "age"}, 18]}'),
        (
            AnyOf(any=(EMPTY, AllOf(all=(DONE,)))),
            "any of (subject_id empty; all of (profile.done equals:yes))",
        ),
    ],
)
def test_a_condition_is_worded_as_it_is_written(condition: AnyCondition, words: str) -> None:
    assert condition_text(condition) == words

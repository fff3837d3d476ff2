"""Fields that are computed from others: what the loader refuses, and what they come to."""

import re
from pathlib import Path
from typing import Any

import pytest

from engine.errors import DefinitionError
from engine.playbooks.leaf import Leaf, computed_value
from engine.playbooks.load import load
from tests.engine.playbooks.computed_cases import CASES

FOLDER = Path(__file__).parents[3] / "examples" / "cookbook" / "computed" / "playbooks" / "catering"
ROLES = ("treasurer", "chair")


def files(old: str, new: str) -> dict[str, str]:
    """The files of the cookbook's folder, with a text in place of another."""
    named = ("playbook.yaml", "skills/ask.yaml", "skills/approve.yaml")
    texts = {name: (FOLDER / name).read_text(encoding="utf-8") for name in named}
    assert any(old in text for text in texts.values()), old
    return {name: text.replace(old, new) for name, text in texts.items()}


@pytest.mark.parametrize(("old", "new", "problem"), CASES)
def test_what_cannot_be_computed_is_told_at_load(old: str, new: str, problem: str) -> None:
    with pytest.raises(DefinitionError, match=re.escape(problem)):
        load(files(old, new), roles=ROLES, held=ROLES)


@pytest.mark.parametrize(
    ("leaf", "logic", "data", "value"),
    [
        ({"type": "number"}, {"+": [{"var": "a"}, {"var": "b"}]}, {"a": 0.1, "b": 0.2}, 0.3),
        ({"type": "integer"}, {"/": [{"var": "a"}, 2]}, {"a": 4}, 2),
        ({"type": "integer"}, {"/": [{"var": "a"}, 2]}, {"a": 5}, None),
        ({"type": "money", "currency": "EUR"}, {"*": [{"var": "a"}, 1]}, {"a": 1.005},
         {"value": 1.01, "currency": "EUR"}),
        ({"type": "money", "currency": "JPY"}, {"*": [{"var": "a"}, 1]}, {"a": 99.5},
         {"value": 100, "currency": "JPY"}),
        ({"type": "number"}, {"/": [{"var": "a"}, {"var": "b"}]}, {"a": 1, "b": 0}, None),
        ({"type": "number"}, {"+": [{"var": "a"}, {"var": "b"}]}, {"a": 1}, None),
        ({"type": "number"}, {"+": [{"var": "a"}, 1]}, {"a": "one"}, None),
        ({"type": "boolean"}, {">": [{"var": "a"}, 1]}, {"a": 2}, True),
        ({"type": "text"}, {"cat": [{"var": "a"}, " days"]}, {"a": 3}, "3 days"),
    ],
)  # fmt: skip
def test_what_has_no_answer_has_no_value(
    leaf: dict[str, Any], logic: dict[str, Any], data: dict[str, Any], value: object
) -> None:
    made = Leaf.model_validate({"label": "x", "computed": logic, **leaf})
    assert computed_value(made, data) == value

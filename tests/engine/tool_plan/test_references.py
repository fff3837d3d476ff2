"""References to earlier results: what they become, and when they lead nowhere."""

from typing import Any

import pytest

from engine.tool_plan.references import (
    Unresolved,
    as_text,
    fill_known,
    is_malformed,
    is_reference,
    referenced_steps,
    resolve,
)
from tests.fakes.tables import table

RESULTS: dict[int, Any] = {
    1: {"visit": {"ecog": 1, "weight_kg": 62.0, "seen": True, "note": None}, "ids": ["P1", "P2"]},
    2: {"text": "$steps.1.visit.ecog"},
    3: None,
}


@table(
    ("value", "becomes"),
    [
        ("$steps.1.visit.ecog", 1),
        (" $steps.1.visit.ecog ", 1),
        ("$steps.1.visit", RESULTS[1]["visit"]),
        ("$steps.1.ids.1", "P2"),
        ("$steps.1.ids", ["P1", "P2"]),
        ("ECOG $steps.1.visit.ecog.", "ECOG 1."),
        ("评分$steps.1.visit.ecog分", "评分1分"),
        ("$steps.1.visit.weight_kg kg", "62 kg"),
        ("$steps.1.ids both", '["P1", "P2"] both'),
        ("seen: $steps.1.visit.seen", "seen: true"),
        # what a result says is no reference
        ("$steps.2.text", "$steps.1.visit.ecog"),
        ("so: $steps.2.text", "so: $steps.1.visit.ecog"),
        ({"a": ["$steps.1.visit.ecog", 5]}, {"a": [1, 5]}),
        (7, 7),
        (None, None),
        ("costs $5", "costs $5"),
    ],
)
def test_a_reference_becomes_what_it_refers_to(value: Any, becomes: Any) -> None:
    assert resolve(value, RESULTS) == becomes


@table(
    "value",
    [
        "$steps.1.visit.height",
        "$steps.1.visit.note",
        "$steps.1.visit.ecog.value",
        "$steps.1.ids.2",
        "$steps.1.ids.first",
        "$steps.3.text",
        "$steps.4",
        "so $steps.9.x it is",
    ],
)
def test_what_leads_nowhere_is_an_error_and_a_dash_for_people(value: str) -> None:
    with pytest.raises(Unresolved):
        resolve(value, RESULTS)
    assert "—" in fill_known(value, RESULTS, as_text)


def test_what_is_meant_as_a_reference_is_noticed() -> None:
    assert referenced_steps({"a": "$steps.1.x", "b": ["$steps.12"], "$steps.3.y": 0}) == {1, 3, 12}
    for wrong in ("$steps", "$step.1.x", "${steps.1.x}", "{{ steps.1.x }}", "$steps.one.x"):
        assert is_malformed({"a": wrong}), wrong
    for right in ("$steps.1", "$steps.1.x and $steps.2.y", "a step", "costs $5", "stepson"):
        assert not is_malformed({"a": right}), right
    assert is_reference("$steps.1.x")
    assert not is_reference("see $steps.1.x")
    assert not is_reference(5)

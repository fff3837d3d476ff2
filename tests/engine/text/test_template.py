"""Templates of project folders fill in values, and reach nothing else."""

from typing import Any

import pytest

from engine.text.template import (
    BadTemplate,
    NoValue,
    fill_tree,
    holes_in,
    parse_template,
    templates_in,
)
from tests.fakes.tables import table

VALUES: dict[str, Any] = {
    "id": "E-7",
    "amount": {"value": "120.50", "currency": "USD"},
    "nights": 3,
    "share": 0.00001,
    "urgent": True,
    "day": "2026-03-02",
    "tags": ["Hotel", "Berlin"],
    "note": None,
    "sneaky": "{id} {{",
}


@table(
    ("text", "filled"),
    [
        ("/expenses/{id}", "/expenses/E-7"),
        ("{amount.value} {amount.currency|lower}", "120.50 usd"),
        ("{amount.value|cents} of {nights}", "12050 of 3"),
        ("{{id}} is {id}", "{id} is E-7"),
        ("{share} {urgent}", "0.00001 true"),
        ("{day|compact}", "20260302"),
        ("{tags}; {tags | first | upper}", "Hotel,Berlin; HOTEL"),
        ("{sneaky}", "{id} {{"),
        ("", ""),
    ],
)
def test_a_template_takes_values(text: str, filled: str) -> None:
    assert parse_template(text).fill(VALUES) == filled


@table(
    ("text", "fault"),
    [
        ("{id", "stands alone"),
        ("id}", "stands alone"),
        ("{}", "names nothing"),
        ("{a b}", "names nothing"),
        ("{id.__class__!r}", "names nothing"),
        ("{0}", "names nothing"),
        ("{id|rot13}", "no filter 'rot13'"),
        ("{id|}", "no filter ''"),
        ("x" * 4001, "at most 4000"),
    ],
)
def test_what_is_no_template_is_refused_with_the_reason(text: str, fault: str) -> None:
    with pytest.raises(BadTemplate, match=fault):
        parse_template(text)


@pytest.mark.parametrize("text", ["{id.__class__}", "{tags.append}", "{who}", "{note}", "{id.x}"])
def test_a_template_reaches_values_only(text: str) -> None:
    with pytest.raises(NoValue):
        parse_template(text).fill(VALUES)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{id|number}", "no number"),
        ("{bad|number}", "no number"),
        ("{fine|cents}", "parts of a cent"),
        ("{none|first}", "no first"),
        ("{amount}", "names one of them"),
    ],
)
def test_a_value_that_a_filter_cannot_take_is_named(text: str, fault: str) -> None:
    values = {**VALUES, "bad": "NaN", "fine": "1.005", "none": []}
    with pytest.raises(BadTemplate, match=fault):
        parse_template(text).fill(values)


def test_a_tree_keeps_types_and_leaves_out_what_has_no_value() -> None:
    tree = templates_in(
        {"expense": "{id}", "n": "{nights}", "note": "{note}", "total": "{amount}", "fixed": 7,
         "lines": [{"label": "for {id}"}, "{who}"]}
    )  # fmt: skip
    assert fill_tree(tree, VALUES) == {
        "expense": "E-7",
        "n": 3,
        "total": VALUES["amount"],
        "fixed": 7,
        "lines": [{"label": "for E-7"}],
    }
    assert {hole.root for hole in holes_in(tree)} == {"id", "nights", "note", "amount", "who"}


def test_a_tree_that_is_one_missing_value_is_null() -> None:
    assert fill_tree(templates_in("{note}"), VALUES) is None

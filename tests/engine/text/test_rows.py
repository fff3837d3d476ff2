"""Rows of a list in what people write, over two lists of other fields of work."""

from datetime import date

import pytest

from cards.model import Field
from engine.text.entity_kinds import Entities, ListKind
from engine.text.form_reading import find_values

TODAY = date(2026, 11, 30)


def column(name: str, label: str, type_: str = "text", **more: object) -> Field:
    """A column as forms have it."""
    return Field.model_validate(
        {"name": name, "label": label, "type": type_, "required": False, **more}
    )


ITEMS = Field(
    name="items",
    label="Items",
    multiline=True,
    columns=(
        column("material", "Material"),
        column("quantity", "Quantity", "number"),
        column(
            "unit",
            "Unit",
            "choice",
            options=("bag", "pallet", "t"),
            option_names={"袋": "bag", "托": "pallet", "吨": "t"},
        ),
        column("price", "Price each", "number"),
    ),
)
BY = Field(name="needed_by", label="Needed by", type="date", cues=("by",))
SHIFTS = Field(
    name="present",
    label="Who was there",
    multiline=True,
    columns=(
        column("nurse", "Nurse", "entity", entity="nurse"),
        column("hours", "Hours", "number", names=("小时",)),
    ),
)


@pytest.mark.parametrize(
    ("text", "rows", "words"),
    [
        (
            "order 20 bags of cement and 5 pallets of bricks by Friday",
            "cement | 20 | bag\nbricks | 5 | pallet",
            "20 bags of cement and 5 pallets of bricks",
        ),
        ("we need five pallets of bricks, 2 t sand", "bricks | 5 | pallet\nsand | 2 | t", ""),
        ("订20袋水泥和5托砖", "水泥 | 20 | bag\n砖 | 5 | pallet", "20袋水泥和5托砖"),
        ("订水泥20袋、砖5托", "水泥 | 20 | bag\n砖 | 5 | pallet", "水泥20袋、砖5托"),
        ("order 20 bags of cement at 9.50 each", "cement | 20 | bag | 9.5", ""),
        ("items: 2 bags of lime, 1 t sand", "lime | 2 | bag\nsand | 1 | t", ""),
        ("order 20x screws", "screws | 20", ""),
    ],
)
def test_what_is_counted_is_a_row(text: str, rows: str, words: str) -> None:
    found = find_values(text, [ITEMS, BY], TODAY, request=("order", "订"))
    assert found.values["items"] == rows
    assert not words or found.words["items"] == words


@pytest.mark.parametrize(
    "text",
    [
        "order material for site 3",
        "how many bags of cement are left",
        "not more than 20 bags of cement",
        "order 20 bags",
        "order 20 bags of cement 9.50",
        "order cement",
    ],
)
def test_what_is_no_row_or_may_be_two_things_is_left(text: str) -> None:
    assert "items" not in find_values(text, [ITEMS, BY], TODAY, request=("order",)).values


def test_what_stands_apart_by_bars_is_as_the_form_says() -> None:
    found = find_values("items: cement | 20 | bag", [ITEMS, BY], TODAY)
    assert found.values["items"] == "cement | 20 | bag"


@pytest.mark.parametrize(
    "text", ["today Ida 8 hours and Uwe 7.5 hours, room 3 was painted", "Ida 8小时、Uwe 7.5小时"]
)
def test_rows_are_named_by_their_list(text: str) -> None:
    entities = Entities((ListKind("nurse", {"Ida": ("N1",), "Uwe": ("N2",)}),))
    found = find_values(text, [SHIFTS], TODAY, entities=entities)
    assert found.values["present"] == "N1 | 8\nN2 | 7.5"


def test_a_duration_in_another_unit_is_no_number() -> None:
    entities = Entities((ListKind("nurse", {"Ida": ("N1",)}),))
    assert not find_values("Ida 30 minutes", [SHIFTS], TODAY, entities=entities).values

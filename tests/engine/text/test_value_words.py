"""Of each value that a text gives it is known which words gave it."""

from datetime import date

import pytest

from cards.model import Field
from engine.text.form_reading import find_values, read_form

TODAY = date(2026, 11, 23)
FIELDS = (
    Field(name="price", label="Price", type="money", currencies=("USD", "EUR")),
    Field(name="shelf", label="Shelf", type="integer", cues=("shelf", "货架")),
    Field(name="day", label="Day", type="date"),
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("move 120 USD of paint to shelf 7", {"price": "120 USD", "shelf": "shelf 7"}),
        ("货架 7；12月3日", {"shelf": "货架 7", "day": "12月3日"}),
        ("nothing of it", {}),
    ],
)
def test_the_words_of_each_value_are_known(text: str, words: dict[str, str]) -> None:
    found = find_values(text, FIELDS, TODAY)
    assert found.words == words
    assert found.words.keys() == found.values.keys()


def test_a_bare_value_is_the_whole_text() -> None:
    (shelf,) = FIELDS[1:2]
    assert find_values("7", [shelf], TODAY).words == {"shelf": "7"}
    reading = read_form("7", [shelf], TODAY)
    assert (reading.words, reading.left) == ({"shelf": "7"}, "")

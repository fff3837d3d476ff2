"""Files that stand in a list: each is a row of the card, so that it is a link there."""

from dataclasses import replace

from adapters.clock import SystemClock
from bot.file_links import FileLinks
from cards.showing.view import CardView
from engine.frames.leaves import SHOWN_ROWS, LabelledValue, value_rows, value_tables
from engine.playbooks.leaf import Leaf

LEAF = Leaf.model_validate(
    {
        "label": {"zh": "费用", "en": "Costs"},
        "type": "list",
        "columns": {
            "what": {"label": {"zh": "项目", "en": "What"}},
            "receipt": {"label": {"zh": "发票", "en": "Receipt"}, "type": "file"},
        },
    }
)
ROWS = [
    {"what": "taxi", "receipt": "taxi.pdf"},
    {"what": "meal", "receipt": None},
    {"what": "room", "receipt": "room.png"},
    {"what": "again", "receipt": "taxi.pdf"},
]
COSTS = LabelledValue("Costs", ROWS, LEAF, "costs")


def test_each_file_of_a_list_is_a_row_of_its_own_once_behind_the_others() -> None:
    shown = value_rows([COSTS, LabelledValue("Trip", "Berlin")], "en")
    assert [(row.label, row.value, row.file) for row in shown] == [
        ("Trip", "Berlin", ""),
        ("Costs · Receipt", "taxi.pdf", "taxi.pdf"),
        ("Costs · Receipt", "room.png", "room.png"),
    ]
    assert "taxi.pdf" in value_tables([COSTS], "en")[0], "the table names them where they belong"


def test_a_list_without_files_has_no_rows_and_one_with_many_has_some() -> None:
    assert value_rows([replace(COSTS, value=None)], "en") == ()
    assert value_rows([replace(COSTS, value=[{"what": "taxi"}])], "en") == ()
    many = [{"receipt": f"{n}.pdf"} for n in range(SHOWN_ROWS + 5)]
    assert len(value_rows([replace(COSTS, value=many)], "en")) == SHOWN_ROWS


def test_they_are_links_where_the_card_is_shown() -> None:
    links = FileLinks("secret", SystemClock("UTC"), days=7)
    view = CardView(token="0a-card", kind="confirm", title="Costs", rows=value_rows([COSTS], "en"))
    assert [row.link.rpartition("/")[2] for row in links.on_card(view).rows] == [
        "taxi.pdf",
        "room.png",
    ]

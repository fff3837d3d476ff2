"""Links to files are signed, say nothing of where a card is from, and end."""

from datetime import date
from urllib.parse import unquote

import pytest

from bot.file_links import FileLinks
from cards.model import Row
from cards.showing.view import CardView, MessageView
from engine.ports.clock import FixedClock
from tests.fakes.services import NOW, services_of

CLOCK = services_of().clock
NAME = "送货单 <1>&?#.pdf"
CARD = CardView(
    token="0a-card",
    kind="confirm",
    title="Goods",
    rows=(Row(label="Order", value="W-7"), Row(label="Note", value="shown", file=NAME)),
)


def links(day: date = date(2026, 3, 2), secret: str = "secret", days: int = 7) -> FileLinks:
    clock = FixedClock(NOW, day, CLOCK)
    return FileLinks(secret, clock, days=days, address="https://depot.example/")


def parts(made: FileLinks) -> tuple[str, int, str, str]:
    shown = made.on_message(MessageView(lang="en", card=CARD))
    assert shown.card is not None
    plain, linked = shown.card.rows
    assert plain == CARD.rows[0]
    start, path = linked.link.split("/files/")
    assert start == "https://depot.example"
    assert "<" not in path
    card, last, mark, name = path.split("/")
    return card, int(last), mark, unquote(name)


def test_a_link_is_good_for_its_card_and_file_alone() -> None:
    card, last, mark, name = parts(links())
    assert (card, name) == ("0a-card", NAME)
    assert links().is_good(card, last, mark, name)
    for other in (
        ("0a-cards", last, mark, name),
        (card, last + 1, mark, name),
        (card, last, mark[:-1] + "g", name),
        (card, last, mark, "b.pdf"),
        (card, last, "\u00e9" * 32, name),
    ):
        assert not links().is_good(*other)
    assert not links(secret="another").is_good(card, last, mark, name)


@pytest.mark.parametrize(("day", "good"), [(9, True), (10, False)])
def test_a_link_ends_with_its_last_day(day: int, good: bool) -> None:
    assert links(date(2026, 3, day)).is_good(*parts(links())) is good


def test_where_there_are_no_links_a_card_shows_names_alone() -> None:
    assert links(days=0).on_card(CARD) == CARD

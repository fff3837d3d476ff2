"""A kind of card is one entry that everything reads."""

from typing import get_args

from bot.pages.views.labels import TABLES
from cards.model import CARD_KINDS, CardKind, CardStatus

KINDS = set(get_args(CardKind))


def test_every_kind_has_its_entry_and_is_answered_in_one_way() -> None:
    assert set(CARD_KINDS) == KINDS
    ways = [(each.text is not None, each.signs_off, each.informs) for each in CARD_KINDS.values()]
    assert [sum(way) for way in ways] == [1] * len(KINDS)


def test_every_kind_and_status_has_a_word_on_the_pages() -> None:
    assert set(TABLES["kind"]) == KINDS
    assert set(TABLES["card"]) == set(get_args(CardStatus))

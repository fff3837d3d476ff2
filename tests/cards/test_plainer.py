"""What is tried in turn when a platform refuses what a message holds."""

import pytest

from cards.showing.plainer import plainer_views
from cards.showing.view import ButtonView, CardView, MessageView, PartState, PartView

BUTTON = ButtonView(data="s1:t:approve:1", label="Approve")
CARD = CardView(token="t", kind="confirm", title="Please review", text="*61.5*", buttons=(BUTTON,))


def view(card: CardView | None = None, state: PartState = "answered") -> MessageView:
    part = PartView(number=0, state=state, text="**2**")
    return MessageView(lang="en", parts=(part,), card=card)


def names(shown: MessageView, *, edits: bool = False) -> list[str]:
    return [way for way, _ in plainer_views(shown, "", edits=edits)]


def test_a_message_comes_plainer_each_time_and_in_the_end_as_a_line() -> None:
    assert names(view()) == ["ok", "plain", "pieces", "file", "line"]
    assert names(view(CARD))[5:] == ["no_buttons", "bare_line"]


def test_what_is_still_worked_on_is_no_file() -> None:
    assert names(view(state="working")) == ["ok", "plain", "line"]


def test_what_takes_no_edit_comes_anew() -> None:
    *before, anew, last = plainer_views(view(CARD), "", edits=True)
    assert [way for way, _ in before] == names(view(CARD))
    assert (anew[0], anew[1].plainer, anew[1].card) == ("anew", "anew", CARD)
    assert (last[0], last[1].plainer) == ("line_anew", "anew")
    assert last[1].card is not None
    assert last[1].card.buttons == (BUTTON,)


def test_the_buttons_stay_until_only_they_can_be_at_fault() -> None:
    kept = [
        way for way, tried in plainer_views(view(CARD), "") if tried.card and tried.card.buttons
    ]
    assert kept == ["ok", "plain", "pieces", "file", "line"]


@pytest.mark.parametrize(
    ("link", "card", "told"),
    [
        ("", None, "Send /runs to see it"),
        ("", CARD, "Send /pending to see it"),
        ("https://bot.example", CARD, "See it at https://bot.example, or send /pending"),
    ],
)
def test_the_line_says_where_it_can_be_seen(link: str, card: CardView | None, told: str) -> None:
    (line,) = [tried for way, tried in plainer_views(view(card), link) if way == "line"]
    assert told in line.parts[0].text

"""What the button of a form is called: it does not say that it sends what it only opens."""

import pytest

from adapters.slack.outbound.buttons import actions
from adapters.telegram.outbound.render import card_keyboard
from adapters.webchat.render import render_card, render_form
from cards.model import Card, Choice, Field, Review
from cards.showing.show import show
from cards.showing.view import FormView
from cards.texts import say
from cards.translation import translate_card

REASON = (Field(name="reason", label="Reason"),)


def a_card(lang, *choices, kind="clarify"):
    return Card(
        kind=kind,
        token="0a-Zk3tP9qLmN4x",
        run="r",
        conversation="slack:T1:D1",
        lang=lang,
        title="Record a visit",
        choices=choices,
        review=Review(persons=("ana",)),
        requester="ana",
    )


def submit(lang):
    return Choice(id="submit", label=say("choice.submit", lang), style="primary", form=REASON)


def on_slack(card):
    (block,) = actions(show(card, "UTC"), card.lang)
    return [element["text"]["text"] for element in block["elements"]]


def on_telegram(card):
    keyboard = card_keyboard(show(card, "UTC"), card.lang)
    return [button.text for row in keyboard.inline_keyboard for button in row]


def on_web(card):
    return [button["label"] for button in render_card(show(card, "UTC"))["buttons"]]


@pytest.mark.parametrize(("lang", "opens"), [("zh", "填写…"), ("en", "Fill in…")])
@pytest.mark.parametrize("shown_on", [on_slack, on_telegram])
def test_a_button_that_opens_a_form_says_so(lang, opens, shown_on):
    drop = Choice(id="withdraw", label="X")
    assert shown_on(a_card(lang, submit(lang), drop)) == [opens, "X"]
    # As somebody reads it who has another language than the request.
    other = {"zh": "en", "en": "zh"}[lang]
    read = translate_card(a_card(other, submit(other)), lang, lambda role, _: role)
    assert shown_on(read) == [opens]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_where_the_form_stands_in_the_card_its_button_sends_it(lang):
    assert on_web(a_card(lang, submit(lang))) == [say("choice.submit", lang)]


@pytest.mark.parametrize("shown_on", [on_slack, on_telegram, on_web])
def test_a_button_says_what_it_does_where_a_form_only_asks_for_more(shown_on):
    change = Choice(id="change", label="Change it", form=REASON)
    assert shown_on(a_card("en", change, kind="select")) == ["Change it"]
    # It sends nothing else than the tap.
    assert shown_on(a_card("en", Choice(id="submit", label="Submit"))) == ["Submit"]


def test_the_page_shows_what_turns_a_name_around():
    """A list's name comes from a system; turned, it may hide the id behind it."""
    room = Field(name="room", label="Room", type="entity", entity="room", value="R1")
    room = room.model_copy(update={"labels": {"R1": "\u202ellah (R1)"}})
    card = a_card("en", Choice(id="submit", label="Send", form=(room,)))
    (button,) = render_card(show(card, "UTC"))["buttons"]
    form = FormView(data="d", lang="en", title="t", submit="s", cancel="c", fields=(room,))
    for (field,) in (button["form"], render_form(form)["fields"]):
        assert field["labels"] == {"R1": "⟨U+202E⟩llah (R1)"}

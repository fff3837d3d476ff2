"""The cards of model skills on every platform: shown, filled in, answered in text (design §7)."""

from dataclasses import replace
from typing import Any

import pytest

from adapters.slack.outbound.blocks import message
from adapters.slack.outbound.forms import field_errors, form_modal
from adapters.telegram.forms.prompts import form_html, parse_prompt_link, parse_reply, prompt_of
from adapters.telegram.outbound.render import card_keyboard, render_chunks
from adapters.webchat.page_requests import FormBody
from adapters.webchat.render import render_message
from cards.deciding.decision import DecidedCard, InvalidForm, decide
from cards.model import Card
from cards.showing.show import show
from cards.showing.view import CardView, FormView, MessageView
from engine.understanding.router.chain import route
from tests.engine.understanding.routes import CONTEXT
from tests.fakes.matter import playbook
from tests.fakes.platforms.slack.checks import message_problems, view_problems
from tests.fakes.platforms.telegram.text import parse_html
from tests.fakes.scripted_model import ScriptedModel, asks, output
from tests.fakes.walk import LIN, NOW, Walk, at_skill

MATTER = playbook()
HOSTILE = "<!channel> [x](https://evil.example) *b* <b>@here</b> |"
VALUES = {
    "profile.summary": "unpaid",
    "amount": "500",
    "people": "3",
    "filed_on": "2026-01-31",
    "urgent": "yes",
    "side": "plaintiff",
    "evidence": "contract | 3 | paper\nmemo | | sound",
}


async def opened(skill: str, *script: Any) -> Card:
    walk = Walk(MATTER, at_skill(MATTER, skill), ScriptedModel(script))
    return (await walk.start()).card


async def by_hand() -> Card:
    return await opened("matter-intake")


async def select() -> Card:
    rows = [{"cause": cause, "basis": HOSTILE} for cause in ("sale", HOSTILE, "loan")]
    return await opened("cause-recommendation", output(HOSTILE, data={"causes": rows}))


async def confirm() -> Card:
    return await opened("work-plan", output(HOSTILE, data={"plan": HOSTILE}))


async def questions() -> Card:
    question = {"field": "amount", "question": HOSTILE}
    return await opened("matter-intake", asks("clarify", question, response=HOSTILE))


CARDS = [by_hand, select, confirm, questions]


def form_of(card: Card, choice: int = 0) -> FormView:
    button = show(card, "UTC").buttons[choice]
    return FormView(
        data=button.data, lang="en", title=card.title, submit="s", cancel="c", fields=button.form
    )


def in_message(card: Card) -> MessageView:
    view: CardView = show(card, "UTC")
    return MessageView(lang="en", card=view)


@pytest.mark.parametrize("made", CARDS)
async def test_every_platform_shows_the_card_within_its_limits(made: Any) -> None:
    view = in_message(await made())
    shown = message(view)
    assert message_problems({"channel": "C1", **shown}) == []
    chunks = render_chunks(view)
    for chunk in chunks:
        assert len(parse_html(chunk).text) <= 4096
    assert view.card is not None
    keyboard = card_keyboard(view.card)
    assert keyboard is not None
    buttons = [button for row in keyboard.inline_keyboard for button in row]

    assert all(len(str(b.callback_data).encode()) <= 64 and b.text.strip() for b in buttons)
    assert len({b.callback_data for b in buttons}) == len(view.card.buttons)
    card = render_message(view)["card"]
    html = card["html"] + "".join(problem["html"] for problem in card["problems"])
    assert "<b>@here" not in html


@pytest.mark.parametrize("made", [by_hand, questions])
async def test_slack_takes_fields_whose_names_are_paths(made: Any) -> None:
    card = await made()
    view = form_modal(form_of(card), "slack:T1:D1")
    assert view_problems(view) == []
    names = [field.name for field in card.choices[0].form]
    assert [block["block_id"] for block in view["blocks"]] == names
    assert set(field_errors(dict.fromkeys(names, "no"), view)) == set(names)


async def test_slack_takes_rows_on_several_lines() -> None:
    blocks = {
        b["block_id"]: b for b in form_modal(form_of(await by_hand()), "slack:T1:D1")["blocks"]
    }
    assert blocks["evidence"]["element"]["multiline"] is True
    assert "multiline" not in blocks["amount"]["element"]


async def test_telegram_takes_rows_below_the_name_of_their_field() -> None:
    form = form_of(await by_hand())
    text = (
        "Summary: unpaid\nAmount: 500\nPeople: 3\nFiled on: 2026-01-31\nUrgent: yes\n"
        "Side: plaintiff\nEvidence:\ncontract | 3 | paper\nmemo | | sound"
    )
    prompt = prompt_of(form)
    assert parse_reply(prompt, text) == VALUES
    assert parse_reply(prompt, text.replace("Evidence:\n", "Evidence: ")) == VALUES
    entities = parse_html(form_html(form)).entities
    link = next(e["url"] for e in entities if e["type"] == "text_link")
    again = parse_prompt_link(link)
    assert again is not None
    assert parse_reply(again, text)["profile.summary"] == "unpaid"


async def test_the_page_sends_fields_whose_names_are_paths() -> None:
    card = await by_hand()
    body = FormBody(
        room="r",
        person="lin",
        id="12345678",
        button=show(card, "UTC").buttons[0].data,
        values=VALUES,
    )
    assert body.values == VALUES


async def test_the_values_that_platforms_send_decide_the_card() -> None:
    card = await by_hand()
    verdict = decide(card, LIN, "submit", NOW, revision=1, values=VALUES)
    assert isinstance(verdict, DecidedCard)
    bad = decide(card, LIN, "submit", NOW, revision=1, values={**VALUES, "urgent": "perhaps"})
    assert isinstance(bad, InvalidForm)
    assert bad.errors == {"urgent": "Please answer yes or no"}


async def test_text_answers_the_models_questions() -> None:
    card = await questions()
    context = replace(CONTEXT, open_cards=(card,), principal=LIN, lang="en")
    (intent,) = (await route("Amount 500", context, None)).intents
    assert (intent.kind, intent.card, intent.choice) == ("card_reply", card.token, "submit")


async def test_a_number_chooses_an_option_and_never_withdraws_or_changes() -> None:
    card = await select()
    assert [c.id for c in card.choices] == ["1", "2", "3", "change", "withdraw"]
    context = replace(CONTEXT, open_cards=(card,), principal=LIN, lang="en")
    (intent,) = (await route("2", context, None)).intents
    assert (intent.kind, intent.card, intent.choice) == ("card_reply", card.token, "2")
    for text in ("0", "4", "5", "6", "withdraw"):
        for intent in (await route(text, context, None)).intents:
            assert intent.kind != "card_reply", text

"""A card with more buttons than people look through is shown page by page."""

import pytest

from cards.model import Card, Choice, Review
from cards.showing.show import show
from cards.showing.view import MessageView
from engine.events import CardTapped, DirectAnswer

CHAT = "telegram:7000000001:1001"
TOKEN = "1f-AbCdEf123456"


def card_of(count, **changed):
    choices = tuple(Choice(id=f"c{number}", label=f"Ward {number}") for number in range(count))
    given = {
        "kind": "select",
        "token": TOKEN,
        "run": "",
        "conversation": CHAT,
        "lang": "en",
        "title": "Which ward?",
        "choices": choices,
        "review": Review(persons=("ana",)),
        "requester": "ana",
        **changed,
    }
    return Card(**given)


async def shown(platform, server, card):
    await platform.send(CHAT, MessageView(lang="en", card=show(card, "UTC")), key="k1")
    return server.chat(1001)[-1]


@pytest.mark.parametrize("count", [1, 24])
async def test_a_short_list_is_shown_whole(platform, server, count):
    message = await shown(platform, server, card_of(count))
    assert message.labels == [f"Ward {number}" for number in range(count)]


async def test_a_long_list_is_turned_and_every_choice_can_be_tapped(
    platform, server, intake, deliver, cards
):
    card = cards[TOKEN] = card_of(130)
    message = await shown(platform, server, card)
    seen = message.labels[:-1]
    while "Next ›" in message.labels:
        await deliver(server.tap_update(message, "Next ›"))
        seen += [label for label in message.labels if label.startswith("Ward")]
    assert seen == [f"Ward {number}" for number in range(130)]
    await deliver(server.tap_update(message, "‹ Previous"))
    assert message.labels[0] == "Ward 100"
    assert intake.updates == [], "turning a page is no answer"
    assert len(server.callback_answers) == 7
    intake.outcomes.append(DirectAnswer("Chosen", ok=True))
    await deliver(server.tap_update(message, "Ward 107"))
    assert isinstance(intake.last, CardTapped)
    assert intake.last.button == f"s1:{TOKEN}:c107:1"
    assert server.faults == []


@pytest.mark.parametrize("now", ["closed", "gone"])
async def test_a_card_that_is_over_is_not_turned_and_has_no_buttons_if_it_is_known(
    platform, server, intake, deliver, cards, now
):
    message = await shown(platform, server, card_of(45))
    if now == "closed":
        cards[TOKEN] = card_of(45, status="cancelled")
    await deliver(server.tap_update(message, "Next ›"))
    assert message.labels[:1] == ([] if now == "closed" else ["Ward 0"])
    assert len(server.callback_answers) == 1
    assert intake.updates == []

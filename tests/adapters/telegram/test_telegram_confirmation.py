"""What nobody can take back is asked about first: two buttons below the card, for one person."""

import pytest

from adapters.redis.keys import Partitions
from adapters.telegram.forms.confirmation import (
    Confirmation,
    confirm_keyboard,
    parse_confirmation,
    user_key,
)
from adapters.telegram.outbound.answers import Interaction
from adapters.telegram.payload import Chat, TelegramMessage, TelegramUser
from cards.model import Card, Choice, Field, Review
from cards.showing.show import confirm_view, show
from cards.showing.view import MessageView
from engine.events import CardTapped, ConfirmWanted, DirectAnswer, NotRecorded
from tests.fakes.platforms import Fault

PRIVATE, GROUP = 1001, -1007700
BO, CHEN = 1001, 2**52 - 1
TOKEN = "1f-AbCdEf123456"
APPROVE = Choice(id="approve", label="Approve", style="primary")
REJECT = Choice(
    id="reject", label="Reject", style="danger", form=(Field(name="reason", label="Why"),)
)
OWN = ["Approve", "Reject"]
SURE = "Really Approve?"


def card_of(**changed):
    given = {
        "kind": "confirm",
        "token": TOKEN,
        "run": "",
        "conversation": f"telegram:7000000001:{PRIVATE}",
        "lang": "en",
        "title": "Record a visit",
        "choices": (APPROVE, REJECT),
        "review": Review(roles=("reviewer",), delegable=False),
        "requester": "ana",
        **changed,
    }
    return Card(**given)


@pytest.fixture
def shown(platform, server, cards):
    async def show_it(chat=PRIVATE, **changed):
        card = cards[TOKEN] = card_of(**changed)
        where = f"telegram:7000000001:{chat}"
        await platform.send(where, MessageView(lang="en", card=show(card, "UTC")), key="k1")
        return server.chat(chat)[-1]

    return show_it


def wanted(card=None, lang="en"):
    return ConfirmWanted(confirm_view(card or card_of(), APPROVE, lang))


async def test_the_first_tap_asks_and_the_second_decides(shown, server, intake, deliver):
    message = await shown()
    assert message.labels == OWN
    intake.outcomes.append(wanted())
    await deliver(server.tap_update(message, "Approve"))
    assert isinstance(intake.last, CardTapped)
    assert not intake.last.confirmed
    assert message.labels == [SURE, "Not now"]
    (told,) = server.callback_answers
    assert told.text == "Record a visit: this cannot be taken back."
    assert not told.show_alert

    intake.outcomes.append(DirectAnswer("Approved.", ok=True))
    await deliver(server.tap_update(message, SURE))
    assert intake.last.confirmed
    assert intake.last.button == f"s1:{TOKEN}:approve:1"
    assert server.callback_answers[-1].text == "Approved."
    assert server.faults == []


async def test_the_words_are_those_of_the_language(shown, server, intake, deliver):
    message = await shown()
    intake.outcomes.append(wanted(lang="zh"))
    await deliver(server.tap_update(message, "Approve"))
    assert message.labels == ["确定Approve？", "再看看"]


async def test_who_thinks_again_has_the_cards_buttons_back(shown, server, intake, deliver):
    message = await shown()
    intake.outcomes.append(wanted())
    await deliver(server.tap_update(message, "Approve"))
    await deliver(server.tap_update(message, "Not now"))
    assert message.labels == OWN
    assert len(intake.updates) == 1, "nothing was decided by that"
    assert len(server.callback_answers) == 2


async def test_nobody_confirms_for_somebody_else(shown, server, intake, deliver):
    message = await shown(GROUP)
    intake.outcomes.append(wanted())
    await deliver(server.tap_update(message, "Approve", user_id=BO, name="Bo"))
    (bos, _) = message.labels
    assert bos == f"Bo: {SURE}"
    intake.outcomes.append(wanted())
    await deliver(server.tap_update(message, bos, user_id=CHEN, name="Chen"))
    assert not intake.last.confirmed, "Chen has not been asked"
    assert intake.last.button == f"s1:{TOKEN}:approve:1"
    assert message.labels[0] == f"Chen: {SURE}"
    await deliver(server.tap_update(message, f"Chen: {SURE}", user_id=CHEN, name="Chen"))
    assert intake.last.confirmed


@pytest.mark.parametrize(
    ("outcome", "labels"),
    [
        (DirectAnswer("The content has changed.", ok=False), OWN),
        (DirectAnswer("Recorded: 1 more needed", ok=True), OWN),
        (NotRecorded("Tap again."), [SURE, "Not now"]),
    ],
)
async def test_the_cards_buttons_are_back_after_a_tap_that_was_judged(
    shown, server, intake, deliver, outcome, labels
):
    message = await shown()
    intake.outcomes.append(wanted())
    await deliver(server.tap_update(message, "Approve"))
    intake.outcomes.append(outcome)
    await deliver(server.tap_update(message, SURE))
    assert message.labels == labels


@pytest.mark.parametrize(
    ("changed", "labels"),
    [({"revision": 2}, OWN), ({"status": "cancelled"}, [])],
    ids=["edited", "closed"],
)
async def test_a_card_that_changed_meanwhile_is_not_asked_about(
    shown, server, intake, deliver, cards, changed, labels
):
    message = await shown()
    intake.outcomes.append(wanted())
    cards[TOKEN] = card_of(**changed)
    await deliver(server.tap_update(message, "Approve"))
    assert message.labels == labels


async def test_really_of_an_older_card_carries_what_was_shown_then(
    shown, server, intake, deliver, cards
):
    message = await shown()
    intake.outcomes.append(wanted())
    await deliver(server.tap_update(message, "Approve"))
    late = server.tap_update(message, SURE)
    cards[TOKEN] = card_of(revision=2)
    intake.outcomes.append(DirectAnswer("The content has changed.", ok=False))
    await deliver(late)
    assert intake.last.button == f"s1:{TOKEN}:approve:1", "which the service refuses as stale"
    assert message.data("Approve") == f"s1:{TOKEN}:approve:2"


async def test_an_edit_of_the_card_takes_the_question_away(
    shown, server, intake, deliver, platform
):
    message = await shown()
    intake.outcomes.append(wanted())
    await deliver(server.tap_update(message, "Approve"))
    view = MessageView(lang="en", card=show(card_of(revision=2), "UTC"))
    await platform.edit(f"telegram:7000000001:{PRIVATE}", str(message.message_id), view)
    assert message.data("Approve") == f"s1:{TOKEN}:approve:2"
    assert message.labels == OWN


async def test_a_question_that_cannot_be_shown_leaves_the_card_as_it_is(
    shown, server, intake, deliver
):
    message = await shown()
    intake.outcomes.append(wanted())
    server.fail_next("editMessageReplyMarkup", Fault.rate_limited(30))
    assert await deliver(server.tap_update(message, "Approve")) == 200
    assert message.labels == OWN
    assert len(server.callback_answers) == 1


def test_a_question_fits_its_button_for_every_card_person_and_choice():
    token = Partitions(65536).new_id("telegram:7000000001:1")
    choice = APPROVE.model_copy(update={"id": "x" * 16})
    card = card_of(token=token.rjust(27, "f"), choices=(choice,), revision=9999)
    message = TelegramMessage(message_id=1, chat=Chat(id=GROUP, type="supergroup"))
    asked = confirm_keyboard(
        confirm_view(card, choice, "en"),
        Interaction(1, TelegramUser(id=CHEN, first_name="Chen"), message),
    )
    data = asked.inline_keyboard[0][0].callback_data
    assert len(data.encode()) <= 64
    assert parse_confirmation(data) == Confirmation(
        f"s1:{card.token}:{choice.id}:9999", user_key(CHEN)
    )

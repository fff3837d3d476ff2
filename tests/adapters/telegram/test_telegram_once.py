"""A tap is answered once: when Telegram brings it again, and when it was a double tap."""

import pytest

from adapters.telegram.inbound.polling import PollPace
from adapters.telegram.platform import TelegramPlatform
from bot.serve.intake.filters import QUICK_S, RepeatedAnswerFilter
from cards.model import Field
from engine.events import DirectAnswer, FormRefused, FormWanted
from tests.adapters.telegram.conftest import delivery
from tests.adapters.telegram.test_telegram_form_progress import CHAT, FORM
from tests.fakes.platforms.telegram.server import SECRET, TOKEN
from tests.fakes.server_clock import ServerClock
from tests.fakes.views import APPROVE, view

HERE = f"telegram:7000000001:{CHAT}"
NOT_YOU = DirectAnswer(text="Not for you.", ok=False)


@pytest.fixture
async def platform(server, lease, slate):
    server.time.stop()

    async def no_card(token):
        return None

    made = TelegramPlatform(
        bot_token=TOKEN,
        webhook_secret=SECRET,
        api_url=server.url,
        public_url="https://signoff.example",
        lease=lease,
        texts=slate,
        read_card=no_card,
        # No tap is answered before the intake has spoken.
        pace=PollPace(long_poll_s=2, pause_s=0.02, longest_s=0.1, soon_s=30),
    )
    yield made
    await made.close()


@pytest.fixture
async def deliver(aiohttp_client, platform, intake, server, slate):
    """Deliveries to an intake as the service has it."""
    once = RepeatedAnswerFilter(intake, slate, ServerClock(server.time))
    return await delivery(aiohttp_client, platform, once, server)


@pytest.fixture
async def card(server, platform):
    await platform.send(HERE, view("hi", APPROVE), key="k")
    return server.chat(CHAT)[-1]


def told(server):
    """What people saw of their taps."""
    return [answer.text for answer in server.callback_answers if answer.text]


async def test_a_tap_that_telegram_brings_twice_is_answered_once(server, deliver, intake, card):
    tap = server.tap_update(card, "Approve")
    for _ in range(3):
        intake.outcomes.append(NOT_YOU)
        assert await deliver(tap) == 200
    assert told(server) == ["Not for you."]
    assert server.chat(CHAT) == [card]


async def test_a_double_tap_is_answered_once_and_no_button_keeps_turning(
    server, deliver, intake, card
):
    for _ in range(2):
        intake.outcomes.append(NOT_YOU)
        await deliver(server.tap_update(card, "Approve"))
    assert told(server) == ["Not for you."]
    assert server.open_callbacks == {}
    server.time.skip(QUICK_S)
    intake.outcomes.append(NOT_YOU)
    await deliver(server.tap_update(card, "Approve"))
    assert told(server) == ["Not for you."] * 2


@pytest.mark.parametrize("one_field", [True, False])
async def test_a_double_tap_asks_for_a_form_once(server, deliver, intake, card, one_field):
    fields = (Field(name="reason", label="Reason"),) if one_field else FORM.fields
    for _ in range(2):
        intake.outcomes.append(FormWanted(FORM.model_copy(update={"fields": fields})))
        await deliver(server.tap_update(card, "Approve"))
    assert len(server.chat(CHAT)) == 2
    assert server.open_callbacks == {}


async def test_a_refused_answer_is_asked_for_again_once(server, deliver, intake, card):
    wanted = FORM.model_copy(update={"fields": (Field(name="reason", label="Reason"),)})
    intake.outcomes.append(FormWanted(wanted))
    await deliver(server.tap_update(card, "Approve"))
    reply = server.reply_update(server.chat(CHAT)[-1], "x")
    for _ in range(3):
        intake.outcomes.append(FormRefused({"reason": "Say more."}))
        await deliver(reply)
    assert [message.text for message in server.chat(CHAT)].count(server.chat(CHAT)[-1].text) == 1
    assert "Say more." in server.chat(CHAT)[-1].text


async def test_each_step_of_a_form_is_shown_once(server, deliver, intake, card):
    intake.outcomes.append(FormWanted(FORM))
    await deliver(server.tap_update(card, "Approve"))
    typed = server.reply_update(server.chat(CHAT)[-1], "61")
    for _ in range(3):
        await deliver(typed)
    chosen = server.tap_update(server.chat(CHAT)[-1], "B")
    for _ in range(3):
        await deliver(chosen)
    said = server.command_update("/cancel", chat_id=CHAT, reply_to=server.chat(CHAT)[-1])
    for _ in range(3):
        await deliver(said)
    texts = [message.text for message in server.chat(CHAT)]
    # The card, three questions, and how it ended.
    assert len(texts) == len(set(texts)) == 5
    assert texts[-1].endswith("Dropped; nothing was sent.")

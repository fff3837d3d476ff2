import asyncio
import io
import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from cards.model import Field
from cards.showing.view import ButtonView, CardView, FormView, MessageView
from engine.events import (
    Accepted,
    CardTapped,
    CommandGiven,
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageReceived,
    NotRecorded,
)
from tests.fakes.platforms.faults import Fault

PATH = "/telegram/webhook"
DATA = "s1:1f-AbCdEf123456:approve:1"
GROUP = "telegram:7000000001:-100200300:77"
FORM = FormView(
    data="s1:1f-AbCdEf123456:fill:1",
    lang="en",
    title="Record a visit",
    submit="Send",
    cancel="Cancel",
    fields=(
        Field(name="weight_kg", label="Weight", type="number", unit="kg"),
        Field(name="ecog", label="ECOG", type="integer"),
    ),
    edits=True,
)


@pytest.fixture
async def client(aiohttp_client, platform, intake):
    app = web.Application()
    app.add_routes(platform.routes(intake))
    return await aiohttp_client(app)


@pytest.fixture
async def card(server, platform):
    """A card with a button, in a topic of a group."""
    view = CardView(
        token="1f-AbCdEf123456",
        kind="confirm",
        title="Record?",
        buttons=(ButtonView(data=DATA, label="Approve"),),
    )
    await platform.send(GROUP, MessageView(lang="en", card=view), key="k1")
    return server.chat(-100200300)[0]


@pytest.fixture
async def prompt(server, intake, deliver, card):
    """A prompt for FORM that the bot sent after a tap."""
    intake.outcomes.append(FormWanted(FORM))
    assert await deliver(server.tap_update(card, "Approve", user_id=1002, name="Bo")) == 200
    return server.chat(-100200300)[-1]


async def test_a_message_goes_to_intake_and_is_taken(server, intake, deliver):
    assert await deliver(server.message_update("hello")) == 200
    assert isinstance(intake.last, MessageReceived)
    assert intake.last.text == "hello"
    assert server.calls == []


async def test_the_bots_name_is_asked_for_once_when_a_group_needs_it(server, intake, deliver):
    for text in ("@other_bot hi", "@signoff_bot hi", "@SIGNOFF_BOT hi"):
        assert await deliver(server.message_update(text, chat_id=-5)) == 200
    assert len(intake.updates) == 2
    assert server.count("getMe") == 1


@pytest.mark.parametrize("update", ["hello", "/cancel"])
async def test_what_was_not_recorded_is_delivered_again(server, intake, deliver, update):
    intake.outcomes.append(NotRecorded("not now"))
    shaped = server.command_update if update.startswith("/") else server.message_update
    assert await deliver(shaped(update)) == 503
    assert isinstance(intake.last, CommandGiven if update.startswith("/") else MessageReceived)


async def test_a_tap_that_was_not_recorded_is_said_so(server, intake, deliver, card):
    intake.outcomes.append(NotRecorded("Not recorded, tap again"))
    assert await deliver(server.tap_update(card, "Approve")) == 200
    (answer,) = server.callback_answers
    assert (answer.text, answer.show_alert) == ("Not recorded, tap again", True)


@pytest.mark.parametrize("ok", [True, False])
async def test_a_judged_tap_is_answered_to_the_tapper(server, intake, deliver, card, ok):
    intake.outcomes.append(DirectAnswer("😀" * 300, ok=ok))
    assert await deliver(server.tap_update(card, "Approve")) == 200
    assert isinstance(intake.last, CardTapped)
    assert (intake.last.button, intake.last.conversation) == (DATA, GROUP)
    (answer,) = server.callback_answers
    assert (answer.text, answer.show_alert) == ("😀" * 99 + "…", not ok)
    assert server.faults == []


async def test_an_accepted_tap_stops_the_waiting_sign(server, intake, deliver, card):
    intake.outcomes.append(Accepted(duplicate=True))
    assert await deliver(server.tap_update(card, "Approve")) == 200
    assert [answer.text for answer in server.callback_answers] == [""]


async def test_a_tap_that_telegram_forgot_is_taken_all_the_same(server, intake, deliver, card):
    tap = server.tap_update(card, "Approve")
    intake.outcomes.extend([DirectAnswer("done", ok=True), DirectAnswer("done", ok=True)])
    assert [await deliver(tap), await deliver(tap)] == [200, 200]
    assert len(server.callback_answers) == 1
    assert server.faults == []


async def test_an_answer_that_fails_changes_nothing(server, intake, deliver, card):
    intake.outcomes.append(FormWanted(FORM))
    server.fail_next("answerCallbackQuery", Fault.broken())
    server.fail_next("sendMessage", Fault.rate_limited(3))
    assert await deliver(server.tap_update(card, "Approve")) == 200


async def test_a_wanted_form_is_a_prompt_for_the_tapper(server, prompt):
    assert prompt.force_reply
    assert prompt.topic == 77
    assert "• Weight (kg): …\n• ECOG: …" in prompt.text
    mentions = [e["user"]["id"] for e in prompt.entities if e["type"] == "text_mention"]
    assert mentions == [1002]
    assert [answer.text for answer in server.callback_answers] == [""]
    assert server.faults == []


async def test_a_reply_to_the_prompt_is_the_form(server, intake, deliver, prompt):
    reply = server.reply_update(prompt, "weight: 70.5\nECOG: 1", user_id=1002, name="Bo")
    assert await deliver(reply) == 200
    assert isinstance(intake.last, FormSubmitted)
    assert intake.last.button == FORM.data
    assert intake.last.values == {"weight_kg": "70.5", "ecog": "1"}
    assert intake.last.conversation == GROUP


async def test_a_refused_form_is_asked_again_with_its_faults(server, intake, deliver, prompt):
    intake.outcomes.append(FormRefused({"weight_kg": "must be at most 300"}))
    assert await deliver(server.reply_update(prompt, "weight: 900\necog: 1", user_id=1002)) == 200
    again = server.chat(-100200300)[-1]
    assert "• Weight (kg): must be at most 300" in again.text
    assert again.force_reply
    assert await deliver(server.reply_update(again, "weight: 90\necog: 1", user_id=1002)) == 200
    assert intake.last.values == {"weight_kg": "90", "ecog": "1"}
    assert server.faults == []


async def test_an_answered_form_is_told_under_the_reply(server, intake, deliver, prompt):
    intake.outcomes.append(DirectAnswer("Recorded, @Ana <b>", ok=True))
    reply = server.reply_update(prompt, "weight: 70\necog: 1", user_id=1002)
    assert await deliver(reply) == 200
    told = server.chat(-100200300)[-1]
    assert told.text == "Recorded, @\u2060Ana <b>"
    assert (told.reply_to, told.topic) == (reply["message"]["message_id"], 77)


async def test_a_form_that_was_not_recorded_is_delivered_again(server, intake, deliver, prompt):
    intake.outcomes.append(NotRecorded("not now"))
    assert await deliver(server.reply_update(prompt, "weight: 70\necog: 1")) == 503


async def test_a_form_link_that_a_person_typed_is_just_a_message(server, intake, deliver, payload):
    assert await deliver(payload("forged_form_reply")) == 200
    assert isinstance(intake.last, MessageReceived)


@pytest.mark.parametrize("headers", [{}, {"X-Telegram-Bot-Api-Secret-Token": "wrong ünd"}])
async def test_without_the_secret_nothing_is_taken(client, server, intake, headers):
    response = await client.post(PATH, json=server.message_update("hello"), headers=headers)
    assert response.status == 401
    assert intake.updates == []


async def test_a_body_over_one_mebibyte_is_too_large(client, server, intake):
    body = io.BytesIO(json.dumps(server.message_update("x" * (1 << 20))).encode())
    response = await client.post(PATH, data=body, headers=server.secret_headers())
    assert response.status == 413
    assert intake.updates == []


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b"[]", b"3", b'{"update_id": "x"}', b"[" * 100_000]
)
async def test_what_is_no_update_is_refused(client, server, intake, body):
    response = await client.post(PATH, data=body, headers=server.secret_headers())
    assert response.status == 400
    assert intake.updates == []


@pytest.mark.parametrize("name", ["channel_post", "tap_on_game"])
async def test_what_we_do_not_know_is_taken_and_ignored(deliver, payload, intake, name):
    assert await deliver(payload(name)) == 200
    assert intake.updates == []


async def test_listening_registers_the_webhook_and_returns(server, platform, intake):
    server.fail_next("setWebhook", Fault.rate_limited(), times=2)
    await platform.listen(intake)
    assert server.webhook["url"] == "https://signoff.example/telegram/webhook"
    assert server.webhook["secret_token"] == server.secret
    assert server.webhook["allowed_updates"] == ["message", "edited_message", "callback_query"]
    assert server.faults == []


async def test_without_a_secret_there_is_no_route(polling, intake):
    assert polling.routes(intake) == []


@pytest.fixture
async def slow(server, platform, intake, aiohttp_client):
    """Delivers to an intake that answers only once the test lets it."""
    let = asyncio.Event()

    async def answering(update):
        await let.wait()
        return await intake(update)

    app = web.Application()
    app.add_routes(platform.routes(answering))
    client = await aiohttp_client(app)

    @asynccontextmanager
    async def delivering(update):
        async with asyncio.TaskGroup() as group:
            posted = client.post(PATH, json=update, headers=server.secret_headers())
            task = group.create_task(posted)
            await server.wait_for(lambda: server.count("answerCallbackQuery") == 1)
            yield
            let.set()
        assert task.result().status == 200

    return delivering


async def test_a_tap_is_answered_while_the_store_is_slow(server, intake, slow, card):
    intake.outcomes.append(DirectAnswer("Approved by Bo", ok=True))
    async with slow(server.tap_update(card, "Approve", user_id=1002, name="Bo")):
        (answer,) = server.callback_answers
        assert (answer.text, answer.show_alert) == ("Received, working on it…", False)
        assert intake.updates == []
    told = server.chat(-100200300)[-1]
    assert told.text == "Bo Approved by Bo"
    assert (told.reply_to, told.topic) == (card.message_id, 77)
    assert server.count("answerCallbackQuery") == 1
    assert server.faults == []


async def test_a_form_that_is_wanted_late_is_asked_all_the_same(server, intake, slow, card):
    intake.outcomes.append(FormWanted(FORM))
    async with slow(server.tap_update(card, "Approve", user_id=1002, name="Bo")):
        assert len(server.callback_answers) == 1
    assert server.chat(-100200300)[-1].force_reply


async def test_what_was_not_recorded_late_is_said_in_a_message(server, intake, slow, card):
    intake.outcomes.append(NotRecorded("Not recorded, tap again"))
    async with slow(server.tap_update(card, "Approve", user_id=1002, name="Bo")):
        assert len(server.callback_answers) == 1
    assert server.chat(-100200300)[-1].text == "Bo Not recorded, tap again"

"""What Telegram brings us and how, fact by fact (tests/fakes/platforms/facts.yaml)."""

import asyncio
from itertools import pairwise

import pytest

from engine.events import DirectAnswer, NotRecorded
from tests.fakes.bot_api import call
from tests.fakes.listening import listening
from tests.fakes.platforms.telegram.delivery import CALLBACK_LIFE_S
from tests.fakes.views import APPROVE, view

CHAT = "telegram:7000000001:1001"
AWAY = NotRecorded("Not recorded, tap again")
WEBHOOK = {"url": "https://bot.example/hook", "secret_token": "abc"}
fact = pytest.mark.fact


@pytest.fixture
async def card(server, platform):
    await platform.send(CHAT, view("hi", APPROVE), key="k")
    return server.chat(1001)[0]


# What comes in: the webhook


@fact("telegram/webhook-retry", "telegram/sdk-duplicates")
async def test_what_was_not_recorded_comes_again_when_we_ask_for_it(server, door, intake):
    intake.outcomes.extend([AWAY] * 3)
    attempts = await server.deliver(server.message_update("hello"), url=door)
    assert [attempt.status for attempt in attempts] == [503, 503, 503, 200]
    waits = [round(b.at - a.at) for a, b in pairwise(attempts)]
    assert waits == [5, 5, 5], "as our Retry-After says"
    assert len({update.id for update in intake.updates}) == 1


@fact("telegram/webhook-retry")
async def test_any_other_answer_than_2xx_is_a_failure_and_waited_out(server, door):
    attempts = await server.deliver(server.message_update("hello"), url=door + "/off", tries=7)
    assert [attempt.status for attempt in attempts] == [404] * 7
    waits = [round(b.at - a.at) for a, b in pairwise(attempts)]
    assert waits == [0, 2, 4, 8, 16, 32]


@fact("telegram/order")
async def test_an_update_that_fails_holds_up_its_chat_and_no_other(server, door, intake):
    first, second = (server.message_update(text, chat_id=1001) for text in ("one", "two"))
    elsewhere = server.message_update("three", chat_id=1002)
    intake.outcomes.extend([AWAY])
    await server.deliver(first, second, elsewhere, url=door)
    assert [update.text for update in intake.updates] == ["one", "three", "one", "two"]


@fact("telegram/order", "telegram/webhook-retry")
async def test_an_update_that_nobody_can_read_does_not_hold_up_its_chat(server, door, intake):
    odd, fine = server.message_update("odd"), server.message_update("fine")
    odd["message"]["from"] = "nobody"
    attempts = await server.deliver(odd, fine, url=door)
    assert [attempt.status for attempt in attempts] == [200, 200]
    assert [update.text for update in intake.updates] == ["fine"]


@fact("telegram/expiry")
@pytest.mark.parametrize(("kind", "life_s"), [("tap", 150), ("message", 86_400)])
async def test_an_update_that_was_not_taken_in_time_is_lost(server, card, kind, life_s):
    server.time.stop()
    shaped = {"tap": server.tap_update(card, "Approve"), "message": server.message_update("hi")}
    update = shaped[kind]
    server.time.skip(life_s)
    nowhere = "http://127.0.0.1:9/"
    assert len(await server.deliver(update, url=nowhere, tries=1)) == 1
    server.time.skip(1)
    assert await server.deliver(update, url=nowhere) == []


@fact("telegram/expiry", "telegram/too-old")
async def test_a_tap_that_is_not_recorded_is_told_at_once_and_not_left_to_retries(
    server, door, intake, card
):
    intake.outcomes.append(AWAY)
    attempts = await server.deliver(server.tap_update(card, "Approve"), url=door)
    assert [attempt.status for attempt in attempts] == [200]
    assert [answer.text for answer in server.callback_answers] == [AWAY.text]


@fact("telegram/secret")
async def test_what_does_not_bring_the_secret_is_not_taken(server, door, intake):
    server.secret = "another"
    attempts = await server.deliver(server.message_update("hello"), url=door, tries=2)
    assert [attempt.status for attempt in attempts] == [401, 401]
    assert intake.updates == []


@fact("telegram/set-webhook", "telegram/allowed-updates")
async def test_the_webhook_that_we_set_is_one_that_telegram_takes(server, platform, intake):
    await platform.listen(intake)
    assert server.webhook["url"] == "https://signoff.example/telegram/webhook"
    assert server.webhook["secret_token"] == server.secret
    assert server.allowed == ["message", "edited_message", "callback_query"]
    assert server.faults == []


@fact("telegram/set-webhook")
@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"url": "http://bot.example/hook"}, "HTTPS"),
        ({"url": "https://bot.example:8080/hook"}, "ports"),
        ({"secret_token": "a b"}, "unallowed characters"),
        ({"secret_token": "x" * 257}, "unallowed characters"),
    ],
)
async def test_a_webhook_of_another_kind_is_refused(server, more, told):
    assert told in (await call(server, "setWebhook", **(WEBHOOK | more)))["description"]


@fact("telegram/set-webhook")
async def test_a_webhook_is_set_once_a_second(server):
    server.time.stop()
    assert (await call(server, "setWebhook", **WEBHOOK))["ok"]
    again = await call(server, "setWebhook", **WEBHOOK)
    assert (again["error_code"], again["parameters"]) == (429, {"retry_after": 1})
    server.time.skip(1)
    assert (await call(server, "setWebhook", **WEBHOOK))["ok"]


@fact("telegram/allowed-updates")
async def test_which_updates_come_stays_as_it_was_said_last(server, door, intake):
    joined = {"update_id": 1, "chat_member": {"chat": {"id": 1001}}}
    assert await server.deliver(joined, url=door) == []
    await call(server, "setWebhook", **WEBHOOK, allowed_updates='["message"]')
    server.time.skip(1)
    await call(server, "setWebhook", **WEBHOOK)
    assert server.allowed == ["message"]


# What comes in: polling


@fact("telegram/webhook-or-poll")
async def test_who_polls_takes_the_webhook_away_first(server, polling, intake):
    await call(server, "setWebhook", **WEBHOOK)
    assert (await call(server, "getUpdates"))["error_code"] == 409
    server.faults.clear()
    await server.queue(server.message_update("hello"))
    async with listening(polling, intake):
        await intake.wait_for(1)
    assert server.webhook == {}
    assert server.faults == []


@fact("telegram/second-poller")
async def test_a_second_poller_ends_the_first_one_which_waits_and_asks_again(
    server, polling, intake
):
    async with listening(polling, intake):
        await server.wait_for(lambda: server.count("getUpdates") == 1)
        other = asyncio.create_task(call(server, "getUpdates", timeout=50))
        await server.wait_for(lambda: server.count("getUpdates") == 3)
        # Ours asked again, and so ended the other's in its turn.
        assert (await other)["error_code"] == 409
        await server.queue(server.message_update("hello"))
        await intake.wait_for(1)


@fact("telegram/get-updates")
async def test_an_update_is_forgotten_only_once_a_later_one_is_asked_for(server, polling, intake):
    intake.outcomes.append(AWAY)
    await server.queue(server.message_update("one"), server.message_update("two"))
    async with listening(polling, intake):
        await server.wait_for(lambda: not server.waiting)
    assert [update.text for update in intake.updates] == ["one", "one", "two"]


@fact("telegram/get-updates")
async def test_a_hundred_updates_come_at_once_and_below_zero_is_counted_from_the_end(server):
    await server.queue(*(server.message_update(str(n)) for n in range(120)))
    assert len((await call(server, "getUpdates", limit="500"))["result"]) == 100
    last = (await call(server, "getUpdates", offset="-3"))["result"]
    assert [update["message"]["text"] for update in last] == ["117", "118", "119"]
    assert len(server.waiting) == 3


# Taps


@fact("telegram/too-old")
async def test_a_tap_that_telegram_has_forgotten_does_no_harm(server, door, intake, card):
    intake.outcomes.append(DirectAnswer("Approved", ok=True))
    tap = server.tap_update(card, "Approve")
    server.open_callbacks.clear()
    assert [a.status for a in await server.deliver(tap, url=door)] == [200]
    assert server.callback_answers == []
    assert server.faults == []


@fact("telegram/too-old")
async def test_a_tap_is_answered_once_and_while_it_is_young(server, card):
    first, second = (server.tap_update(card, "Approve")["callback_query"]["id"] for _ in range(2))
    assert (await call(server, "answerCallbackQuery", callback_query_id=first))["ok"]
    again = await call(server, "answerCallbackQuery", callback_query_id=first)
    assert "query is too old" in again["description"]
    server.time.skip(CALLBACK_LIFE_S + 1)
    late = await call(server, "answerCallbackQuery", callback_query_id=second)
    assert "query is too old" in late["description"]


@fact("telegram/alert")
async def test_an_answer_to_a_tap_is_as_long_as_telegram_takes(server, door, intake, card):
    intake.outcomes.append(DirectAnswer("word " * 100, ok=False))
    await server.deliver(server.tap_update(card, "Approve"), url=door)
    (answer,) = server.callback_answers
    assert 150 < len(answer.text) <= 200


@fact("telegram/sdk-duplicates")
async def test_a_tap_that_comes_twice_is_one_update(server, door, intake, card):
    tap = server.tap_update(card, "Approve")
    await server.deliver(tap, url=door)
    await server.deliver(tap, url=door)
    assert intake.updates[0] == intake.updates[1]

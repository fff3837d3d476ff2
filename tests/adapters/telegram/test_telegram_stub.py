"""The stub refuses what Telegram refuses; else the tests against it would prove little."""

import json

import pytest
from aiohttp import ClientSession

from tests.fakes.platforms.telegram.text import BadHtml, parse_html


async def call(server, method, **params):
    async with (
        ClientSession() as session,
        session.post(f"{server.url}/bot{server.token}/{method}", data=params) as response,
    ):
        return await response.json()


@pytest.mark.parametrize(
    "html",
    [
        "<b>open",
        "<b><i>crossed</b></i>",
        "</b>",
        "a < b",
        "a > b",
        "a & b",
        "&nbsp;",
        "<h1>x</h1>",
        "<p>x</p>",
        '<b class="x">x</b>',
        "<a>x</a>",
        '<a href="https://x.example"><a href="https://y.example">x</a></a>',
        "<code><b>x</b></code>",
        "<blockquote><blockquote>x</blockquote></blockquote>",
    ],
)
def test_markup_that_telegram_does_not_know_is_refused(html):
    with pytest.raises(BadHtml):
        parse_html(html)


def test_entities_are_counted_in_utf16_units_of_the_trimmed_text():
    parsed = parse_html("\n😀 <b>bold &amp; <i>both</i></b> \n")
    assert parsed.text == "😀 bold & both"
    assert parsed.entities == [
        {"type": "bold", "offset": 3, "length": 11},
        {"type": "italic", "offset": 10, "length": 4},
    ]


@pytest.mark.parametrize(
    ("params", "description"),
    [
        ({"text": " \u2060 "}, "message text is empty"),
        ({"text": "x" * 4097}, "message is too long"),
        ({"text": "😀" * 2049}, "message is too long"),
        ({"text": "<b>", "parse_mode": "HTML"}, "can't parse entities"),
        ({"text": "x", "reply_markup": "{"}, "can't parse reply_markup JSON object"),
    ],
)
async def test_texts_that_telegram_does_not_take_are_faults(server, params, description):
    answer = await call(server, "sendMessage", chat_id="1001", **params)
    assert not answer["ok"]
    assert answer["description"].startswith(f"Bad Request: {description}")
    assert len(server.faults) == 1
    assert server.chat(1001) == []


@pytest.mark.parametrize(
    ("rows", "description"),
    [
        ([[{"text": "a", "callback_data": "é" * 33}]], "BUTTON_DATA_INVALID"),
        ([[{"text": "a", "callback_data": ""}]], "BUTTON_DATA_INVALID"),
        ([[{"text": "a", "callback_data": "x"}] * 9], "reply markup is too long"),
        ([[{"text": "a", "callback_data": "x"}]] * 101, "reply markup is too long"),
    ],
)
async def test_keyboards_that_telegram_does_not_take_are_faults(server, rows, description):
    markup = json.dumps({"inline_keyboard": rows})
    answer = await call(server, "sendMessage", chat_id="1001", text="x", reply_markup=markup)
    assert answer["description"] == f"Bad Request: {description}"


async def test_an_edit_of_nothing_is_refused_but_is_no_fault(server):
    await call(server, "sendMessage", chat_id="1001", text="x")
    answer = await call(server, "editMessageText", chat_id="1001", message_id="1", text="x")
    assert "message is not modified" in answer["description"]
    assert server.faults == []


async def test_a_tap_is_answered_once(server):
    markup = json.dumps({"inline_keyboard": [[{"text": "Go", "callback_data": "x"}]]})
    await call(server, "sendMessage", chat_id="1001", text="x", reply_markup=markup)
    tap = server.tap_update(server.chat(1001)[0], "Go")["callback_query"]["id"]
    assert (await call(server, "answerCallbackQuery", callback_query_id=tap))["ok"]
    again = await call(server, "answerCallbackQuery", callback_query_id=tap)
    assert "query is too old" in again["description"]


async def test_polling_while_a_webhook_is_set_is_a_conflict(server):
    await call(server, "setWebhook", url="https://x.example", secret_token="abc")
    answer = await call(server, "getUpdates")
    assert answer["error_code"] == 409


async def test_a_wrong_token_is_not_found(server):
    server.token = "7000000001:other"
    async with (
        ClientSession() as session,
        session.get(f"{server.url}/bot7000000001:wrong/getMe") as response,
    ):
        assert response.status == 404

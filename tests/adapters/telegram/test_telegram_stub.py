"""The stub refuses what Telegram refuses; else the tests against it would prove little."""

import json

import pytest
from aiohttp import ClientSession

from tests.fakes.bot_api import call
from tests.fakes.platforms.telegram.text import BadHtml, parse_html
from tests.fakes.tables import table


@table(
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


@pytest.mark.fact("telegram/text")
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


@pytest.mark.fact("telegram/keyboard", "telegram/callback-data")
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


async def test_a_wrong_token_is_not_found(server):
    server.token = "7000000001:other"
    async with (
        ClientSession() as session,
        session.get(f"{server.url}/bot7000000001:wrong/getMe") as response,
    ):
        assert response.status == 404

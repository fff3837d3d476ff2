"""Redis goes away and comes back: nothing is said to be recorded that is not."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.redis.server.embedded import EmbeddedServer
from engine.time_limit import allow_seconds
from tests.fakes.gate import Gate
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.slack_app import local_slack
from tests.fakes.web_room import WebRoom, new_id
from tests.scenarios.conftest import Start, admitting
from tests.scenarios.test_web_walk import to_review


@pytest.fixture
async def gate(redis_server: EmbeddedServer) -> AsyncIterator[Gate]:
    async with Gate(redis_server.url.removeprefix("unix://")) as gate:
        yield gate


async def test_a11_a_tap_while_the_store_is_away_is_not_recorded_and_works_later(
    start: Start, gate: Gate
) -> None:
    service = await start(redis_url=f"redis://127.0.0.1:{gate.port}/0", lease_s=1)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        gate.shut()
        status, answer = await room.tap("chen", card, "approve")
        assert status == 503
        # Nobody can read the card that says the language.
        assert answer["text"] == (
            "没有记录成功，请稍后再点一次。 Not recorded; please tap again in a moment."
        )
        status, answer = await room.post("messages", "lin", text="hello", id=new_id())
        assert (status, answer["text"]) == (
            503,
            "This may not have arrived. If no answer comes, please send it again in a moment.",
        )
        async with aiohttp.ClientSession() as http, http.get(f"{service.url}/readyz") as ready:
            assert ready.status == 503
        gate.open()
        status, answer = await room.tap("chen", card, "approve")
        assert (status, answer["ok"]) == (200, True)
        await room.card("phase_done")


async def test_events_get_503_and_taps_are_told(start: Start, gate: Gate, tmp_path: Path) -> None:
    async with (
        local_slack() as slack,
        TelegramServer() as telegram,
        aiohttp.ClientSession() as http,
    ):
        service = await start(
            redis_url=f"redis://127.0.0.1:{gate.port}/0",
            people=admitting(tmp_path, "{platforms: [slack, telegram]}"),
            webchat=False,
            slack_bot_token=slack.bot_token,
            slack_signing_secret=slack.signing_secret,
            slack_api_url=slack.api_url,
            telegram_bot_token=telegram.token,
            telegram_webhook_secret=telegram.secret,
            telegram_api_url=telegram.url,
        )
        gate.shut()
        body, headers = slack.signed_request(slack.message_event("hello"))
        url = f"{service.url}/slack/events"
        async with http.post(url, data=body, headers=headers) as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
        update = telegram.message_update("hello")
        url = f"{service.url}/telegram/webhook"
        async with http.post(url, json=update, headers=telegram.secret_headers()) as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
        gate.open()
        async with http.post(url, json=update, headers=telegram.secret_headers()) as answer:
            assert answer.status == 200
        await telegram.wait_for(lambda: bool(telegram.chat(1001)), 20)


async def test_a_store_that_hangs_is_answered_in_slacks_time_at_every_door(
    start: Start, gate: Gate, tmp_path: Path
) -> None:
    async with (
        local_slack() as slack,
        TelegramServer() as telegram,
        aiohttp.ClientSession() as http,
    ):
        service = await start(
            people=admitting(tmp_path, "{platforms: [slack, telegram]}"),
            redis_url=f"redis://127.0.0.1:{gate.port}/0",
            slack_bot_token=slack.bot_token,
            slack_signing_secret=slack.signing_secret,
            slack_api_url=slack.api_url,
            telegram_bot_token=telegram.token,
            telegram_webhook_secret=telegram.secret,
            telegram_api_url=telegram.url,
        )

        async def to_slack(payload: Any) -> int:
            body, headers = slack.signed_request(payload)
            url = f"{service.url}/slack/events"
            async with http.post(url, data=body, headers=headers) as answer:
                return answer.status

        async def to_telegram(update: Any) -> int:
            url = f"{service.url}/telegram/webhook"
            async with http.post(url, json=update, headers=telegram.secret_headers()) as answer:
                return answer.status

        async with WebRoom(service.url) as room:
            card = await to_review(room)
            gate.hang()
            doors = {
                "slack message": to_slack(slack.message_event("hello")),
                "slack command": to_slack(slack.slash_command("/pending")),
                "telegram message": to_telegram(telegram.message_update("hello")),
                "telegram group": to_telegram(telegram.message_update("hello", chat_id=-100777)),
                "web message": _status(room.post("messages", "lin", text="hello", id=new_id())),
                "web tap": _status(room.tap("chen", card, "approve")),
            }
            # As long as Slack waits, not counting where this process stood still.
            async with allow_seconds(3.0):
                told = dict(zip(doors, await asyncio.gather(*doors.values()), strict=True))
            gate.open()
        # A command's answer is the body of a 200: "not recorded".
        wanted = {name: 200 if name == "slack command" else 503 for name in doors}
        assert told == wanted


async def _status(posted: Awaitable[tuple[int, Any]]) -> int:
    return (await posted)[0]

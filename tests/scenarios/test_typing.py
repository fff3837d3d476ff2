"""While a turn lasts, the chat says again and again that the bot is typing."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.model_server import ModelServer, slow
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.scenarios.conftest import Start
from tests.scenarios.test_model_walk import settings as model_settings
from tests.scenarios.test_platform_walk import (
    REQUESTER_ID,
    WAIT_S,
    TelegramSide,
    telegram_settings,
    with_accounts,
)
from tests.scenarios.test_streaming import QUESTION, answering


async def test_typing_is_kept_alive_until_the_answer_is_there(
    start: Start,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.lanes.TYPING_EVERY_S", 0.05)
    answered = asyncio.Event()
    async with ModelServer(answering(slow(answered, "It is well."))) as model:
        service = await start(
            people=with_accounts(people_file, "T0"),
            webchat=False,
            **telegram_settings(telegram),
            **model_settings(model),
        )
        side = TelegramSide(service, telegram, http)
        await side.send(telegram.message_update(QUESTION, chat_id=REQUESTER_ID))
        await telegram.wait_for(lambda: len(telegram.actions) >= 4, WAIT_S)
        assert set(telegram.actions) == {(REQUESTER_ID, "typing")}
        answered.set()
        await side.shown(REQUESTER_ID, "It is well.")

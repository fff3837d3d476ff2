"""A36: Telegram no longer takes the answer to a tap: the decision stays, and the message tells."""

from pathlib import Path

import aiohttp
import pytest

from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import WebRoom
from tests.reviews.test_a28_edited_after_an_approval import stored
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    REVIEWER_ID,
    TelegramSide,
    telegram_settings,
    with_accounts,
)
from tests.scenarios.test_web_walk import to_review


@pytest.mark.parametrize("label", ["批准", "驳回", "修改内容"])
async def test_a36_a_tap_whose_query_is_too_old_counts_all_the_same(
    start: Start,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    label: str,
) -> None:
    service = await start(people=with_accounts(people_file, "T0"), **telegram_settings(telegram))
    chat = TelegramSide(service, telegram, http)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        shown = await chat.shown(REVIEWER_ID, "请审核")
        tap = telegram.tap_update(shown, label, name="Bo")
        if label == "批准":
            await chat.send(tap)
            tap = telegram.tap_update(shown, shown.labels[0], name="Bo")
            telegram.callback_answers.clear()
        asked = telegram.count("answerCallbackQuery")
        telegram.open_callbacks.clear()
        await chat.send(tap)
        assert telegram.count("answerCallbackQuery") == asked + 1
        assert telegram.callback_answers == [], "it was refused as too old"
        if label == "驳回":
            prompt = await chat.shown(REVIEWER_ID, "驳回理由")
            await chat.send(telegram.reply_update(prompt, "体重请复核", name="Bo"))
        if label == "修改内容":
            prompt = await chat.shown(REVIEWER_ID, "不是批准")
            await chat.send(telegram.reply_update(prompt, "体重：72", name="Bo"))
            await telegram.wait_for(lambda: "72 kg" in shown.text)
            assert (await stored(service, card["token"])).status == "open"
            return
        assert (await stored(service, card["token"])).status == "decided"
        await telegram.wait_for(lambda: not shown.keyboard and label in shown.text)
        # Telegram sends it again: the same decision.
        await chat.send(tap)
        assert (await stored(service, card["token"])).status == "decided"

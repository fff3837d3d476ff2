"""What people on Telegram take for granted, over the whole service."""

from pathlib import Path

import aiohttp

from tests.fakes.telegram_server import TelegramServer
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    ASK_ZH,
    REQUESTER_ID,
    REVIEWER_ID,
    TelegramSide,
    telegram_settings,
    with_accounts,
)


async def test_a_visit_is_filled_in_field_by_field_and_goes_to_review(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, "T0")
    service = await start(people=people, webchat=False, **telegram_settings(telegram))
    chat = TelegramSide(service, telegram, http)
    await chat.send(telegram.message_update(ASK_ZH, chat_id=REQUESTER_ID))
    card = await chat.shown(REQUESTER_ID, "录入访视")
    await chat.send(telegram.tap_update(card, "提交"))
    for answer in ("二", "2", "61.5", "121", "77"):
        prompt = telegram.chat(REQUESTER_ID)[-1]
        assert prompt.force_reply
        await chat.send(telegram.reply_update(prompt, answer))
    while (shown := telegram.chat(REQUESTER_ID)[-1]).force_reply:
        skip = telegram.command_update("/skip", chat_id=REQUESTER_ID, reply_to=shown)
        await chat.send(skip)
    assert "61.5" in shown.text
    await chat.send(telegram.tap_update(shown, "提交"))
    review = await chat.shown(REVIEWER_ID, "请审核")
    await chat.send(telegram.tap_update(review, "批准", name="Bo"))
    await chat.shown(REQUESTER_ID, "访视已录入")
    visits = await service.parts.handling.records.visits("P003")
    assert visits[-1].weight_kg == 61.5

"""What people on Telegram take for granted, over the whole service."""

import re
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.platforms.telegram.server import BOT_ID, TelegramServer
from tests.fakes.platforms.telegram.updates import Sent
from tests.fakes.study import visits_in
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_platform_walk import (
    ASK_ZH,
    BYSTANDER_ID,
    REQUESTER_ID,
    REVIEWER_ID,
    TelegramSide,
    telegram_settings,
    with_accounts,
)

ANSWER = "ECOG 2,体重 61.5,血压 121/77"
OLD_ID, GROUP_ID = -5001, -1001234567890


@pytest.fixture
async def service(start: Start, telegram: TelegramServer, people_file: Path) -> Service:
    """A service on Telegram alone."""
    people = with_accounts(people_file, "T0")
    return await start(people=people, webchat=False, **telegram_settings(telegram))


@pytest.fixture
def chat(service: Service, telegram: TelegramServer, http: aiohttp.ClientSession) -> TelegramSide:
    """What people do there."""
    return TelegramSide(service, telegram, http)


async def test_a_visit_is_filled_in_field_by_field_and_goes_to_review(
    chat: TelegramSide, service: Service
) -> None:
    telegram = chat.server
    await chat.send(telegram.message_update(ASK_ZH, chat_id=REQUESTER_ID))
    card = await chat.shown(REQUESTER_ID, "录入访视")
    await chat.send(telegram.tap_update(card, "填写…"))
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
    await chat.confirm(review, "批准", name="Bo")
    await chat.shown(REQUESTER_ID, "访视已录入")
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 61.5


async def asked_for_review(chat: TelegramSide, at: int = REVIEWER_ID) -> Sent:
    """A visit that the requester asked for; its card in that chat."""
    telegram = chat.server
    await chat.send(telegram.message_update(ASK_ZH, chat_id=REQUESTER_ID))
    await chat.shown(REQUESTER_ID, "录入访视")
    await chat.send(telegram.message_update(ANSWER, chat_id=REQUESTER_ID))
    return await chat.shown(at, "请审核")


async def opened(chat: TelegramSide, payload: str, person: int) -> str:
    """What the link's /start shows to a person in their own chat."""
    before = len(chat.server.chat(person))
    await chat.send(chat.server.command_update(f"/start {payload}", chat_id=person))
    await chat.server.wait_for(lambda: len(chat.server.chat(person)) > before)
    return chat.server.chat(person)[before].text


async def test_a_card_s_origin_in_a_private_chat_is_a_link_that_opens_it_for_who_may_see_it(
    chat: TelegramSide, service: Service
) -> None:
    telegram = chat.server
    card = await asked_for_review(chat)
    (link,) = card.links
    payload = link.removeprefix("https://t.me/signoff_bot?start=")
    assert re.fullmatch("c_[A-Za-z0-9_-]{1,62}", payload)
    assert "在等您" in await opened(chat, payload, REVIEWER_ID)
    await telegram.wait_for(
        lambda: len([m for m in telegram.chat(REVIEWER_ID) if "批准" in m.labels]) == 2
    )
    assert "请审核" in await opened(chat, payload, REQUESTER_ID)
    nothing = await opened(chat, payload, BYSTANDER_ID)
    assert "请审核" not in nothing
    assert nothing == await opened(chat, "c_1f-AAAAAAAAAAAAAAAAAAAAAA", BYSTANDER_ID)
    for odd in ("c_", "x_1f-AAAAAAAA", "c_" + "1f-" + "A" * 70, "../etc", "c_1f-AAAAAAAA extra"):
        assert await opened(chat, odd, BYSTANDER_ID) == nothing
    *_, again = (m for m in telegram.chat(REVIEWER_ID) if "批准" in m.labels)
    await chat.confirm(again, "批准", name="Bo")
    await chat.shown(REQUESTER_ID, "访视已录入")
    assert "批准" in await opened(chat, payload, REVIEWER_ID), "a closed card tells its outcome"


async def test_a_run_s_link_shows_it_to_who_asked_for_it_and_its_card_to_the_reviewer(
    chat: TelegramSide, service: Service
) -> None:
    telegram = chat.server
    await asked_for_review(chat)
    decisions = service.parts.services.decisions
    ((run_id, _),) = await decisions.active_runs(f"telegram:{BOT_ID}:{REQUESTER_ID}")
    assert "P003" in await opened(chat, f"r_{run_id}", REQUESTER_ID)
    assert "P003" in await opened(chat, f"r_{run_id}", REVIEWER_ID)
    await telegram.wait_for(
        lambda: len([m for m in telegram.chat(REVIEWER_ID) if "批准" in m.labels]) == 2
    )
    assert "P003" not in await opened(chat, f"r_{run_id}", BYSTANDER_ID)


async def test_a_link_opened_in_a_group_shows_the_card_only_where_the_person_is_alone(
    chat: TelegramSide, service: Service
) -> None:
    telegram = chat.server
    card = await asked_for_review(chat)
    payload = card.links[0].partition("start=")[2]
    given = telegram.command_update(
        f"/start@signoff_bot {payload}", chat_id=GROUP_ID, user_id=REVIEWER_ID, name="Bo"
    )
    await chat.send(given)
    await telegram.wait_for(lambda: bool(telegram.chat(GROUP_ID)))
    assert "请审核" not in telegram.chat(GROUP_ID)[0].text
    assert telegram.chat(GROUP_ID)[0].keyboard == []


async def test_who_blocked_the_bot_and_comes_back_finds_their_cards_by_pending(
    chat: TelegramSide, service: Service
) -> None:
    telegram = chat.server
    telegram.blocked_chats.add(REVIEWER_ID)
    own = await asked_for_review(chat, REQUESTER_ID)
    await telegram.wait_for(
        lambda: any(p.get("chat_id") == str(REVIEWER_ID) for _, p in telegram.calls)
    )
    assert telegram.chat(REVIEWER_ID) == []

    telegram.blocked_chats.clear()
    for command in ("/start", "/pending"):
        await chat.send(telegram.command_update(command, chat_id=REVIEWER_ID, name="Bo"))
    await telegram.wait_for(lambda: any(m.keyboard for m in telegram.chat(REVIEWER_ID)))
    card = next(m for m in telegram.chat(REVIEWER_ID) if m.keyboard)
    await chat.confirm(card, "批准", name="Bo")
    await chat.shown(REQUESTER_ID, "访视已录入")
    await telegram.wait_for(lambda: not own.keyboard)


async def test_a_group_that_becomes_a_supergroup_goes_on_with_its_open_card(
    chat: TelegramSide, service: Service
) -> None:
    telegram = chat.server
    by_lin = {"user_id": REQUESTER_ID, "name": "Lin"}
    asked = telegram.message_update(f"@signoff_bot {ASK_ZH}", chat_id=OLD_ID, **by_lin)
    await chat.send(asked)
    form = await chat.shown(OLD_ID, "录入访视")
    telegram.migrated[OLD_ID] = GROUP_ID
    await chat.send(telegram.migrated_update(OLD_ID, GROUP_ID))
    answer = f"@signoff_bot {ANSWER}"
    await chat.send(telegram.message_update(answer, chat_id=GROUP_ID, **by_lin))
    card = await chat.shown(GROUP_ID, "请审核")
    assert form.chat_id == OLD_ID
    await chat.confirm(card, "批准", user_id=REVIEWER_ID, name="Bo")
    await chat.shown(GROUP_ID, "访视已录入")
    await telegram.wait_for(lambda: not card.keyboard)
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 61.5

"""A review reaches its reviewers wherever they are, and says where the request was made."""

from pathlib import Path

import aiohttp
import pytest

from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    ASK_EN,
    ASK_ZH,
    GOOD,
    REQUESTER_ID,
    REVIEWER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)
from tests.scenarios.test_run_ends import change
from tests.scenarios.test_web_walk import to_review

GROUP_ID = -1001234567890


async def test_a_reviewer_is_told_on_every_platform_where_the_request_is_and_votes_once(
    start: Start,
    slack: SlackServer,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    playbooks: Path,
) -> None:
    people = with_accounts(people_file, slack.team)
    change(playbooks, "skills/visit-review.yaml", "quorum: 1", "quorum: 2")
    service = await start(
        people=people,
        playbooks=playbooks,
        public_url="https://localhost",
        **slack_settings(slack),
        **telegram_settings(telegram),
    )
    side, chat = SlackSide(service, slack, http), TelegramSide(service, telegram, http)
    async with WebRoom(service.url, "ward-7") as room:
        at_home = await to_review(room)
        assert at_home["origin"]["html"] == ""
        direct = await side.shown("请审核", channel="D0REVIEWER")
        private = await chat.shown(REVIEWER_ID, "请审核")
        link = "https://localhost/?room=ward-7"
        assert f"来自：网页聊天室 ward-7 · <{link}|打开对话>" in direct.body
        assert "来自：网页聊天室 ward-7 · 打开对话" in private.text
        assert private.links == [link]
        await side.tap(direct, "批准", user="U0REVIEWER")
        await telegram.wait_for(lambda: "1/2" in private.text)
        await chat.send(telegram.tap_update(private, "批准", name="Bo"))
        assert "已经记录过了" in telegram.callback_answers[-1].text
        assert private.keyboard
        await room.tap("wu", at_home, "approve")
        await telegram.wait_for(lambda: not private.keyboard)
        await slack.wait_for(lambda: not direct.buttons)
        assert (await room.card("phase_done"))["title"] == "访视已录入"


async def test_a_review_asked_for_in_a_slack_thread_links_to_it_from_telegram(
    start: Start,
    slack: SlackServer,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(
        people=people, webchat=False, **slack_settings(slack), **telegram_settings(telegram)
    )
    side, chat = SlackSide(service, slack, http), TelegramSide(service, telegram, http)
    asked = slack.mention_event(ASK_EN)
    await side.send(asked)
    await side.tap(await side.shown("Record a visit"), "Fill in…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    await side.send(slack.view_submission(opened, GOOD))
    card = await chat.shown(REVIEWER_ID, "Please review")
    assert "From Slack · open it" in card.text
    thread = asked["event"]["ts"].replace(".", "")
    assert card.links == [f"https://trial.slack.com/archives/C0TRIAL/p{thread}"]
    await side.tap(
        await side.shown("Please review", channel="C0TRIAL"), "Approve", user="U0REVIEWER"
    )
    await telegram.wait_for(lambda: not card.keyboard)


@pytest.mark.parametrize("chat_id", [GROUP_ID, REQUESTER_ID])
async def test_a_review_asked_for_on_telegram_links_to_its_message_in_a_supergroup(
    start: Start,
    slack: SlackServer,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    chat_id: int,
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(
        people=people, webchat=False, **slack_settings(slack), **telegram_settings(telegram)
    )
    side, chat = SlackSide(service, slack, http), TelegramSide(service, telegram, http)
    for said in (ASK_ZH, "ECOG 2,体重 61.5,血压 121/77"):
        text = f"@{telegram.bot['username']} {said}"
        asked = telegram.message_update(text, chat_id=chat_id, user_id=REQUESTER_ID)
        await chat.send(asked)
        await chat.shown(chat_id, "录入")
    direct = await side.shown("请审核", channel="D0REVIEWER")
    assert "来自：Telegram" in direct.body
    answer = telegram.chat(chat_id)[0]
    link = f"https://t.me/c/1234567890/{answer.message_id}"
    if chat_id != GROUP_ID:
        # Nobody else may read a private chat, but the bot shows the card to whom it is for.
        token = direct.buttons[0]["value"].split(":")[1]
        link = f"https://t.me/signoff_bot?start=c_{token}"
    assert f"<{link}|打开对话>" in direct.body
    await side.tap(direct, "批准", user="U0REVIEWER")
    await chat.shown(chat_id, "访视已录入")

"""What a platform refuses to show as it is, is shown plainer: nothing vanishes, buttons stay."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.fakes.platforms import Fault
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.slack.workspace import Shown
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.platforms.telegram.updates import Sent
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
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

Json = dict[str, Any]
QUESTION = "P003 的 ECOG 是多少?"
VISIT = "ECOG 2,体重 61.5,血压 121/77"
SLACK_WRITES, TELEGRAM_WRITES = (
    ("chat.postMessage", "chat.update"),
    (
        "sendmessage",
        "editmessagetext",
    ),
)
SLACK_SAYS = (
    "invalid_blocks",
    "msg_blocks_too_long",
    "msg_too_long",
    "invalid_attachments",
    "an_error_of_tomorrow",
)
TELEGRAM_SAYS = (
    "can't parse entities: unsupported start tag at byte offset 3",
    "message is too long",
    "an error of tomorrow",
)


@pytest.fixture
async def in_slack(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> SlackSide:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, webchat=False, **slack_settings(slack))
    return SlackSide(service, slack, http)


@pytest.fixture
async def in_telegram(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, people_file: Path
) -> TelegramSide:
    people = with_accounts(people_file, "T0")
    service = await start(people=people, webchat=False, **telegram_settings(telegram))
    return TelegramSide(service, telegram, http)


def slack_takes(slack: SlackServer, code: str, takes: Callable[[str], bool]) -> None:
    """Slack refuses each message whose blocks, as JSON, are not taken."""
    for method in SLACK_WRITES:
        slack.refuses[method] = lambda fields: (
            "" if takes(json.dumps(fields["blocks"], ensure_ascii=False)) else code
        )


def telegram_takes(telegram: TelegramServer, told: str, takes: Callable[[Json], bool]) -> None:
    """Telegram refuses each message whose parameters are not taken."""
    for method in TELEGRAM_WRITES:
        telegram.refuses[method] = lambda params: "" if takes(params) else told


@pytest.mark.parametrize("code", SLACK_SAYS)
async def test_an_answer_that_slack_refuses_comes_without_mark_up(
    in_slack: SlackSide, code: str
) -> None:
    slack_takes(in_slack.server, code, lambda blocks: "mrkdwn" not in blocks)
    await in_slack.send(in_slack.server.message_event(QUESTION))
    shown = await in_slack.shown("ECOG")
    assert {block["text"]["type"] for block in shown.blocks} == {"plain_text"}
    assert "\\" not in shown.body


@pytest.mark.parametrize("told", TELEGRAM_SAYS)
async def test_an_answer_that_telegram_refuses_comes_without_mark_up(
    in_telegram: TelegramSide, told: str
) -> None:
    telegram = in_telegram.server
    telegram_takes(telegram, told, lambda params: "parse_mode" not in params)
    await in_telegram.send(telegram.message_update(QUESTION, chat_id=REQUESTER_ID))
    shown = await in_telegram.shown(REQUESTER_ID, "ECOG")
    assert shown.entities == []
    assert "\\" not in shown.text


# How little Slack takes, and what it shows then.
SLACK_TAKES: dict[str, Callable[[str], bool]] = {
    "plain": lambda blocks: "mrkdwn" not in blocks,
    "file": lambda blocks: "mrkdwn" not in blocks and "61.5" not in blocks,
    "line": lambda blocks: "mrkdwn" not in blocks and "61.5" not in blocks and "附件" not in blocks,
}
SLACK_SHOWS: dict[str, Callable[[SlackServer, Shown], bool]] = {
    "plain": lambda _, card: "61.5 kg" in card.body,
    "file": lambda slack, card: "附件" in card.body and bool(slack.shared),
    "line": lambda _, card: "/pending" in card.body,
}


async def to_review(side: SlackSide) -> None:
    """A visit that the requester asked for in Slack."""
    slack = side.server
    await side.send(slack.message_event(ASK_ZH))
    reply = await side.shown("录入访视")
    await side.tap(reply, "填写…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    await side.send(slack.view_submission(opened, GOOD))


async def card_of_reviewer(slack: SlackServer) -> Shown:
    def found() -> Shown | None:
        shown = [m for m in slack.messages.values() if m.channel != "D0REQUESTER" and m.buttons]
        return shown[0] if shown else None

    card = await slack.wait_for(found)
    assert card is not None
    return card


@pytest.mark.parametrize("way", SLACK_TAKES)
async def test_however_little_slack_takes_the_reviewer_has_a_card_and_decides(
    in_slack: SlackSide, way: str
) -> None:
    slack = in_slack.server
    slack_takes(slack, "invalid_blocks", SLACK_TAKES[way])
    await to_review(in_slack)
    card = await card_of_reviewer(slack)
    await slack.wait_for(lambda: SLACK_SHOWS[way](slack, card))
    await in_slack.tap(card, "批准", user="U0REVIEWER")
    await slack.wait_for(lambda: not card.buttons)
    # What came plainer is edited as plainly: nothing stands there as if it were being worked on.
    assert not any("⏳" in m.body for m in slack.messages.values())


@pytest.mark.parametrize("code", SLACK_SAYS)
async def test_a_card_that_slack_refuses_reaches_its_reviewer_with_its_buttons(
    in_slack: SlackSide, code: str
) -> None:
    slack_takes(in_slack.server, code, lambda blocks: "mrkdwn" not in blocks)
    await to_review(in_slack)
    card = await card_of_reviewer(in_slack.server)
    assert "61.5 kg" in card.body


@pytest.mark.parametrize("code", SLACK_SAYS)
async def test_an_edit_that_slack_refuses_once_shows_plainer_what_was_decided(
    in_slack: SlackSide, code: str
) -> None:
    slack = in_slack.server
    await to_review(in_slack)
    card = await card_of_reviewer(slack)
    slack.fail_next("chat.update", Fault.refused(code), times=2)
    await in_slack.tap(card, "批准", user="U0REVIEWER")
    await slack.wait_for(lambda: not card.buttons)
    assert "陈博" in card.body
    await in_slack.shown("访视已录入", channel="D0REQUESTER")
    assert not any("⏳" in m.body for m in slack.messages.values())


@pytest.mark.parametrize("code", [*SLACK_SAYS, "edit_window_closed", "cant_update_message"])
async def test_a_card_that_slack_lets_nobody_edit_gives_way_to_one_that_says_what_was_decided(
    in_slack: SlackSide, code: str
) -> None:
    slack = in_slack.server
    await to_review(in_slack)
    card = await card_of_reviewer(slack)
    slack.refuses["chat.update"] = lambda _: code
    await in_slack.tap(card, "批准", user="U0REVIEWER")
    decided = await in_slack.shown("陈博", channel=card.channel)
    assert not decided.buttons
    await in_slack.shown("访视已录入", channel="D0REQUESTER")
    await slack.wait_for(lambda: card not in slack.messages.values())
    assert not any(m.buttons or "⏳" in m.body for m in slack.messages.values())


async def test_what_is_too_long_for_slack_comes_in_pieces_with_the_buttons_last(
    in_slack: SlackSide,
) -> None:
    slack = in_slack.server
    await to_review(in_slack)
    card = await card_of_reviewer(slack)
    await in_slack.tap(card, "驳回", user="U0REVIEWER")
    slack_takes(slack, "msg_too_long", lambda blocks: len(blocks) < 3_000)
    reason = "体重请复核。" * 200
    await in_slack.send(slack.view_submission(slack.views[-1], {"reason": reason}))

    def told() -> list[Shown]:
        return [m for m in slack.messages.values() if "请复核" in m.body]

    await slack.wait_for(lambda: sum(m.body.count("请复核") for m in told()) >= 200)
    *pieces, last = [m for m in told() if m.channel == "D0REQUESTER"]
    assert pieces
    assert not any(m.buttons for m in pieces)
    assert last.buttons


async def test_where_slack_takes_no_buttons_the_card_comes_without_them(
    in_slack: SlackSide,
) -> None:
    slack = in_slack.server
    slack_takes(slack, "invalid_blocks", lambda blocks: '"text": "批准"' not in blocks)
    await to_review(in_slack)
    card = await in_slack.shown("/pending")
    assert "61.5 kg" in card.body
    assert not card.buttons


async def test_what_was_asked_in_a_thread_that_is_gone_is_answered_in_its_channel(
    in_slack: SlackSide,
) -> None:
    slack = in_slack.server
    slack.refuses["chat.postMessage"] = lambda fields: (
        "thread_not_found" if "thread_ts" in fields else ""
    )
    await in_slack.send(slack.mention_event(QUESTION))
    shown = await in_slack.shown("ECOG", channel="C0TRIAL")
    assert not shown.thread_ts


TELEGRAM_TAKES: dict[str, Callable[[Json], bool]] = {
    "plain": lambda params: "parse_mode" not in params,
    "file": lambda params: "parse_mode" not in params and "61.5" not in params["text"],
    "line": lambda params: "附件" not in params["text"] and "61.5" not in params["text"],
}
TELEGRAM_SHOWS = {"plain": "61.5 kg", "file": "附件", "line": "/pending"}


@pytest.mark.parametrize("way", TELEGRAM_TAKES)
async def test_however_little_telegram_takes_the_reviewer_has_a_card_and_decides(
    in_telegram: TelegramSide, way: str
) -> None:
    telegram = in_telegram.server
    telegram_takes(telegram, TELEGRAM_SAYS[0], TELEGRAM_TAKES[way])
    await in_telegram.send(telegram.message_update(ASK_ZH, chat_id=REQUESTER_ID))
    await in_telegram.shown(REQUESTER_ID, "录入访视")
    await in_telegram.send(telegram.message_update(VISIT, chat_id=REQUESTER_ID))
    card = await in_telegram.shown(REVIEWER_ID, TELEGRAM_SHOWS[way])
    await telegram.wait_for(lambda: bool(card.labels))
    if way == "file":

        def documents() -> list[Sent]:
            return [m for m in telegram.chat(REVIEWER_ID) if m.document]

        await telegram.wait_for(lambda: bool(documents()))
        assert "61.5 kg" in documents()[0].document.decode()
    await in_telegram.confirm(card, "批准", name="Bo")
    await telegram.wait_for(lambda: not card.labels)


async def card_in_telegram(side: TelegramSide) -> Sent:
    """A visit that the requester asked for; its card in the reviewer's chat."""
    telegram = side.server
    await side.send(telegram.message_update(ASK_ZH, chat_id=REQUESTER_ID))
    await side.shown(REQUESTER_ID, "录入访视")
    await side.send(telegram.message_update(VISIT, chat_id=REQUESTER_ID))
    return await side.shown(REVIEWER_ID, "61.5 kg")


@pytest.mark.parametrize("told", TELEGRAM_SAYS)
async def test_a_card_that_telegram_refuses_reaches_its_reviewer_with_its_buttons(
    in_telegram: TelegramSide, told: str
) -> None:
    telegram_takes(in_telegram.server, told, lambda params: "parse_mode" not in params)
    card = await card_in_telegram(in_telegram)
    assert "批准" in card.labels


@pytest.mark.parametrize("told", [*TELEGRAM_SAYS, "BUTTON_TYPE_INVALID"])
async def test_an_edit_that_telegram_refuses_once_shows_plainer_what_was_decided(
    in_telegram: TelegramSide, told: str
) -> None:
    telegram = in_telegram.server
    card = await card_in_telegram(in_telegram)
    telegram.fail_next("editMessageText", Fault.refused(told), times=2)
    await in_telegram.confirm(card, "批准", name="Bo")
    await telegram.wait_for(lambda: not card.labels and "陈博" in card.text)
    await in_telegram.shown(REQUESTER_ID, "访视已录入")


@pytest.mark.parametrize("told", [*TELEGRAM_SAYS, "message can't be edited"])
async def test_a_card_that_telegram_edits_no_more_gives_way_to_one_that_says_what_was_decided(
    in_telegram: TelegramSide, told: str
) -> None:
    telegram = in_telegram.server
    card = await card_in_telegram(in_telegram)
    telegram.refuses["editmessagetext"] = lambda _: told
    await in_telegram.confirm(card, "批准", name="Bo")
    decided = await in_telegram.shown(REVIEWER_ID, "陈博")
    assert not decided.labels
    await in_telegram.shown(REQUESTER_ID, "访视已录入")
    await telegram.wait_for(lambda: card not in telegram.chat(REVIEWER_ID))
    assert not any(m.labels for m in telegram.chat(REVIEWER_ID))


async def test_what_is_too_long_for_telegram_comes_in_pieces_with_the_buttons_last(
    in_telegram: TelegramSide,
) -> None:
    telegram = in_telegram.server
    card = await card_in_telegram(in_telegram)
    await in_telegram.send(telegram.tap_update(card, "驳回", name="Bo"))
    prompt = await in_telegram.shown(REVIEWER_ID, "驳回理由")
    telegram_takes(telegram, "message is too long", lambda params: len(params["text"]) < 1_100)
    before = len(telegram.chat(REQUESTER_ID))
    await in_telegram.send(telegram.reply_update(prompt, "体重请复核。" * 250, name="Bo"))

    def told() -> list[Sent]:
        return [m for m in telegram.chat(REQUESTER_ID)[before:] if "请复核" in m.text]

    await telegram.wait_for(lambda: sum(m.text.count("请复核") for m in told()) >= 250)
    await telegram.wait_for(lambda: bool(told()[-1].labels))
    assert not any(m.labels for m in told()[:-1])


async def test_where_telegram_takes_no_buttons_the_card_comes_without_them(
    in_telegram: TelegramSide,
) -> None:
    telegram = in_telegram.server
    telegram_takes(
        telegram,
        "BUTTON_TYPE_INVALID",
        lambda params: "inline_keyboard" not in str(params.get("reply_markup")),
    )
    await in_telegram.send(telegram.message_update(ASK_ZH, chat_id=REQUESTER_ID))
    await in_telegram.shown(REQUESTER_ID, "录入访视")
    await in_telegram.send(telegram.message_update(VISIT, chat_id=REQUESTER_ID))
    card = await in_telegram.shown(REVIEWER_ID, "/pending")
    assert "61.5 kg" in card.text
    assert not card.labels


async def test_what_was_asked_in_a_topic_that_is_gone_is_answered_in_its_group(
    in_telegram: TelegramSide,
) -> None:
    telegram, group = in_telegram.server, -1001234567890
    telegram.fail_next("sendMessage", Fault.refused("message thread not found"))
    update = telegram.message_update(
        f"@signoff_bot {QUESTION}", chat_id=group, topic=7, user_id=REQUESTER_ID
    )
    await in_telegram.send(update)
    shown = await in_telegram.shown(group, "ECOG")
    assert shown.topic is None

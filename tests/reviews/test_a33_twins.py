"""A33: posted, but the id was lost: nothing is lost, both messages work, and both are edited."""

from pathlib import Path

import aiohttp
import pytest

from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.slack.workspace import Shown
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.platforms.telegram.updates import Sent
from tests.fakes.web_room import WebRoom
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
from tests.scenarios.test_web_walk import to_review


@pytest.fixture
def slack(slack: SlackServer) -> SlackServer:
    """Where nothing can be read back: with the scopes, the first copy is found again."""
    slack.scopes -= {"channels:history", "groups:history", "im:history"}
    return slack


def twins(slack: SlackServer, said: str, channel: str) -> list[Shown]:
    return [m for m in slack.messages.values() if m.channel == channel and said in m.body]


async def two(slack: SlackServer, said: str, channel: str) -> list[Shown]:
    """The lost message and its twin, in this order."""
    await slack.wait_for(lambda: len(twins(slack, said, channel)) == 2)
    return twins(slack, said, channel)


@pytest.mark.parametrize("tapped", [0, 1])
async def test_a33_on_slack_a_tap_on_either_twin_decides_and_both_show_it(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path, tapped: int
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    async with WebRoom(service.url) as room:
        slack.fail_next("chat.postMessage", Fault.dropped())
        await to_review(room)
        both = await two(slack, "请审核", "D0REVIEWER")
        await side.tap(both[tapped], "批准", user="U0REVIEWER")
        if tapped:
            await slack.wait_for(lambda: not both[1].buttons)
            # Nobody has touched the first since: a tap on it is answered, and mends it.
            await side.tap(both[0], "批准", user="U0REVIEWER")
            assert "您于" in slack.ephemerals[-1].text
        await slack.wait_for(lambda: not both[0].buttons and not both[1].buttons)
        assert all("Chen Bo" in message.body for message in both)
        await room.card("phase_done")
    assert len(twins(slack, "请审核", "D0REVIEWER")) == 2, "no third one was posted"


async def test_a33_on_slack_a_lost_reply_with_a_form_works_and_keeps_its_answers(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, webchat=False, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    slack.fail_next("chat.postMessage", Fault.dropped())
    await side.send(slack.message_event(ASK_ZH))
    both = await two(slack, "录入访视", "D0REQUESTER")
    await side.tap(both[0], "填写…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    await side.send(slack.view_submission(opened, GOOD))
    await slack.wait_for(
        lambda: all("填写…" not in [b["text"]["text"] for b in m.buttons] for m in both)
    )
    assert all("ECOG" in message.body and "2026-10-28" in message.body for message in both)


@pytest.mark.parametrize("label", ["批准", "驳回"])
async def test_a33_on_telegram_both_twins_work_and_show_the_outcome(
    start: Start,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    label: str,
) -> None:
    people = with_accounts(people_file, "T0")
    service = await start(people=people, **telegram_settings(telegram))
    chat = TelegramSide(service, telegram, http)

    def cards() -> list[Sent]:
        return [m for m in telegram.chat(REVIEWER_ID) if "请审核" in m.text and not m.force_reply]

    async with WebRoom(service.url) as room:
        telegram.fail_next("sendMessage", Fault.dropped())
        await to_review(room)
        await telegram.wait_for(lambda: len(cards()) == 2)
        first, second = cards()
        if label == "批准":
            await chat.confirm(first, label, name="Bo")
        else:
            await chat.send(telegram.tap_update(first, label, name="Bo"))
            prompt = await chat.shown(REVIEWER_ID, "驳回理由")
            await chat.send(telegram.reply_update(prompt, "体重请复核", name="Bo"))
        both = (first, second)
        await telegram.wait_for(lambda: all(label in m.text and not m.keyboard for m in both))
        await room.card("phase_done" if label == "批准" else "clarify")
    assert len(cards()) == 2
    assert REQUESTER_ID != REVIEWER_ID

"""A33 with Slack's scopes to read back: posted, but the id was lost, and no twin is posted."""

from pathlib import Path

import aiohttp
import pytest

from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.slack.workspace import Shown
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import (
    ASK_ZH,
    GOOD,
    SlackSide,
    slack_settings,
    with_accounts,
)


def buttoned(slack: SlackServer, channel: str) -> list[Shown]:
    return [m for m in slack.messages.values() if m.channel == channel and m.buttons]


@pytest.mark.parametrize("lost", [1, 2])
async def test_a_reply_and_a_card_whose_answers_were_lost_are_shown_once(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path, lost: int
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, webchat=False, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    slack.fail_next("chat.postMessage", Fault.dropped())
    # Nor is it posted again where reading back fails at first, if posting does too.
    slack.fail_next("conversations.history", Fault.broken(), times=lost - 1)
    slack.fail_next("chat.postMessage", Fault.broken(), times=lost - 1)
    await side.send(slack.message_event(ASK_ZH))
    reply = await side.shown("录入访视", channel="D0REQUESTER")
    await slack.wait_for(lambda: slack.calls["chat.update"] > 0)
    slack.fail_next("chat.postMessage", Fault.dropped())
    await side.tap(reply, "填写…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    await side.send(slack.view_submission(opened, GOOD))
    await side.shown("请审核", channel="D0REVIEWER")
    (card,) = await slack.wait_for(lambda: buttoned(slack, "D0REVIEWER"))
    await side.tap(card, "批准", user="U0REVIEWER")
    await side.shown("访视已录入", channel="D0REQUESTER")
    await slack.wait_for(lambda: not buttoned(slack, "D0REVIEWER"))
    shown = [m for m in slack.messages.values() if "请审核" in m.body and m.channel[0] == "D"]
    assert [m.channel for m in shown].count("D0REVIEWER") == 1
    assert len([m for m in slack.messages.values() if "2026-10-28" in m.body]) == 1

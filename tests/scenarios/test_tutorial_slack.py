"""The folder that the tutorial ends with serves Slack, as its last section says: over sockets."""

import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.bot.signoff_process import running
from tests.docs.tutorial import write_files
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.ports import free_port
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import SlackSide

ADA, ROBIN = "U0REQUESTER", "U0REVIEWER"


async def test_the_bot_of_the_tutorial_is_asked_and_approves_on_slack(
    start: Start,
    slack: SlackServer,
    http: aiohttp.ClientSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_files(tmp_path, free_port())
    monkeypatch.setenv("EXPENSES_TOKEN", "let-me-in")
    folder = tmp_path / "my-bot"
    people = folder / "people.yaml"
    text = people.read_text("utf-8")
    for name, account in (("ada", ADA), ("robin", ROBIN)):
        assert f"web: {name}," in text
        text = text.replace(f"web: {name},", f'web: {name}, slack: ["{slack.team}:{account}"],')
    people.write_text(text, "utf-8")
    async with running(tmp_path, sys.executable, "expenses.py"):
        service = await start(
            playbooks=folder / "playbooks",
            people=people,
            connections=folder / "connections.yaml",
            languages=("en",),
            slack_bot_token=slack.bot_token,
            slack_app_token=slack.app_token,
            slack_api_url=slack.api_url,
        )
        side = SlackSide(service, slack, http)
        await slack.wait_for(lambda: slack.sockets)

        async def give(payload: dict[str, Any], kind: str) -> None:
            envelope = await slack.envelope(payload, kind)
            await slack.wait_for(lambda: envelope in slack.acks)

        asked = "what is the status of my expense E-1001?"
        await give(slack.message_event(asked), "events_api")
        await side.shown("E-1001 (hotel, 240 EUR) is paid.", channel="D0REQUESTER")
        wanted = "please reimburse 20 EUR for the taxi"
        await give(slack.message_event(wanted), "events_api")
        await side.shown("Your expense", channel="D0REQUESTER")
        await give(slack.message_event("Spent on 2026-02-03"), "events_api")
        card = await side.shown("Please review", channel="D0REVIEWER")
        await give(slack.action(card, "Approve", user=ROBIN), "interactive")
        await side.shown("It has the number E-1004.", channel="D0REQUESTER")

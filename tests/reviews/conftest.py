"""The scenarios of reviews use the same running services as tests/scenarios."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.fakes.slack_server import SlackServer
from tests.fakes.telegram_server import TelegramServer
from tests.reviews.walks import Meet, Meeting
from tests.scenarios.conftest import Start, http, new_settings, people_file, slack, start, telegram
from tests.scenarios.test_platform_walk import (
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

__all__ = ["http", "new_settings", "people_file", "slack", "start", "telegram"]


@pytest.fixture
def meet(
    start: Start,
    slack: SlackServer,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
) -> Meet:
    """Starts a service with both platforms, and with accounts for the people of `people_file`."""

    async def begin(**changed: Any) -> Meeting:
        settings = {**slack_settings(slack), **telegram_settings(telegram), **changed}
        people = with_accounts(people_file, slack.team)
        service = await start(people=people, webchat=False, **settings)
        side, chat = SlackSide(service, slack, http), TelegramSide(service, telegram, http)
        return Meeting(service, side, chat)

    return begin

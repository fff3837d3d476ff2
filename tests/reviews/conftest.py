"""The scenarios of reviews use the same running services as tests/scenarios."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from redis.asyncio import Redis

from adapters.redis.keys import Partitions
from adapters.redis.store import RedisDecisions, RedisMailbox
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.review_desk import Desk, StillScripts, directory
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


@pytest.fixture
async def desk(redis: Redis, tmp_path: Path, conversation: str) -> AsyncIterator[Desk]:
    """Cards, and people who tap on them."""
    scripts, partitions = StillScripts(redis), Partitions(1)
    yield Desk(
        scripts=scripts,
        partitions=partitions,
        mailbox=RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client),
        decisions=RedisDecisions(scripts, partitions),
        people=directory(tmp_path),
        conversation=conversation,
    )
    await scripts.drain()

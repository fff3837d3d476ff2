"""A desk over the real store, and the running service that scenarios have."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.keys import Partitions
from adapters.redis.store import RedisDecisions, RedisMailbox
from tests.fakes.review_desk import Desk, StillScripts, directory
from tests.scenarios import conftest as scenarios

http = scenarios.http
new_settings = scenarios.new_settings
people_file = scenarios.people_file
slack = scenarios.slack
start = scenarios.start
telegram = scenarios.telegram


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
    await scripts.idle()

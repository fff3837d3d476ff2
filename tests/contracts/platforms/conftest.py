"""Each platform as the settings build it, with a person in front of it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from adapters.clock import SystemClock
from adapters.redis.scripts import Scripts
from adapters.redis.server.embedded import EmbeddedServer
from bot.file_links import FileLinks
from bot.people.directory import Directory
from bot.people.run_links import RunLinks
from bot.wiring.contexts import Adapter, open_platform
from bot.wiring.store import StoreConnection
from tests.contracts.platforms.rigs import LinesRig, Rig, SlackRig, TelegramRig, WebRig
from tests.fakes.lines import PASSPHRASE, registered
from tests.fakes.platforms import TelegramServer
from tests.fakes.ports import free_port
from tests.fakes.settings import load_people, make_settings
from tests.fakes.slack_app import local_slack

PEOPLE = Path(__file__).parents[3] / "playbooks" / "people.yaml"
NOWHERE = "http://127.0.0.1:9"

Given = dict[str, Any]


def built(name: str, given: Given, folder: Path, client: Redis) -> Adapter:
    """The platform as the service builds it."""
    settings = make_settings(**{"data_dir": folder, "people": PEOPLE} | given)
    people: Directory = load_people(PEOPLE)
    assert name in settings.enabled_platforms, f"{name} is off"
    links = FileLinks("of-a-test", SystemClock("UTC"), days=7)
    return open_platform(
        name,
        settings,
        StoreConnection(client, client, Scripts(client), ""),
        people,
        links,
        RunLinks({}),
    )


SLACK = {"slack_bot_token": "xoxb-stub", "slack_signing_secret": "stub-signing-secret"}
LINES = {"lines_passphrase": PASSPHRASE}
TELEGRAM = {"telegram_bot_token": "7000000001:AAtestTESTtestTEST", "telegram_webhook_secret": "s-1"}


async def _slack(folder: Path, redis: Redis, stack: AsyncExitStack) -> Rig:
    slack = await stack.enter_async_context(local_slack())
    stack.callback(lambda: _none(slack.faults))
    return SlackRig(built("slack", SLACK | {"slack_api_url": slack.api_url}, folder, redis), slack)


async def _telegram(folder: Path, redis: Redis, stack: AsyncExitStack) -> Rig:
    token, secret = TELEGRAM.values()
    telegram = await stack.enter_async_context(TelegramServer(token=token, secret=secret))
    stack.callback(lambda: _none(telegram.faults))
    given = TELEGRAM | {"telegram_api_url": telegram.url}
    return TelegramRig(built("telegram", given, folder, redis), telegram)


async def _web(folder: Path, redis: Redis, stack: AsyncExitStack) -> Rig:
    return WebRig(built("web", {}, folder, redis))


async def _lines(folder: Path, redis: Redis, stack: AsyncExitStack) -> Rig:
    stack.enter_context(registered(folder))
    port = free_port()
    return LinesRig(built("lines", LINES | {"lines_port": port}, folder, redis), port)


RIGS = {"slack": _slack, "telegram": _telegram, "web": _web, "lines": _lines}
AWAY: dict[str, Given] = {
    "slack": SLACK | {"slack_api_url": f"{NOWHERE}/api/"},
    "telegram": TELEGRAM | {"telegram_api_url": NOWHERE},
    "web": {},
    "lines": LINES,
}
OVER_THE_STORE = ("web", "lines")


def _none(faults: list[str]) -> None:
    assert faults == []


@pytest.fixture(params=RIGS)
async def rig(request: pytest.FixtureRequest, tmp_path: Path, redis: Redis) -> AsyncIterator[Rig]:
    async with AsyncExitStack() as stack:
        made = await RIGS[request.param](tmp_path, redis, stack)
        stack.push_async_callback(made.adapter.close)
        await made.begin(stack)
        yield made


@pytest.fixture(params=RIGS)
async def away(
    request: pytest.FixtureRequest, tmp_path: Path, redis_server: EmbeddedServer
) -> AsyncIterator[tuple[Adapter, str]]:
    """A platform that what it needs to show something is not there for, and a place in it."""
    name = request.param
    here = {"slack": "T0TRIAL:D0REQUESTER", "telegram": "7000000001:1001"}.get(name, "local:main")
    url = "redis://127.0.0.1:9" if name in OVER_THE_STORE else redis_server.url
    async with AsyncExitStack() as stack:
        if name == "lines":
            stack.enter_context(registered(tmp_path))
        client = await stack.enter_async_context(
            Redis.from_url(url, decode_responses=True, retry=Retry(NoBackoff(), 0))
        )
        adapter = built(name, AWAY[name], tmp_path, client)
        stack.push_async_callback(adapter.close)
        yield adapter, f"{name}:{here}"

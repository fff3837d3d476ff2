import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse, web

from adapters.slack.platform import SlackPlatform
from engine.events import Accepted, Outcome, Update
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.slack.workspace import Shown
from tests.fakes.server_clock import ServerClock
from tests.fakes.slack_app import connected, local_slack
from tests.fakes.views import APPROVE, view

PAYLOADS = Path(__file__).parents[2] / "payloads" / "slack"

Post = Callable[[dict[str, Any]], Awaitable[ClientResponse]]


class RecordingIntake:
    """An intake that keeps what it was given and answers `outcome`."""

    def __init__(self) -> None:
        self.updates: list[Update] = []
        self.outcome: Outcome = Accepted()
        self.arrived = asyncio.Event()
        self.release: asyncio.Event | None = None

    async def __call__(self, update: Update) -> Outcome:
        self.updates.append(update)
        self.arrived.set()
        if self.release is not None:
            await self.release.wait()
        return self.outcome


@pytest.fixture
def payload() -> Callable[[str], dict[str, Any]]:
    """A recorded payload by name."""

    def read(name: str) -> dict[str, Any]:
        return json.loads((PAYLOADS / f"{name}.json").read_text())

    return read


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    """A local Slack; a test that wants faults clears them."""
    async with local_slack() as server:
        yield server
        assert server.faults == []


@pytest.fixture
async def platform(slack: SlackServer) -> AsyncIterator[SlackPlatform]:
    """The platform under test, connected to the local Slack, at its time."""
    made = connected(slack, clock=ServerClock(slack.time))
    yield made
    await made.close()


@pytest.fixture
def intake() -> RecordingIntake:
    """What receives the updates."""
    return RecordingIntake()


@pytest.fixture
async def http(aiohttp_client: Any, platform: SlackPlatform, intake: RecordingIntake) -> Any:
    """A client of a real server with the platform's routes."""
    app = web.Application()
    app.add_routes(platform.routes(intake))
    return await aiohttp_client(app)


@pytest.fixture
async def card(slack: SlackServer, platform: SlackPlatform) -> Shown:
    """A card in a channel's thread."""
    thread = f"slack:{slack.team}:C0TRIAL:1763700000.000100"
    await platform.send(thread, view("hi", APPROVE), key="k")
    return slack.latest


@pytest.fixture
def door(http: Any) -> str:
    """The address that Slack brings everything to."""
    return str(http.make_url("/slack/events"))


@pytest.fixture
def post(http: Any, slack: SlackServer) -> Post:
    """Posts a payload, signed and encoded as Slack does."""

    async def send(body: dict[str, Any]) -> ClientResponse:
        raw, headers = slack.signed_request(body)
        response: ClientResponse = await http.post("/slack/events", data=raw, headers=headers)
        await response.read()
        return response

    return send

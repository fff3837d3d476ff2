"""A stub Telegram, a real TelegramPlatform against it, and an intake that notes what it got."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from adapters.redis.repositories.platform_texts import RedisExpiringTexts
from adapters.redis.scripts import Scripts
from adapters.telegram.inbound.polling import PollPace
from adapters.telegram.platform import TelegramPlatform
from cards.model import Card
from engine.errors import StoreUnavailable
from engine.events import Accepted, Outcome, Update
from engine.ports.platform import Intake
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.platforms.telegram.server import SECRET, TOKEN, TelegramServer

PAYLOADS = Path(__file__).parents[2] / "payloads" / "telegram"


class Recorder:
    """An intake: notes updates, answers `outcomes` in turn and then Accepted."""

    def __init__(self) -> None:
        self.updates: list[Update] = []
        self.outcomes: deque[Outcome] = deque()
        self._changed = asyncio.Condition()

    async def __call__(self, update: Update) -> Outcome:
        self.updates.append(update)
        async with self._changed:
            self._changed.notify_all()
        return self.outcomes.popleft() if self.outcomes else Accepted()

    @property
    def last(self) -> Update:
        return self.updates[-1]

    async def wait_for(self, count: int) -> None:
        async with (
            within(PATIENCE_S, f"{count} updates arrive", lambda: str(self.updates)),
            self._changed,
        ):
            await self._changed.wait_for(lambda: len(self.updates) >= count)


class SwitchedLease:
    """A lease that is given and taken by the test, and out of reach `failures` times."""

    def __init__(self) -> None:
        self.held = True
        self.failures = 0
        self.names: list[str] = []
        self._changed = asyncio.Condition()

    async def hold(self, name: str) -> bool:
        self.names.append(name)
        async with self._changed:
            self._changed.notify_all()
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("the store is away")
        return self.held

    async def wait_until_asked(self, times: int) -> None:
        goal = len(self.names) + times
        async with within(PATIENCE_S, f"the lease is asked for {times} times more"), self._changed:
            await self._changed.wait_for(lambda: len(self.names) >= goal)


@pytest.fixture
def payload() -> Callable[[str], Any]:
    return lambda name: json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture
def intake() -> Recorder:
    return Recorder()


@pytest.fixture
def lease() -> SwitchedLease:
    return SwitchedLease()


@pytest.fixture
async def server() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as running:
        yield running


class SwitchedSlate(RedisExpiringTexts):
    """The real slate, which is out of reach while `away`."""

    away = False

    async def read(self, name: str) -> str:
        if self.away:
            raise StoreUnavailable("the store is away")
        return await super().read(name)


@pytest.fixture
def slate(scripts: Scripts) -> SwitchedSlate:
    return SwitchedSlate(scripts)


async def _platform(
    url: str, lease: SwitchedLease, slate: SwitchedSlate, secret: str, cards: dict[str, Card]
) -> AsyncIterator[TelegramPlatform]:
    async def stored(token: str, place: str) -> Card | None:
        return cards.get(token)

    platform = TelegramPlatform(
        bot_token=TOKEN,
        webhook_secret=secret,
        api_url=url,
        public_url="https://signoff.example",
        lease=lease,
        texts=slate,
        read_card=stored,
        pace=PollPace(long_poll_s=2, pause_s=0.02, longest_s=0.1, soon_s=0.05),
    )
    yield platform
    await platform.close()


@pytest.fixture
def cards() -> dict[str, Card]:
    """The cards that there are, by token."""
    return {}


@pytest.fixture
async def platform(
    server: TelegramServer, lease: SwitchedLease, slate: SwitchedSlate, cards: dict[str, Card]
) -> AsyncIterator[TelegramPlatform]:
    async for one in _platform(server.url, lease, slate, SECRET, cards):
        yield one


@pytest.fixture
async def polling(
    server: TelegramServer, lease: SwitchedLease, slate: SwitchedSlate, cards: dict[str, Card]
) -> AsyncIterator[TelegramPlatform]:
    async for one in _platform(server.url, lease, slate, "", cards):
        yield one


@pytest.fixture
async def deliver(
    aiohttp_client: Any, platform: TelegramPlatform, intake: Recorder, server: TelegramServer
) -> Callable[..., Awaitable[int]]:
    """Delivers updates to the webhook; the status of the answer, which `status` has to be."""
    return await delivery(aiohttp_client, platform, intake, server)


async def delivery(
    aiohttp_client: Any, platform: TelegramPlatform, intake: Intake, server: TelegramServer
) -> Callable[..., Awaitable[int]]:
    """The way of Telegram's deliveries to this platform."""
    app = web.Application()
    app.add_routes(platform.routes(intake))
    client = await aiohttp_client(app)

    async def post(update: dict[str, Any]) -> int:
        answer = await client.post(
            "/telegram/webhook", json=update, headers=server.secret_headers()
        )
        return int(answer.status)

    return post


@pytest.fixture
async def door(aiohttp_server: Any, platform: TelegramPlatform, intake: Recorder) -> str:
    """The address that Telegram brings everything to."""
    app = web.Application()
    app.add_routes(platform.routes(intake))
    return str((await aiohttp_server(app)).make_url("/telegram/webhook"))

"""A running service: the real web application and worker over the real store and real sockets."""

import asyncio
import itertools
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.dev.feed import MessageFeed
from bot.dev.service import gatherer_of, offer_panel
from bot.processes.web import application
from bot.processes.worker import run_worker
from bot.settings import Settings
from bot.wiring.service import Parts, open_parts
from tests.conftest import PARTITIONS
from tests.fakes.platforms.patience import until
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.settings import make_settings
from tests.fakes.slack_app import local_slack
from tests.fakes.web_room import WebRoom

ROOT = Path(__file__).parents[2]
_rooms = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Service:
    """A service that runs in this process, and where to reach it."""

    url: str
    parts: Parts


@asynccontextmanager
async def running(settings: Settings, feed: MessageFeed | None = None) -> AsyncIterator[Service]:
    """Web and worker until the block ends; then both stop as they do at SIGTERM.

    With a `feed`, as `signoff dev` has them.
    """
    observe = feed.observe if feed else None
    async with open_parts(settings, observe=observe) as parts, AsyncExitStack() as stack:
        if feed:
            offer_panel(parts, feed)
        # Web and worker share this loop here: learning holds up nothing that the web part takes.
        await parts.reloader.learn()
        server = TestServer(application(parts), host="127.0.0.1")
        await server.start_server()
        stack.push_async_callback(server.close)
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(run_worker(parts, stop))
            if feed:
                group.create_task(feed.follow(gatherer_of(parts), stop))
            listening = [
                group.create_task(p.listen(parts.intake))
                for p in parts.resources.platforms.values()
            ]
            try:
                yield Service(url=f"http://127.0.0.1:{server.port}", parts=parts)
            finally:
                stop.set()
                for task in listening:
                    task.cancel()


Start = Callable[..., Awaitable[Service]]


def settings_over(redis_server: EmbeddedServer, folder: Path, **changed: Any) -> Settings:
    """Settings over a store and sample data in a folder, with what is wanted otherwise."""
    given = {
        "redis_url": redis_server.url,
        "data_dir": folder / "data",
        "playbooks": ROOT / "playbooks",
        "people": ROOT / "playbooks" / "people.yaml",
        "partitions": PARTITIONS,
        "port": 8080,
        **changed,
    }
    if (given["playbooks"] / "clinical_qc").exists():
        # As signoff.yaml of the samples says.
        given.setdefault("project", "SIGNOFF-101")
    return make_settings(**given)


def admitting(folder: Path, admit: str) -> Path:
    """The sample people in a file of the folder, which admits others as well (YAML)."""
    text = (ROOT / "playbooks" / "people.yaml").read_text(encoding="utf-8")
    path = folder / "people-admitting.yaml"
    path.write_text(f"{text}\nadmit: {admit}\n", encoding="utf-8")
    return path


@pytest.fixture
def new_settings(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> Callable[..., Settings]:
    """Settings over the test's store and sample data, with what a test wants otherwise."""

    def settings(**changed: Any) -> Settings:
        return settings_over(redis_server, tmp_path, **changed)

    return settings


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(
    redis_server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Service]:
    """One service for all tests of a module, each of which talks in a room of its own.

    No other fixture that empties the store goes with it.
    """
    async with Redis.from_url(redis_server.url) as redis:
        await redis.flushall()
    folder = tmp_path_factory.mktemp("shared")
    async with running(settings_over(redis_server, folder)) as service:
        yield service


@pytest_asyncio.fixture(loop_scope="module")
async def own_room(shared: Service) -> AsyncIterator[WebRoom]:
    """A room of the shared service that nobody has been in."""
    async with WebRoom(shared.url, f"own-{next(_rooms)}") as room:
        yield room


async def runs_in(service: Service, room: WebRoom) -> int:
    """How many runs go on in the room."""
    found = await service.parts.services.decisions.active_runs(f"web:local:{room.room}")
    return len(found)


async def nothing_goes_on(service: Service, room: str = "main") -> None:
    """Returns once no run goes on in the room."""
    decisions = service.parts.services.decisions

    async def nothing() -> bool:
        return not await decisions.active_runs(f"web:local:{room}")

    await until(nothing)


@pytest.fixture
async def start(new_settings: Callable[..., Settings]) -> AsyncIterator[Start]:
    """Starts services that run until the test ends."""
    async with AsyncExitStack() as stack:

        async def begin(**changed: Any) -> Service:
            return await stack.enter_async_context(running(new_settings(**changed)))

        yield begin


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with local_slack() as server:
        yield server
        assert server.faults == []


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        yield server
        assert server.faults == []


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def people_file(tmp_path: Path) -> Path:
    """A copy of the sample people that a test may change."""
    return Path(shutil.copy(ROOT / "playbooks" / "people.yaml", tmp_path / "people.yaml"))

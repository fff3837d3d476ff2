"""Folders whose tests are played here, over the session's own server."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.testing.play import PlayedTest, play
from bot.testing.report import lines_of
from bot.testing.run import load_tests
from bot.testing.theatre.stage import Theatre
from bot.wiring.platforms import load_settings
from bot.wiring.stand_ins import ScratchStore
from tests.fakes.learning import teach_store

FIXTURES = Path(__file__).parents[2] / "fixtures"
Play = Callable[..., Awaitable[list[PlayedTest]]]


@pytest.fixture
def reimburse(tmp_path: Path) -> Path:
    """A copy of the folder of the issue, without its tests."""
    folder = Path(shutil.copytree(FIXTURES / "reimburse", tmp_path / "reimburse"))
    shutil.rmtree(folder / "playbooks" / "reimburse" / "tests")
    return folder


@pytest.fixture
def play_folder(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Play:
    """Plays all tests of a folder; with `tests`, those instead, as a file of its own."""

    async def run(folder: Path, tests: str = "") -> list[PlayedTest]:
        monkeypatch.chdir(folder)
        if tests:
            (folder / "tests").mkdir(exist_ok=True)
            (folder / "tests" / "these.yaml").write_text(tests, encoding="utf-8")
        loaded, scenarios = load_tests(load_settings(), tmp_path / "data")
        await teach_store(redis_server.url)
        async with Redis.from_url(redis_server.url) as client:
            theatre = Theatre(loaded, ScratchStore(client, redis_server.url), tmp_path / "data")
            return [await play(scenario, theatre) for scenario in scenarios]

    return run


def told(played: list[PlayedTest]) -> str:
    """What is printed of them, without the time that each took."""
    lines = [line for each in played for line in lines_of(each)]
    return "\n".join(line.rsplit(" (", 1)[0] if line.endswith(" ms)") else line for line in lines)

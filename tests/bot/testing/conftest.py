"""Folders whose tests are played here, over the session's own server."""

import shutil
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.testing.harness.folder import PlayedFolder
from bot.testing.harness.service import Harness
from bot.testing.play import PlayedTest, play
from bot.testing.report import lines_of
from bot.testing.run import load_tests
from bot.wiring.platforms import load_settings
from bot.wiring.stand_ins import ScratchStore

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture
def reimburse(tmp_path: Path) -> Path:
    """A copy of the folder of the issue, without its tests."""
    folder = Path(shutil.copytree(FIXTURES / "reimburse", tmp_path / "reimburse"))
    shutil.rmtree(folder / "playbooks" / "reimburse" / "tests")
    return folder


class FolderPlayer:
    """Plays all tests of a folder; with `tests`, those instead, as a file of its own."""

    def __init__(self, url: str, data: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder: PlayedFolder | None = None
        self._url = url
        self._data = data
        self._patch = patch

    async def __call__(self, folder: Path, tests: str = "") -> list[PlayedTest]:
        self._patch.chdir(folder)
        if tests:
            (folder / "tests").mkdir(exist_ok=True)
            (folder / "tests" / "these.yaml").write_text(tests, encoding="utf-8")
        self.folder, scenarios = load_tests(load_settings(), self._data)
        async with Redis.from_url(self._url) as client:
            harness = Harness(self.folder, ScratchStore(client, self._url), self._data)
            return [await play(scenario, harness) for scenario in scenarios]


@pytest.fixture
def play_folder(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> FolderPlayer:
    """A player over the session's server, which is empty."""
    return FolderPlayer(redis_server.url, tmp_path / "data", monkeypatch)


def told(played: list[PlayedTest]) -> str:
    """What is printed of them, without the time that each took."""
    lines = [line for each in played for line in lines_of(each)]
    return "\n".join(line.rsplit(" (", 1)[0] if line.endswith(" ms)") else line for line in lines)

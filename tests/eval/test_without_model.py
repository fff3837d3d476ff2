"""Questions about everything that is recorded, without a model: each is answered in part, or asked.

None ends in a mere list of examples, or in that there is no such request.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.testing.files.scenario import read_scenario_file
from bot.testing.happenings import Happenings, is_open, text_of
from bot.testing.harness.folder import load_folder
from bot.testing.harness.service import Harness
from bot.testing.play import play
from bot.wiring.platforms import load_settings
from bot.wiring.stand_ins import ScratchStore
from cards.texts import say
from engine.yaml.source import Problems
from tests.fakes.leave import SAMPLE as LEAVE
from tests.fakes.study import PLAYBOOKS

QUESTIONS: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("without_model.yaml").read_text("utf-8")
)
FOLDERS = {"clinical study": (PLAYBOOKS, PLAYBOOKS), "leave": (LEAVE, LEAVE / "playbooks")}


@pytest.mark.parametrize("folder", FOLDERS)
async def test_what_is_known_is_told_or_what_is_near_is_offered(
    folder: str,
    redis_server: EmbeddedServer,
    redis: Redis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root, playbooks = FOLDERS[folder]
    monkeypatch.setenv("SIGNOFF_PLAYBOOKS", str(playbooks))
    monkeypatch.setenv("SIGNOFF_PEOPLE", str(root / "people.yaml"))
    monkeypatch.setenv("SIGNOFF_CONNECTIONS", str(root / "connections.yaml"))
    loaded, problems = load_folder(load_settings(), tmp_path / "data"), Problems()
    tests = _written_to(tmp_path / "asked.yaml", QUESTIONS[folder])
    found = read_scenario_file(tests, "", loaded.people, loaded.definitions.playbooks, problems)
    refused: dict[str, str] = {}
    async with Redis.from_url(redis_server.url) as client:
        harness = Harness(loaded, ScratchStore(client, redis_server.url), tmp_path / "data")
        for scenario in [*found]:
            (happened,) = (await play(scenario, harness)).happenings
            if not _answers_or_asks(happened):
                refused[scenario.name] = _said(happened)
    problems.raise_if_any()
    for connection in loaded.definitions.toolbox.connections.values():
        await connection.close()
    assert refused == {}


def _written_to(file: Path, questions: list[str]) -> Path:
    tests: list[dict[str, Any]] = [{"test": q, "steps": [{"lin": q}]} for q in questions]
    given = {"now": "2026-11-10T09:00", "connections": "real"}
    file.write_text(yaml.safe_dump({"given": given, "tests": tests}, allow_unicode=True), "utf-8")
    return file


def _answers_or_asks(happened: Happenings) -> bool:
    """Whether a card offers something, or the reply names what it leaves out."""
    said = _said(happened)
    names_left = any(
        say("answer.partly", lang, left="\0").partition("\0")[2] in said for lang in ("en", "zh")
    )
    return names_left or any(is_open(card) for card in happened.cards)


def _said(happened: Happenings) -> str:
    return "\n".join(text_of(message.view) for message in happened.shown)

"""What a model thinks aloud reaches nobody, whoever of the engine asked it."""

import zlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.testing.files.scenario import Scenario, read_scenario_file
from bot.testing.harness.folder import load_folder
from bot.testing.harness.script import ScriptedAnswers
from bot.testing.harness.service import Harness
from bot.testing.play import play
from bot.testing.report import lines_of
from bot.testing.run import load_tests
from bot.wiring.platforms import load_settings
from bot.wiring.stand_ins import ScratchStore
from engine.ports.model import Completion, Message, Purpose
from engine.yaml.source import Problems
from tests.fakes.stored import unpack_all
from tests.fakes.study import PLAYBOOKS

SECRET = "nobodys-to-read"
EVAL = Path(__file__).parents[2] / "eval"


@dataclass
class ThoughtfulModel:
    """Says what the script does, and thinks aloud before it, after it and in the middle."""

    script: ScriptedAnswers = field(default_factory=lambda: ScriptedAnswers(()))
    asked_for: set[str] = field(default_factory=set)

    async def complete(
        self, messages: Sequence[Message], *, purpose: Purpose = "", **options: Any
    ) -> Completion:
        """The script's answer, with thoughts."""
        told = "\n".join(message.content for message in messages)
        assert SECRET not in told, "what it thought is not told to it again"
        answer = await self.script.complete(messages, purpose=purpose, **options)
        self.asked_for.add(purpose)
        thought = f"<think>{SECRET} {{}} [</think>"
        return replace(answer, text=f"{thought}{answer.text}<reasoning>{SECRET}")


@pytest.fixture
async def harness(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Harness, ThoughtfulModel]]:
    monkeypatch.setenv("SIGNOFF_PLAYBOOKS", str(PLAYBOOKS))
    monkeypatch.setenv("SIGNOFF_PEOPLE", str(PLAYBOOKS / "people.yaml"))
    folder, model = load_folder(load_settings(), tmp_path / "data"), ThoughtfulModel()
    async with Redis.from_url(redis_server.url) as client:
        store = ScratchStore(client, redis_server.url)
        yield Harness(folder, store, tmp_path / "data", model), model
    for connection in folder.definitions.toolbox.connections.values():
        await connection.close()


def scripted(harness: Harness, data: Path) -> list[Scenario]:
    """Tests of the samples in which a model speaks."""
    _, own = load_tests(load_settings(), data)
    problems, folder = Problems(), harness.folder
    playbooks = folder.definitions.playbooks
    asked = read_scenario_file(EVAL / "questions.yaml", "", folder.people, playbooks, problems)
    problems.raise_if_any()
    every = [*own, *list(asked)[::10]]
    return [each for each in every if isinstance(each.given.model, tuple)]


async def kept(url: str) -> bytes:
    """Everything that the store has, unpacked."""
    found: list[bytes] = []
    async with Redis.from_url(url) as client:
        async for key in client.scan_iter():
            match (await client.type(key)).decode():
                case "string":
                    found.append(await client.get(key))
                case "hash":
                    found += (await client.hgetall(key)).values()
                case "list":
                    found += await client.lrange(key, 0, -1)
                case "stream":
                    found += [v for _, row in await client.xrange(key) for v in row.values()]
    return b"\n".join(map(unpacked, found))


def unpacked(value: bytes) -> bytes:
    """What the store keeps packed, as it was."""
    try:
        return zlib.decompress(value)
    except zlib.error:
        return "\n".join(unpack_all([value.decode("utf-8", "replace")])).encode()


async def test_no_thought_of_a_model_is_shown_or_kept(
    harness: tuple[Harness, ThoughtfulModel], redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    played_in, model = harness
    for scenario in scripted(played_in, tmp_path / "other"):
        assert isinstance(scenario.given.model, tuple)
        model.script = ScriptedAnswers(scenario.given.model)
        given = scenario.given.model_copy(update={"model": "real"})
        played = await play(replace(scenario, given=given), played_in)
        assert played.passed, list(lines_of(played))
        leaks = [SECRET in str(each.shown) for each in played.happenings]
        leaks += [SECRET in str((each.cards, each.entries)) for each in played.happenings]
        leaks.append(SECRET.encode() in await kept(redis_server.url))
        assert not any(leaks), scenario.name
    assert model.asked_for >= {"answer", "skill", "plan", "jobs"}, sorted(model.asked_for)

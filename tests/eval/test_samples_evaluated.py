"""The evaluation of the sample study, played with a scripted model; its truths come from SQL."""

import sqlite3
from collections.abc import AsyncIterator, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.testing.checks import numbers_in
from bot.testing.files.scenario import Scenario, read_scenario_file
from bot.testing.harness.folder import PlayedFolder, load_folder
from bot.testing.harness.service import Harness
from bot.testing.play import play
from bot.testing.report import lines_of
from bot.wiring.platforms import load_settings
from bot.wiring.stand_ins import ScratchStore
from engine.yaml.source import Problems
from tests.fakes.learning import teach_store
from tests.fakes.study import DATA, PLAYBOOKS
from tests.fakes.tables import table

HERE = Path(__file__).parent
FILES = {"questions.yaml": 42, "dialogues.yaml": 40}
TRUTHS: dict[str, str] = yaml.safe_load((HERE / "truths.yaml").read_text("utf-8"))


def written(file: str) -> list[dict[str, Any]]:
    tests: list[dict[str, Any]] = yaml.safe_load((HERE / file).read_text("utf-8"))["tests"]
    return tests


def expected_numbers(test: dict[str, Any]) -> set[float]:
    """Those of its replies, and what is a number of what its cards contain."""
    expects = [step.get("expect") or {} for step in test["steps"]]
    replies = [float(n) for e in expects for n in e.get("reply", {}).get("numbers", ())]
    cards = [numbers_in(e.get("card", {}).get("contains", "")) for e in expects]
    return {*replies, *(number for found in cards for number in found)}


def true_numbers(sql: str, *, of: str) -> set[float]:
    """The numbers in what the sample's own file says."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript((DATA / f"{of}.sql").read_text("utf-8"))
        rows: Iterable[Any] = database.execute(sql)
        return numbers_in(" ; ".join(str(value) for row in rows for value in row))


EVERY = {test["test"]: test for file in FILES for test in written(file)}


@table("name", sorted(EVERY))
def test_what_an_answer_has_to_have_is_true_of_the_sample(name: str) -> None:
    numbers, sql = expected_numbers(EVERY[name]), TRUTHS.get(name, "")
    if sql.startswith("protocol:"):
        assert numbers <= true_numbers(sql.removeprefix("protocol:"), of="protocol")
    elif sql:
        assert numbers == true_numbers(sql, of="study")
    else:
        assert numbers == set(), "a number that nothing says to be true"


def test_both_files_have_both_languages_and_as_many_tests_as_they_should() -> None:
    for file, most in FILES.items():
        names = [test["test"] for test in written(file)]
        assert len(set(names)) == len(names) >= most
        for lang in ("(en)", "(zh)"):
            assert sum(name.endswith(lang) for name in names) >= most / 3


@pytest.fixture
async def harness(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Harness]:
    monkeypatch.setenv("SIGNOFF_PLAYBOOKS", str(PLAYBOOKS))
    monkeypatch.setenv("SIGNOFF_PEOPLE", str(PLAYBOOKS / "people.yaml"))
    await teach_store(redis_server.url)
    folder = load_folder(load_settings(), tmp_path / "data")
    async with Redis.from_url(redis_server.url) as client:
        yield Harness(folder, ScratchStore(client, redis_server.url), tmp_path / "data")
    for connection in folder.definitions.toolbox.connections.values():
        await connection.close()


def read(file: str, folder: PlayedFolder) -> list[Scenario]:
    problems = Problems()
    playbooks = folder.definitions.playbooks
    found = [*read_scenario_file(HERE / file, "", folder.people, playbooks, problems)]
    problems.raise_if_any()
    return found


@pytest.mark.parametrize("file", FILES)
async def test_a_model_that_answers_right_passes(file: str, harness: Harness) -> None:
    played = [await play(scenario, harness) for scenario in read(file, harness.folder)]
    assert [line for each in played if not each.passed for line in lines_of(each)] == []


WRONG = {
    "values: weight at enrolment (en)": "At its first visit P003 weighed 61.2 kg.",
    "trends: ECOG got worse (en)": "No, it is 1.",
    "comparisons: heavier (en)": "P002 with 74.1 kg; P008 has 72.8 kg.",
    "counts: women (en)": "There are 7 women.",
    "counts: events in arm A (zh)": "A 组共有 6 名受试者。",
    "windows: every visit in its window (en)": "No, one of 4 visits was late.",
    "windows: none of them missed (en)": "1 of its 4 visits: day 57 is out of the window.",
    "windows: none of them missed (zh)": "3 次访视中超窗的有 1 次。",
    "protocol: reduced dose (en)": "The dose is reduced to 5 mg.",
    "unknown: haemoglobin (en)": "The haemoglobin of P003 is 14.2.",
    "unknown: blood type (zh)": "P003 是 AB 型。",
    "unknown: address (zh)": "P006 住在上海市。",
    "unknown: another site (en)": "All 12 are enrolled at site 02.",
}


async def test_a_model_that_answers_wrong_does_not_pass(harness: Harness) -> None:
    passed = []
    scenarios = {each.name: each for each in read("questions.yaml", harness.folder)}
    for name, text in WRONG.items():
        scenario = scenarios[name]
        assert isinstance(scenario.given.model, tuple)
        *before, last = scenario.given.model
        model = (*before, last.model_copy(update={"text": text}))
        given = scenario.given.model_copy(update={"model": model})
        played = await play(replace(scenario, given=given), harness)
        passed += [name] if played.passed else []
    assert passed == []

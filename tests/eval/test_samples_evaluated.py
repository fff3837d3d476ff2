"""The evaluation of the sample study, played with a scripted model; its truths come from SQL."""

import sqlite3
from collections.abc import AsyncIterator, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.testing.checks import check_step
from bot.testing.files.model import ModelLine
from bot.testing.files.scenario import Scenario, read_scenario_file
from bot.testing.happenings import text_of
from bot.testing.harness.folder import PlayedFolder, load_folder
from bot.testing.harness.service import Harness
from bot.testing.numbers import numbers_in
from bot.testing.play import PlayedTest, play
from bot.testing.report import lines_of
from bot.wiring.platforms import load_settings
from bot.wiring.stand_ins import ScratchStore
from engine.yaml.source import Problems, read_yaml
from tests.eval.wrong import SPOILERS, checks_of, of_another, with_line, wrong_line
from tests.fakes.study import DATA, PLAYBOOKS
from tests.fakes.tables import table

HERE = Path(__file__).parent
FILES = {"questions.yaml": 42, "dialogues.yaml": 40}
TRUTHS: dict[str, str] = read_yaml(
    (HERE / "truths.yaml").read_text("utf-8"), file="truths.yaml"
).data


def written(file: str) -> list[dict[str, Any]]:
    source = read_yaml((HERE / file).read_text("utf-8"), file=file)
    tests: list[dict[str, Any]] = source.data["tests"]
    return tests


def expected_numbers(test: dict[str, Any]) -> set[float]:
    """Those of its replies and its cards."""
    expects = [step.get("expect") or {} for step in test["steps"]]
    shown = [e.get(key, {}) for e in expects for key in ("reply", "card")]
    listed = [numbers for e in shown for numbers in (e.get("numbers", ()), *_about(e).values())]
    return {float(number) for numbers in listed for number in numbers}


def _about(shown: dict[str, Any]) -> dict[str, list[float]]:
    about: dict[str, list[float]] = shown.get("about", {})
    return about


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


INSTEAD = {
    "unknown: haemoglobin (en)": "The haemoglobin of P003 is 14.2.",
    "unknown: blood type (zh)": "P003 是 AB 型。",
    "unknown: address (zh)": "P006 住在上海市。",
    "unknown: another site (en)": "All 12 are enrolled at site 02.",
}
"""What is made up where nothing is known: there is no number to be wrong."""


def wrong_answers(right: PlayedTest) -> list[Scenario]:
    """The test with each answer of the model that people read, or that was planned by, wrong.

    What a look-up answers, no model is asked: its checks are tried by `blind_checks`.
    """
    scenario, told = right.scenario, told_in(right)
    script = scenario.given.model if isinstance(scenario.given.model, tuple) else ()
    expected = [*expected_numbers(EVERY[scenario.name])]
    lines = [(at, line) for at, line in enumerate(script) if is_told(line, told)]
    wrong = [
        with_line(scenario, at, wrong_line(line, expected, INSTEAD.get(scenario.name, "")))
        for at, line in lines
        if expected or scenario.name in INSTEAD
    ]
    tied = any(step.expect.reply and step.expect.reply.about for step in scenario.steps)
    named = [(at, line) for at, line in lines if tied and of_another(line.text) != line.text]
    wrong += [
        with_line(scenario, at, line.model_copy(update={"text": of_another(line.text)}))
        for at, line in named
    ]
    return wrong


def is_told(line: ModelLine, told: str) -> bool:
    return line.for_ == "plan" or bool(line.text and line.text in told)


def told_in(played: PlayedTest) -> str:
    return "\n".join(text_of(m.view) for each in played.happenings for m in each.shown)


def blind_checks(right: PlayedTest) -> list[str]:
    """Checks that do not fail where what they check went wrong."""
    return [
        f"{right.scenario.name}: {check} of step {number}"
        for number, (step, happened) in enumerate(
            zip(right.scenario.steps, right.happenings, strict=True), 1
        )
        for check in checks_of(step.expect)
        if not check_step(step, SPOILERS[check](happened, step.expect))
    ]


@pytest.mark.parametrize(("file", "least"), [("questions.yaml", 30), ("dialogues.yaml", 25)])
async def test_a_model_that_answers_right_passes_and_whatever_is_wrong_does_not(
    file: str, least: int, harness: Harness
) -> None:
    """Every check of every step fails when what it checks is otherwise, by rules or by a model."""
    played = [await play(scenario, harness) for scenario in read(file, harness.folder)]
    assert [line for each in played if not each.passed for line in lines_of(each)] == []
    assert [each for right in played for each in blind_checks(right)] == []
    unchecked = [r.scenario.name for r in played for s in r.scenario.steps if not s.expect]
    assert unchecked == [], "a step that expects nothing scores whatever happens"
    wrong = [await play(each, harness) for right in played for each in wrong_answers(right)]
    assert [each.scenario.name for each in wrong if each.passed] == []
    assert len({each.scenario.name for each in wrong}) >= least

"""`signoff eval` as it is called: two models, and two versions, beside each other."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from bot.__main__ import main
from bot.version import VERSION
from tests.fakes.model_server import ModelServer, Reply, call_tool, say
from tests.fakes.platforms.patience import PATIENCE_S
from tests.fakes.study import PLAYBOOKS

FILE = """\
given: {now: 2026-11-10T09:00, connections: real}
tests:
- test: "values: at enrolment"
  steps:
    - lin: "What was P003's weight at enrolment?"
      expect: {reply: {is: answered, numbers: [62.5]}, called: [{list_visits: {subject_id: P003}}]}
- test: "trends: of P006"
  steps:
    - lin: How has the weight of P006 changed from the first to the last visit?
      expect: {reply: {is: answered, numbers: [81.7, 80.6]}}
- test: "values: a look-up"
  steps:
    - {lin: "What is the ECOG of P003?", expect: {reply: {is: answered, numbers: [1]}}}
- test: "records: a visit"
  steps:
    - lin: record today's visit of P003, weight 61.5 kg, blood pressure 120/80, ECOG 1
      expect: {card: {kind: confirm, to: [chen, wu]}}
"""


def answer(request: dict[str, Any]) -> Reply:
    """The good model looks things up and answers; the hasty one makes its answers up."""
    said = "".join(m["content"] or "" for m in request["messages"])
    subject = "P003" if "P003's weight" in said else "P006"
    if request["model"] == "hasty":
        return say("It was 62.5 kg." if subject == "P003" else "It did not change.", tokens=50)
    if request["messages"][-1]["role"] != "tool":
        return call_tool("list_visits", {"subject_id": subject}, tokens=100)
    return say("62.5 kg." if subject == "P003" else "From 81.7 to 80.6 kg.", tokens=200)


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A server on a loop of its own, for the command runs one itself."""
    server, ready, ended = ModelServer(answer), threading.Event(), threading.Event()

    async def serve() -> None:
        async with server:
            ready.set()
            await asyncio.to_thread(ended.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(PATIENCE_S)
    try:
        yield server
    finally:
        ended.set()
        thread.join(PATIENCE_S)
        structlog.reset_defaults()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_server: ModelServer) -> Path:
    """The file to evaluate, beside what the settings name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIGNOFF_PLAYBOOKS", str(PLAYBOOKS))
    monkeypatch.setenv("SIGNOFF_PEOPLE", str(PLAYBOOKS / "people.yaml"))
    monkeypatch.setenv("OPENAI_API_KEY", model_server.api_key)
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.base_url)
    monkeypatch.setenv("LLM_MODEL", "good")
    (tmp_path / "eval.yaml").write_text(FILE, encoding="utf-8")
    return tmp_path


def cells(out: str, name: str) -> list[str]:
    """The numbers of a line of the table."""
    return next(line.split()[1:] for line in out.splitlines() if line.split()[:1] == [name])


def test_two_models_are_compared_and_so_is_what_another_version_had(
    folder: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "eval.yaml", "--save", "good.json"]) == 0
    assert cells(capsys.readouterr().out, "all") == ["4/4"]
    kept = json.loads((folder / "good.json").read_text("utf-8"))
    assert [(each["model"], each["version"]) for each in kept] == [("good", VERSION)]
    given = ["--model", "hasty", "--model", "good", "--against", "good.json"]
    assert main(["eval", "eval.yaml", *given]) == 1
    out = capsys.readouterr().out
    assert cells(out, "all") == ["4/4", "2/4", "4/4"]
    assert cells(out, "values") == ["2/2", "1/2", "2/2"]
    good, hasty, again = map(int, cells(out, "answers"))
    assert (good, good - hasty) == (again, 2), "the good one looks something up for each question"
    assert int(cells(out, "tokens")[0].replace(",", "")) >= 600
    failed = [line for line in out.splitlines() if line.startswith("  hasty: ")]
    assert "expected list_visits {subject_id: P003}, was no call" in failed[0]
    assert "expected 81.7, was It did not change." in failed[1]
    assert model_server.faults == []


def test_each_may_be_asked_several_times_and_some_alone(
    folder: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "eval.yaml", "-k", "trends", "--repeat", "3"]) == 0
    assert cells(capsys.readouterr().out, "all") == ["3/3"]
    assert len(model_server.requests) == 6


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["none.yaml"], "none.yaml:1: cannot be read"),
        (["eval.yaml", "-k", "weather"], "no test has 'weather' in its name"),
        (["eval.yaml", "--against", "eval.yaml"], "should be scores"),
    ],
)
def test_what_is_wrong_is_told(
    given: list[str], told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *given]) == 2
    assert told in capsys.readouterr().err


def test_without_a_model_there_is_nothing_to_evaluate(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("LLM_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    assert main(["eval", "eval.yaml"]) == 2
    assert "LLM_MODEL: should be set" in capsys.readouterr().err

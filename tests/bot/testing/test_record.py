"""A conversation that was had becomes a test, which passes."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from adapters.redis.server.embedded import EmbeddedServer
from bot.testing.record import record_test
from bot.wiring.platforms import load_settings
from tests.bot.testing.conftest import FIXTURES, FolderPlayer, told
from tests.conftest import ROOT

EXPENSES = """\
- test: a form, a refused tap, two votes, a write
  given: {tools: {submit_expense: {number: E-1237, status: Submitted}}}
  steps:
    - ada: please claim an expense
    - ada: {fill: {kind: hotel, amount: 640 EUR, spent_on: 2026-02-27, purpose: To the fair,
        receipt: {name: hotel.txt, text: Hotel}}}
    - ada: {tap: approve}
    - mona: {tap: approve}
    - after: 2d
    - finn: {tap: approve}
      expect: {end: done}
"""


@pytest.fixture
async def record(
    redis_server: EmbeddedServer, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], Awaitable[str]]:
    """Records what is in the session's server, in the current folder."""

    async def run(name: str) -> str:
        update = {"redis_url": redis_server.url, "partitions": 1, "allow_unsafe_redis": True}
        capsys.readouterr()
        assert await record_test(load_settings().model_copy(update=update), name) == 0
        out = capsys.readouterr().out
        return out[out.index("- test:") :]

    return run


async def test_a_run_that_a_model_planned_is_recorded_and_passes(
    play_folder: FolderPlayer, record: Callable[[str], Awaitable[str]], reimburse: Path
) -> None:
    played = await play_folder(FIXTURES / "reimburse")
    (run,) = played[-1].happenings[-1].runs
    text = await record(run)
    again = await play_folder(reimburse, text)
    assert [each for each in again if not each.passed] == [], told(again)
    assert "now: 2026-03-02T09:00" in text
    assert "- after: 2d\n    expect:\n      reminded: [cy]" in text


async def test_a_conversation_with_a_form_votes_and_a_write_is_recorded_and_passes(
    play_folder: FolderPlayer, record: Callable[[str], Awaitable[str]], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(ROOT / "examples" / "expenses", tmp_path / "expenses"))
    shutil.rmtree(folder / "playbooks" / "expenses" / "tests")
    played = await play_folder(folder, EXPENSES)
    assert [each for each in played if not each.passed] == [], told(played)
    run = next(iter(played[-1].happenings[-1].runs.values()))
    text = await record(run.conversation)
    again = await play_folder(folder, text)
    assert [each for each in again if not each.passed] == [], told(again)
    for line in (
        "submit_expense: {number: E-1237, status: Submitted}",
        "receipt: {name: hotel.txt, text: what hotel.txt contained}",
        "- ada: {tap: approve}\n    expect: {refused: true}",
        "- mona: {tap: approve}\n    expect: {votes: 1 of 2}",
        "- after: 2d\n    expect:\n      reminded: [finn]",
        "end: done",
    ):
        assert line in text

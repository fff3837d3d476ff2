"""A conversation that was had becomes a test, which passes."""

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from adapters.redis.server.embedded import EmbeddedServer
from bot.testing.recording.record import record_test
from bot.wiring.platforms import load_settings
from tests.bot.testing.conftest import FIXTURES, FolderPlayer, told
from tests.conftest import ROOT
from tests.fakes.garage import write_project

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
        return out[min(at for mark in ("# What", "- test:") if (at := out.find(mark)) >= 0) :]

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


QUESTIONS = """\
- test: questions before, within and after a claim
  given:
    tools:
      find_expense:
        - {with: {number: E-1234}, gives: {number: E-1234, kind: hotel, value: 240, status: Paid}}
        - {gives: null}
      list_expenses: [{number: E-7, value: 240}, {number: E-8, value: 1}, {number: E-9, value: 2}]
      submit_expense: {number: E-1237, status: Submitted}
  steps:
    - {ada: show my expenses, expect: {reply: "E-8"}}
    - {ada: what is the status of my expense E-1234, expect: {reply: hotel}}
    - {ada: what is the limit for hotels, expect: {reply: "1,500 EUR"}}
    - ada: please claim an expense
    - ada: kind taxi, amount 24 EUR, spent on 2026-02-27, purpose to the fair
    - {ada: status of E-9999, expect: {called: [{find_expense: {number: E-9999}}]}}
    - {mona: {tap: approve}, expect: {end: done, called: [submit_expense]}}
    - {after: 1h}
    - {ada: show my expenses, expect: {called: [list_expenses]}}
"""


async def test_questions_are_recorded_with_what_was_looked_up_and_not_with_their_words(
    play_folder: FolderPlayer, record: Callable[[str], Awaitable[str]], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(ROOT / "examples" / "expenses", tmp_path / "expenses"))
    shutil.rmtree(folder / "playbooks" / "expenses" / "tests")
    played = await play_folder(folder, QUESTIONS)
    assert [each for each in played if not each.passed] == [], told(played)
    text = await record(next(iter(played[-1].happenings[-1].runs.values())).conversation)
    assert "Paid" not in text
    row = "{number: example, spent_on: '2026-03-02', kind: example, value: 1, currency: example"
    for line in (
        "# What look-ups found is not kept",
        f"list_expenses:\n      - {row}",
        "- with: {number: E-1234}\n        gives: {number: E-1234, kind: example, value: 1,",
        "- with: {number: E-9999}\n        gives: null\n",
        "- ada: show my expenses\n    expect:\n      reply: {is: answered}\n"
        "      called: [list_expenses]\n",
        "- ada: what is the limit for hotels\n    expect:\n      reply: {is: answered}\n",
        "- find_expense: {number: E-9999}\n",
        "- {after: 1h}\n",
    ):
        assert line in text, text
    again = await play_folder(folder, text)
    assert [each for each in again if not each.passed] == [], f"{told(again)}\n{text}"
    assert text.count("- ada: ") == 7, text
    assert text.count("- mona: ") == 1


async def test_questions_that_a_model_answered_are_recorded_with_its_answers(
    play_folder: FolderPlayer, record: Callable[[str], Awaitable[str]], tmp_path: Path
) -> None:
    folder = write_project(tmp_path / "garage")
    had = """\
- test: a model reads and answers
  given:
    model:
      - text: >-
          {"pieces": [{"kind": "qa_query", "route": "", "text": "A1 would be strong enough",
           "depends_on": []}]}
      - {calls: [{find_hoist: {bay: A1}}]}
      - {text: It lifts 3500 kg.}
      - {fault: away}
    tools: {find_hoist: {bay: A1, lifts_kg: 3500}}
  steps:
    - {mia: "A1 would be strong enough I suppose", expect: {reply: It lifts 3500 kg}}
    - {mia: so it can take a van I hope, expect: {reply: {is: asked}}}
"""
    played = await play_folder(folder, had)
    assert [each for each in played if not each.passed] == [], told(played)
    assert play_folder.folder is not None
    text = await record(play_folder.folder.place("mia"))
    again = await play_folder(folder, text)
    assert [each for each in again if not each.passed] == [], f"{told(again)}\n{text}"
    for line in (
        "- {text: It lifts 3500 kg.}",
        "- {fault: away}",
        "find_hoist: {bay: A1, lifts_kg: 3500",
        "called: [find_hoist]",
    ):
        assert line in text, text


async def test_what_was_chosen_on_a_card_and_a_room_of_several_are_recorded(
    play_folder: FolderPlayer, record: Callable[[str], Awaitable[str]], tmp_path: Path
) -> None:
    folder = write_project(tmp_path / "garage")
    had = """\
- test: what was meant is chosen, in a room
  steps:
    - mia: {says: "maybe book a hoist", in: workshop}
      expect: {reply: {is: asked}}
    - mia: {tap: "1"}
      expect: {form: [bay, day]}
    - fred: {says: which hoists are there, in: workshop}
  given: {tools: {list_hoists: []}}
"""
    played = await play_folder(folder, had)
    assert [each for each in played if not each.passed] == [], told(played)
    text = await record("workshop")
    again = await play_folder(folder, text)
    assert [each for each in again if not each.passed] == [], f"{told(again)}\n{text}"
    assert "- mia: {says: maybe book a hoist, in: room}\n" in text, text
    assert "reply: {is: asked}" in text
    assert "- mia: {tap: '1'}\n    expect:\n      card:\n        kind: clarify" in text, text
    assert "- fred: {says: which hoists are there, in: room}" in text


async def test_a_list_that_messages_named_things_of_is_given_with_what_was_named(
    play_folder: FolderPlayer, record: Callable[[str], Awaitable[str]], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(ROOT / "examples" / "cookbook" / "case", tmp_path / "fairs"))
    own = folder / "playbooks" / "stand"
    shutil.rmtree(own / "tests")
    (folder / "connections.yaml").write_text(
        "board: {kind: http, address: https://fairs.example.com}\n"
    )
    (own / "tools.yaml").write_text(
        "list_fairs:\n"
        "  description: Every fair.\n"
        "  reads: {connection: board, path: /fairs}\n"
        "  result: many\n"
        "  columns: {number: {label: Number}, title: {label: Title}, town: {label: Town}}\n"
    )
    made = (own / "playbook.yaml").read_text()
    listed = "fair: {name: Fair, tool: list_fairs, id: number, names: [title]}"
    made = made.replace('fair: {name: Fair, pattern: "F-[0-9]{1,4}"}', listed)
    (own / "playbook.yaml").write_text(made)
    had = """\
- test: fairs of a list
  given:
    tools:
      list_fairs: [{number: F-12, title: Spring fair, town: Bonn}, {number: F-13, title: Expo}]
  steps:
    - ida: settle the size of the stand
    - ida: {fill: {fair: F-13, metres: 40}}
      expect: {end: done}
    - otto: order furniture for the Spring fair
    - otto: {fill: {metres: 9}}
    - otto: {fill: {items: four tables}}
      expect: {card: {to: [max], values: {fair: F-12}}}
    - max: {tap: approve}
      expect: {end: done}
"""
    played = await play_folder(folder, had)
    assert [each for each in played if not each.passed] == [], told(played)
    runs = played[-1].happenings[-1].runs.values()
    text = await record(next(run.conversation for run in runs if run.state.data["fair"] == "F-12"))
    again = await play_folder(folder, text)
    assert [each for each in again if not each.passed] == [], f"{told(again)}\n{text}"
    assert "- {number: F-12, title: Spring fair, town: example}" in text, text
    assert "F-13" not in text

"""What a program asks of a skill is a step of a test: the body as over HTTP, and its answer."""

import shutil
from pathlib import Path

import pytest

from bot.testing.reach import points_of, unreached
from engine.errors import DefinitionError
from tests.bot.testing.conftest import FolderPlayer, told
from tests.conftest import ROOT
from tests.fakes.garage import write_project

STOCKTAKE = """\
given:
  tools:
    list_bins:
      - {gives: [{bin: A-1, stock: 4, counted: 3}, {bin: A-2, stock: 1, counted: 1}], times: 1}
      - {gives: [{bin: A-1, stock: 4, counted: 4}]}
tests:
- test: a program has the stocktake done twice, and nobody is told
  steps:
    - program: {calls: check, sends: {lang: en}}
      expect:
        answer:
          is: continue
          sets:
            differences: [{bin: A-1}]
            totals: [{records: 2, findings: 1}]
            profile.checked: null
        called: [list_bins]
    - program: {calls: check}
      expect: {answer: {is: continue, sets: {profile.checked: "yes"}}, called: [list_bins]}
    - {after: 3d, expect: nothing}
"""
GARAGE = """\
- test: a skill that would ask says what, and nobody is asked
  steps:
    - program: {calls: ask-booking, sends: {message: book a hoist}}
      expect: {answer: {is: ask_user, asks: [bay, day]}, not_told: [mia, fred]}
    - {program: {calls: ask-booking}, expect: nothing}
- test: a write is nobody's to approve
  steps:
    - program: {calls: write-booking, sends: {state: {data: {bay: A1, day: 2026-03-09}}}}
      expect: {answer: constraint, problems: nobody approved it, not_called: [book_hoist]}
- test: a body that is wrong is told with its paths
  steps:
    - program: {calls: ask-booking, sends: {state: {data: {day: soon}}}}
      expect: {answer: invalid, problems: state.data.day}
- test: what a program does and what people do have one time and one store
  given: {tools: {book_hoist: {}}}
  steps:
    - mia: book a hoist
    - program: {calls: ask-booking}
    - mia: {fill: {bay: A1, day: 2026-03-09}}
    - {program: {calls: ask-booking}, expect: {not_called: [book_hoist]}}
    - {fred: {tap: approve}, expect: {end: done, called: [book_hoist]}}
"""
DIFFERING = """\
- test: a refusal that the test does not expect
  steps:
    - program: {calls: write-booking}
- test: another answer
  steps:
    - program: {calls: ask-booking}
      expect: {answer: {is: continue, asks: [bay], sets: {profile.booked: "yes"}}}
"""


@pytest.fixture
def garage(tmp_path: Path) -> Path:
    """A garage's own folder."""
    return write_project(tmp_path / "garage")


async def test_a_program_has_a_skill_read_and_check_and_the_rules_count_as_reached(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    folder = Path(shutil.copytree(ROOT / "examples/cookbook/records", tmp_path / "records"))
    shutil.rmtree(folder / "playbooks" / "count" / "tests")
    played = await play_folder(folder, STOCKTAKE)
    assert [each for each in played if not each.passed] == [], told(played)
    assert play_folder.folder is not None
    missed = unreached(points_of(play_folder.folder), played[0].reached)
    left = [line.split(": ", 1)[1] for line in missed]
    assert left == ["request check", "rule check bins 1"]


async def test_a_program_asks_writes_and_errs_as_over_http(
    garage: Path, play_folder: FolderPlayer
) -> None:
    played = await play_folder(garage, GARAGE)
    assert [each for each in played if not each.passed] == [], told(played)


async def test_an_answer_that_differs_is_told_with_its_place(
    garage: Path, play_folder: FolderPlayer
) -> None:
    refused, other = await play_folder(garage, DIFFERING)
    at = "tests/these.yaml"
    assert [fault.text for fault in refused.faults] == [
        f"{at}:3: 0.steps.0.expect.answer: expected an answer, was constraint: "
        "book_hoist: nobody approved it"
    ]
    assert [fault.text for fault in other.faults] == [
        f"{at}:7: 1.steps.0.expect.answer.is: expected continue, was ask_user",
        f"{at}:7: 1.steps.0.expect.answer.sets.profile.booked: expected yes, was None",
        f"{at}:7: 1.steps.0.expect.answer.asks: expected bay, was bay, day",
    ]
    assert other.faults[-1].around == ("the program was answered: ask_user: asks bay, day",)


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (
            "{program: {calls: ask-bookin}}",
            "there is no skill ask-bookin; did you mean 'ask-booking'?",
        ),
        ("{program: {}}", "0.steps.0.program.calls: is required"),
        ("{program: {calls: ask-booking}, mia: hi}", "should have one person who does something"),
        ("{mia: hi, expect: {answer: continue}}", "`answer` is what a `program` gets"),
    ],
)
async def test_a_program_that_cannot_be_is_told_with_its_line(
    garage: Path, play_folder: FolderPlayer, step: str, problem: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        await play_folder(garage, f"- test: a\n  steps:\n    - {step}\n")
    assert len(raised.value.problems) == 1
    assert raised.value.problems[0].startswith("tests/these.yaml:3: 0.steps.0")
    assert problem in raised.value.problems[0]

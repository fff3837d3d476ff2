"""What a system of record says of a case is a step of a test: the body as over HTTP."""

from pathlib import Path

import pytest

from engine.errors import DefinitionError
from tests.bot.testing.conftest import FolderPlayer, told
from tests.fakes.feast import BY_FEAST, write_feast

TESTS = """\
- test: what the ledger says stands in the next request, and is not sent back
  steps:
    - ida: count the guests
    - ida: {fill: {feast: F-7, guests: 80, hall: Blue}}
      expect: {end: done, called: [{sync: {guests: 80}}]}
    - system: {sends: {case: F-7, fields: {guests: 95}, by: ledger}}
      expect: nothing
    - otto: choose the menu for F-7
      expect: {reply: "Already settled: Guests", state: {guests: 95}}
    - {otto: {fill: {menu: fish}}, expect: {end: done, called: [{sync: {menu: fish}}]}}
- test: who changed it meanwhile is asked which one stands
  steps:
    - otto: count the guests
    - system: {sends: {case: F-7, fields: {guests: 95}, by: ledger}}
    - otto: {fill: {feast: F-7, guests: 90, hall: Blue}}
      expect: {card: {to: [otto], values: {In this request: 90, As ledger left it: 95}}}
- test: a repeat changes nothing
  steps:
    - system: {sends: {case: F-7, fields: {guests: 95}}, key: one}
    - system: {sends: {case: F-7, fields: {guests: 96}}, key: two}
    - system: {sends: {case: F-7, fields: {guests: 95}}, key: one}
    - {ida: count the guests for F-7, expect: {state: {guests: 96}}}
- test: what cannot be is refused with the reason
  steps:
    - system: {sends: {case: F-7, fields: {guests: many}}}
      expect: {refused: "guests: "}
    - system: {sends: {case: F-7, fields: {words: Come}}}
      expect: {refused: each request has its own}
    - system: {sends: {case: F-7, fields: {guests: 3}, playbook: ball}}
      expect: {refused: ball}
"""
DIFFERING = """\
- test: a refusal that the test does not expect
  steps:
    - system: {sends: {case: F-7, fields: {colour: red}}}
- test: a change that is taken
  steps:
    - system: {sends: {case: F-7, fields: {guests: 3}}}
      expect: {refused: true}
"""


@pytest.fixture
def kitchen(tmp_path: Path) -> Path:
    """A caterer's own folder."""
    return write_feast(tmp_path / "kitchen", BY_FEAST, sync="https://ledger.example.com/changes")


async def test_a_system_of_record_says_what_changed_there(
    kitchen: Path, play_folder: FolderPlayer
) -> None:
    played = await play_folder(kitchen, TESTS)
    assert [each for each in played if not each.passed] == [], told(played)


async def test_what_is_taken_or_refused_otherwise_is_told_with_its_place(
    kitchen: Path, play_folder: FolderPlayer
) -> None:
    refused, taken = await play_folder(kitchen, DIFFERING)
    assert [fault.text for fault in refused.faults] == [
        "tests/these.yaml:3: 0.steps.0.expect: expected the change to be taken, was refused:"
        " colour: no such field"
    ]
    assert [fault.text for fault in taken.faults] == [
        "tests/these.yaml:7: 1.steps.0.expect.refused: expected a refusal, was none"
    ]


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("{system: {}}", "0.steps.0.system.sends: is required"),
        ("{system: {sends: {}}, ida: hi}", "should have one person who does something"),
    ],
)
async def test_a_change_that_cannot_be_is_told_with_its_line(
    kitchen: Path, play_folder: FolderPlayer, step: str, problem: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        await play_folder(kitchen, f"- test: a\n  steps:\n    - {step}\n")
    assert [problem in each for each in raised.value.problems] == [True]


ENDS = """\
- test: how each ends is sent, once and last
  steps:
    - {ida: count the guests, expect: {not_called: [sync]}}
    - ida: {fill: {feast: F-7, guests: 80, hall: Blue}}
      expect: {end: done, called: [{sync: {guests: 80}}, {sync: {ended: done}}]}
    - ida: count the guests
    - {ida: /cancel, expect: {end: cancelled, called: [{sync: {ended: cancelled}}]}}
"""


def send_ends(folder: Path) -> None:
    """Have the folder's playbook send ends."""
    for main in folder.glob("playbooks/*/playbook.yaml"):
        text = main.read_text("utf-8")
        main.write_text(text.replace("sync:\n", "sync:\n  ends: true\n"), "utf-8")


async def test_an_end_is_a_call_of_sync_where_the_playbook_wants_ends(
    kitchen: Path, play_folder: FolderPlayer
) -> None:
    send_ends(kitchen)
    played = await play_folder(kitchen, ENDS)
    assert [each for each in played if not each.passed] == [], told(played)

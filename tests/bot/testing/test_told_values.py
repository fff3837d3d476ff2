"""What a rule's own text quotes is not said a second time before it."""

import shutil
from pathlib import Path

import pytest

from tests.bot.testing.conftest import FolderPlayer, told
from tests.conftest import ROOT

TESTS = """\
- test: what is said of the amount
  steps:
    - ada: please claim an expense
    - ada: {fill: {kind: taxi, amount: 120 EUR, spent_on: 2026-02-27, purpose: Fair,
        receipt: {name: taxi.txt, text: Taxi}}}
      expect:
        end: refused
        reply: {contains: "SAID", lacks: "LACKS"}
"""


@pytest.mark.parametrize(
    ("message", "said", "lacks"),
    [
        ("is {value}, too much", "Amount: is 120.00 EUR, too much", "= 120"),
        ("{field} of {value} is too much", "Amount of 120.00 EUR is too much", "= 120"),
        ("is too much", "Amount = 120.00 EUR: is too much", "Amount: is"),
    ],
)
async def test_a_value_is_said_once(
    message: str, said: str, lacks: str, tmp_path: Path, play_folder: FolderPlayer
) -> None:
    folder = Path(shutil.copytree(ROOT / "examples" / "expenses", tmp_path / "expenses"))
    shutil.rmtree(folder / "playbooks" / "expenses" / "tests")
    rules = folder / "playbooks/expenses/skills/check-claim.yaml"
    old = "is {value}, which is more than the policy pays"
    assert old in rules.read_text("utf-8")
    rules.write_text(rules.read_text("utf-8").replace(old, message), "utf-8")
    played = await play_folder(folder, TESTS.replace("SAID", said).replace("LACKS", lacks))
    assert [each for each in played if not each.passed] == [], told(played)

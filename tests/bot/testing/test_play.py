"""Tests of a project folder pass where all is as they say, and else tell what differed."""

from pathlib import Path

import pytest

from engine.errors import DefinitionError
from tests.bot.testing.conftest import FIXTURES, FolderPlayer, told
from tests.fakes.model_server import API_KEY, ModelServer, say_json

PLAN = """\
given:
  tools: {read_expense: {amount: 1200}}
  model:
    - text: >-
        [{"type": "tool", "name": "read_expense", "arguments": {"expense": "E-7"}},
         {"type": "tool", "name": "pay",
          "arguments": {"expense": "E-7", "amount": "$steps.1.amount"}},
         {"type": "reply", "text": "E-7 is paid."}]
tests:
"""


async def test_the_example_of_two_approvers_passes_as_it_stands(play_folder: FolderPlayer) -> None:
    played = await play_folder(FIXTURES / "reimburse")
    assert told(played) == (
        "ok   playbooks/reimburse/tests/issue.yaml:8 two approvers, one rejects"
    )


async def test_what_differs_is_told_with_its_place_and_what_happened(
    reimburse: Path, play_folder: FolderPlayer
) -> None:
    tests = f"""\
{PLAN}\
- test: two who pay, in both ways
  given: {{tools: {{pay: {{}}}}}}
  steps:
    - {{ana: reimburse E-7, expect: {{card: {{to: [bo], values: {{amount: 12}}}}, called: [pay]}}}}
- test: it is paid once
  given: {{tools: {{pay: {{}}}}}}
  steps:
    - ana: reimburse E-7
      expect: {{told: [ana, bo, cy], called: [{{read_expense: {{expense: e-7}}}}]}}
    - {{bo: {{tap: approve}}, expect: {{votes: 1 of 2, not_called: [pay]}}}}
    - {{cy: {{tap: approve}}, expect: {{end: done, called: [{{pay: {{amount: 1200}}}}]}}}}
    - {{after: 30d, expect: nothing}}
- test: nobody answers, and others come in, until it is too late
  steps:
    - {{ana: reimburse E-7}}
    - {{after: 1d, expect: nothing}}
    - {{after: 1d, expect: {{reminded: [bo, cy], escalated: [], not_told: [ana, di]}}}}
    - {{after: 2d, expect: {{escalated: [di], told: [di], card: {{to: [bo, cy, di]}}}}}}
    - {{di: {{tap: approve}}, expect: {{votes: 1 of 2}}}}
    - {{after: 6d, expect: {{end: expired, told: [ana], not_called: [pay]}}}}
    - {{bo: {{tap: approve}}, expect: {{refused: true}}}}
- test: the others did not leave anything behind
  steps:
    - {{bo: /pending, expect: {{reply: {{lacks: E-7}}}}}}
- test: somebody else's card
  given: {{strangers: [zoe]}}
  steps:
    - {{ana: reimburse E-7}}
    - {{zoe: {{tap: approve}}, expect: {{refused: true, votes: 0 of 2}}}}
    - {{ana: {{tap: approve}}, expect: {{refused: true, votes: 0 of 2}}}}
    - {{bo: {{tap: approve}}}}
    - {{bo: {{tap: approve}}, expect: {{votes: 1 of 2}}}}
"""
    played = await play_folder(reimburse, tests)
    wrong, *others = played
    assert [each for each in others if not each.passed] == [], told(others)
    at = "tests/these.yaml:13: tests.0.steps.0.expect"
    assert [fault.text for fault in wrong.faults] == [
        f"{at}.card.to: expected bo, was bo, cy",
        f"{at}.card.values.amount: expected 12, was 1200",
        f"{at}.called.0: expected pay, was read_expense {{expense: E-7}}",
    ]
    around = wrong.faults[-1].around
    card = "open card confirm 'Please review: 1 to be written' to bo, cy [approve, reject]"
    assert around[-2:] == (card, "called read_expense {expense: E-7}")
    assert around[0].startswith("ana was shown (in_review): “Reimbursement”: submitted")


@pytest.mark.parametrize(
    ("tests", "problems"),
    [
        ("[]", ["tests/these.yaml:1: should be a list of tests"]),
        (
            "- test: a\n  steps:\n    - {ana: hi, bo: hi}\n    - {expect: nothing}\n",
            ["these.yaml:3: 0.steps.0: should have one person", "these.yaml:4: 0.steps.1: should"],
        ),
    ],
)
async def test_a_file_that_is_wrong_is_told_with_its_line(
    reimburse: Path, play_folder: FolderPlayer, tests: str, problems: list[str]
) -> None:
    with pytest.raises(DefinitionError) as raised:
        await play_folder(reimburse, tests)
    assert len(raised.value.problems) == len(problems)
    for told_of, expected in zip(raised.value.problems, problems, strict=True):
        assert expected in told_of


async def test_the_model_of_the_settings_may_play(
    reimburse: Path, play_folder: FolderPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [
        {"type": "tool", "name": "read_expense", "arguments": {"expense": "E-7"}},
        {"type": "reply", "text": "E-7 comes to $steps.1.amount."},
    ]
    tests = """\
- test: it only looks
  given: {tools: {read_expense: {amount: 1200}}, model: real}
  steps:
    - {ana: reimburse E-7, expect: {end: done, reply: E-7 comes to 1200, not_called: [pay]}}
- test: there is none unless it is given
  steps:
    - {ana: reimburse E-7, expect: {end: failed, not_called: [read_expense, pay]}}
"""
    async with ModelServer(lambda request: say_json(steps)) as model:
        monkeypatch.setenv("OPENAI_API_KEY", API_KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
        monkeypatch.setenv("LLM_MODEL", "stub-model")
        played = await play_folder(reimburse, tests)
    assert [each for each in played if not each.passed] == [], told(played)

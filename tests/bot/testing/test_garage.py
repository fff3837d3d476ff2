"""Tests of a garage: faults of its system, time, files that are wrong, and who may decide."""

from pathlib import Path

import pytest

from bot.operate.validation import find_problems
from bot.wiring.platforms import load_settings
from engine.errors import DefinitionError
from tests.bot.testing.conftest import FolderPlayer, told
from tests.fakes.garage import bookings, write_project

BOOK = """\
    - mia: book a hoist
    - mia: {fill: {bay: A1, day: 2026-03-09}}
"""
PASSING = f"""\
- test: an answer that is lost is put to the foreman, who looks and says that it has happened
  given: {{tools: {{book_hoist: lost answer}}}}
  steps:
{BOOK}\
    - fred: {{tap: approve}}
      expect: {{card: {{to: [fred]}}, called: [{{book_hoist: {{bay: A1}}}}]}}
    - after: 3d
      expect: {{not_called: [book_hoist]}}
- test: the system is away, and the request fails with a reason
  given: {{tools: {{book_hoist: fails}}}}
  steps:
{BOOK}\
    - fred: {{tap: approve}}
    - mia: {{tap: give_up}}
      expect: {{end: failed, told: [mia], problems: workshop cannot be reached}}
- test: what the system says when it refuses is passed on
  given: {{tools: {{book_hoist: {{fault: refuses, says: A1 is being painted}}}}}}
  steps:
{BOOK}\
    - fred: {{tap: approve}}
      expect: {{end: failed, problems: A1 is being painted}}
- test: cases are tried in their order
  given:
    tools:
      list_hoists:
        - {{fault: slow, times: 1}}
        - {{gives: [{{bay: C3, lifts_kg: 900}}]}}
  steps:
    - {{mia: which hoists are there, expect: {{reply: workshop did not answer within 20 seconds}}}}
    - {{mia: which hoists are there, expect: {{reply: {{is: answered, contains: [C3, "900"]}}}}}}
- test: what is asked may be typed, and taken back
  steps:
    - {{mia: book a hoist, expect: {{form: [bay, day]}}}}
    - mia: bay A1, day 2026-03-09
      expect: {{card: {{to: [fred]}}, state: {{bay: A1, day: 2026-03-09}}}}
    - {{mia: /cancel, expect: {{end: cancelled, not_called: [book_hoist]}}}}
    - {{fred: {{tap: approve}}, expect: {{refused: true, not_called: [book_hoist]}}}}
- test: the own database may be asked, and is never written
  given: {{connections: real}}
  steps:
    - {{mia: which hoists are there, expect: {{reply: [A1, B2], called: [list_hoists]}}}}
- test: a room that all read
  steps:
    - {{mia: {{says: book a hoist, in: workshop}}, expect: {{told: [mia]}}}}
    - {{fred: {{fill: {{bay: A1, day: 2026-03-09}}, in: workshop}}, expect: {{refused: true}}}}
"""


@pytest.fixture
def garage(tmp_path: Path) -> Path:
    """A garage's own folder."""
    return write_project(tmp_path / "garage")


async def test_a_garage_is_proved(garage: Path, play_folder: FolderPlayer) -> None:
    played = await play_folder(garage, PASSING)
    assert [each for each in played if not each.passed] == [], told(played)
    assert bookings(garage) == []


async def test_what_cannot_be_played_says_what_to_do(
    garage: Path, play_folder: FolderPlayer
) -> None:
    tests = f"""\
- test: a tool that is not given
  steps:
    - {{mia: which hoists are there}}
- test: a button that is not there
  steps:
    - {{mia: book a hoist}}
    - {{mia: {{tap: aprove}}}}
- test: a field that the form has not
  steps:
    - {{mia: book a hoist}}
    - {{mia: {{fill: {{bai: A1}}}}}}
- test: no form
  steps:
    - {{mia: {{fill: {{bay: A1}}}}}}
- test: a case that fits no more
  given: {{tools: {{list_hoists: {{gives: [], times: 1}}}}}}
  steps:
    - {{mia: which hoists are there}}
    - {{mia: list all hoists}}
- test: expected in vain
  steps:
    - {{mia: hello, expect: nothing}}
- test: more was written
  given: {{tools: {{book_hoist: {{}}}}}}
  steps:
{BOOK}\
    - {{fred: {{tap: approve}}, expect: {{called: [], end: rejected, told: [mia, fred]}}}}
"""
    played = await play_folder(garage, tests)
    at = "tests/these.yaml"
    assert [[fault.text for fault in each.faults] for each in played] == [
        [
            f"{at}:3: 0.steps.0: list_hoists was called with {{}}; add to given.tools:"
            "  list_hoists: [{bay: ..., lifts_kg: 1}]"
        ],
        [f"{at}:7: 1.steps.1: no open card has a button aprove; known here: submit, withdraw"],
        [f"{at}:11: 2.steps.1: 'Booking' has no field bai; did you mean 'bay'?"],
        [f"{at}:14: 3.steps.0: no form is open"],
        [
            f"{at}:19: 4.steps.1: list_hoists was called with {{}}, and no case of"
            " given.tools.list_hoists fits that (any more)"
        ],
        [f"{at}:22: 5.steps.0.expect: expected nothing, but something happened"],
        [
            f"{at}:28: 6.steps.2.expect.end: expected rejected, was done",
            f"{at}:28: 6.steps.2.expect.called: expected no other write,"
            " was book_hoist {bay: A1, day: 2026-03-09}",
        ],
    ]


WRONG = """\
- test: one
  given: {now: noon, tools: {book_hoist: real, find_hoists: {}, list_hoists: {bay: A1}}}
  steps:
    - {mia: hi}
- test: one
  given:
    tools:
      find_hoist: [{with: {baj: A1}, gives: {bay: A1, lifts: 3}}]
      list_hoists: [{bay: A1, lifts_kg: much}]
  steps:
    - {mia: hi, fred: hi}
    - {after: later}
    - {mio: hi, expect: {told: [freda], called: [book_hoists]}}
    - {mia: {says: hi, tap: approve}}
    - {mia: hi, expect: {card: {kind: question}, nothing: true}}
    - {mia: hi, expect: {cart: {}}}
"""


def test_a_file_that_is_wrong_is_told_by_validate_with_lines(
    garage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(garage)
    tests = garage / "playbooks" / "hoists" / "tests"
    tests.mkdir()
    (tests / "wrong.yaml").write_text(WRONG, encoding="utf-8")
    found = [
        line.removeprefix("playbooks/hoists/tests/") for line in find_problems(load_settings())
    ]
    at = "wrong.yaml"
    assert found == [
        f"{at}:2: 0.given.now: should be a day and a time without a zone, as in 2026-03-02T09:00",
        f"{at}:8: 1.given.tools.find_hoist.0.gives.lifts: the tool has no such column;"
        " did you mean 'lifts_kg'?",
        f"{at}:8: 1.given.tools.find_hoist.0.with.baj: the tool has no such argument;"
        " did you mean 'bay'?",
        f"{at}:9: 1.given.tools.list_hoists.0.lifts_kg: should be a number, not 'much'",
        f"{at}:11: 1.steps.0: should have one person who does something, `program`, `system`, or"
        " `after`",
        f"{at}:12: 1.steps.1.after: should be a duration like 90s, 30m, 4h, 2d or 1d 12h, or whole"
        " seconds, not 'later'",
        f"{at}:13: 1.steps.2.mio: nobody of people.yaml, and none of the test's `strangers`;"
        " did you mean 'mia'?",
        f"{at}:13: 1.steps.2.expect.told: freda is nobody of people.yaml; did you mean 'fred'?",
        f"{at}:13: 1.steps.2.expect.called: there is no tool book_hoists;"
        " did you mean 'book_hoist'?",
        f"{at}:14: 1.steps.3.mia: should have one of `says` (or `shares`), `tap` and `fill`",
        f"{at}:15: 1.steps.4.expect.card.kind: should be 'clarify', 'confirm', 'select' or"
        " 'phase_done', not 'question'",
        f"{at}:16: 1.steps.5.expect.cart: unknown key; did you mean 'card'?",
    ]


@pytest.mark.parametrize("tests", ["[]", "tests: {}", "- 1", "given: {}"])
async def test_a_file_without_tests_is_no_file_of_tests(
    garage: Path, play_folder: FolderPlayer, tests: str
) -> None:
    with pytest.raises(DefinitionError, match=r"these\.yaml:1: "):
        await play_folder(garage, tests)


REFUSAL = """\
  refused_when:
    - finds: {connection: workshop, sql: "SELECT who FROM bookings WHERE bay = :bay"}
      text: "{bay} is booked by {who}."
    - lacks: {connection: workshop, sql: "SELECT bay FROM hoists WHERE bay = :bay"}
      text: "There is no hoist {bay}."
"""


async def test_nobody_is_asked_to_approve_what_the_tool_refuses(
    garage: Path, play_folder: FolderPlayer
) -> None:
    with (garage / "playbooks/hoists/tools.yaml").open("a", encoding="utf-8") as file:
        file.write(REFUSAL)
    tests = "".join(
        f"""\
- test: {name}
  given: {{tools: {{book_hoist: {{{given}}}}}}}
  steps:
    - mia: book a hoist
    - mia: {{fill: {{bay: A1, day: 2026-03-09}}}}
      expect: {{end: refused, reply: {reply}, told: [mia], not_called: [book_hoist]}}
"""
        for name, given, reply in (
            ("by its file", "refused_when: 1, gives: {who: Fred}", "A1 is booked by Fred."),
            ("by what is not there", "refused_when: 2", "There is no hoist A1."),
            ("by its system", "fault: refuses, says: A1 is being painted", "A1 is being painted"),
            ("without a word", "fault: refuses", "workshop refuses this (409)."),
        )
    )
    tests += f"""\
- test: what only fails is approved first
  given: {{tools: {{book_hoist: fails}}}}
  steps:
{BOOK}\
    - fred: {{tap: approve}}
      expect: {{called: [book_hoist]}}
    - mia: {{tap: give_up}}
      expect: {{end: failed}}
"""
    played = await play_folder(garage, tests)
    assert [each for each in played if not each.passed] == [], told(played)


MIXED = """\
- test: one
  given:
    tools:
      book_hoist:
        - {refused_when: 1, fault: refuses, says: painted}
        - {fault: fails, says: painted}
  steps:
    - {mia: hi}
"""


def test_a_case_that_says_two_things_at_once_is_told(
    garage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(garage)
    with (garage / "playbooks/hoists/tools.yaml").open("a", encoding="utf-8") as file:
        file.write(REFUSAL)
    tests = garage / "playbooks" / "hoists" / "tests"
    tests.mkdir()
    (tests / "mixed.yaml").write_text(MIXED, encoding="utf-8")
    at = "playbooks/hoists/tests/mixed.yaml"
    assert find_problems(load_settings()) == [
        f"{at}:5: 0.given.tools.book_hoist.0.refused_when: is the tool's own refusal, with its"
        " text; leave out `fault`, which is the system's",
        f"{at}:6: 0.given.tools.book_hoist.1.says: is what a system says with `fault: refuses`",
    ]


FITS = """\
id: fits
name: Does it fit
description: Asks the workshop whether the hoist could be booked
category: check
kind: tool_plan
provides: [profile.fits]
sets: {profile.fits: "yes"}
plan: {rehearses: write-booking}
"""
REHEARSED = """\
- test: a plan that only rehearses ends as refused, with the words of the tool
  given: {tools: {book_hoist: {refused_when: 1, gives: {who: Fred}}}}
  steps:
    - mia: book a hoist
    - mia: {fill: {bay: A1, day: 2026-03-09}}
      expect:
        end: refused
        reply: {is: refused, contains: A1 is booked by Fred., lacks: failed}
        told: [mia]
        not_told: [fred]
        not_called: [book_hoist]
- test: one that cannot be taken for another reason is refused too
  given: {tools: {book_hoist: {fault: refuses, says: A1 is being painted}}}
  steps:
    - mia: book a hoist
    - mia: {fill: {bay: A1, day: 2026-03-09}}
      expect: {end: refused, reply: A1 is being painted}
- test: where all is well it goes on
  given: {tools: {book_hoist: {}}}
  steps:
    - mia: book a hoist
    - {mia: {fill: {bay: A1, day: 2026-03-09}}, expect: {card: {to: [fred]}}}
    - {fred: {tap: approve}, expect: {end: done}}
"""


@pytest.mark.parametrize("more", ["", "  on_error: {profile.fits: 'no'}\n"])
async def test_a_rehearsal_that_the_tool_refuses_ends_the_run_as_refused(
    garage: Path, play_folder: FolderPlayer, more: str
) -> None:
    with (garage / "playbooks/hoists/tools.yaml").open("a", encoding="utf-8") as file:
        file.write(REFUSAL)
    fits = FITS.replace("{rehearses: write-booking}", f"\n  rehearses: write-booking\n{more}")
    (garage / "playbooks/hoists/skills/fits.yaml").write_text(fits, encoding="utf-8")
    main = garage / "playbooks/hoists/playbook.yaml"
    text = main.read_text(encoding="utf-8").replace(
        "  - id: review\n",
        "  - {id: fits, name: Fits, goal: It fits, allowed_skills: [fits],"
        " gate_field: profile.fits, gate_value: 'yes'}\n  - id: review\n",
    )
    text = text.replace("  booked: {", "  fits: {label: Fits}\n  booked: {")
    main.write_text(text, encoding="utf-8")
    played = await play_folder(garage, REHEARSED)
    assert [each for each in played if not each.passed] == [], told(played)

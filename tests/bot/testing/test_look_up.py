"""A node looks up what a system has of one thing: it stands beside what is written, and decides."""

from pathlib import Path

import pytest

from engine.errors import DefinitionError
from tests.bot.testing.conftest import FolderPlayer, told
from tests.fakes.garage import APPROVE, MAIN, TOOLS, write_project

FIELDS = """\
  lifts: {label: Lifts, type: number, unit: kg, required: false}
  inspected: {label: Inspected, type: date, required: false}
phases:
"""
NODES = """\
sop:
  start_node: hoist
  nodes:
    hoist:
      type: look_up
      reads: {tool: find_hoist, with: {bay: $bay}, fills: {lifts: lifts_kg, inspected: inspected}}
      on_pass: approve
      on_fail: end_unknown
      on_error: end_away
    approve:
      type: human_review
      review: {roles: [foreman]}
      presents: [inspected, lifts, day]
      shows: write-booking
      decision: booking
      on_approve: end_approved
  outcomes:
    end_approved: {decisions.booking: approved}
    end_unknown: {end: refused, says: There is no such hoist.}
    end_away: {says: The workshop's list is closed.}
"""
ASKED = """\
    - mia: book a hoist
    - mia: {fill: {bay: BAY, day: 2026-03-09}}
"""
REAL = f"""\
- test: what the workshop has of the hoist stands beside what is written, and is no part of that
  given: {{tools: {{find_hoist: real, book_hoist: {{}}}}}}
  steps:
{ASKED.replace("BAY", "A1")}\
      expect:
        card:
          to: [fred]
          values: {{Bay: A1, Day: 2026-03-09, Lifts: 3500 kg, Inspected: 2026-05-02}}
    - fred: {{tap: approve}}
      expect: {{end: done, called: [{{book_hoist: {{bay: A1, day: 2026-03-09}}}}]}}
- test: a hoist that is not there reaches nobody
  given: {{tools: {{find_hoist: real}}}}
  steps:
{ASKED.replace("BAY", "C3")}\
      expect:
        end: refused
        reply: [There is no such hoist., "Bay = C3: nothing was found"]
        state: {{lifts: null}}
        not_told: [fred]
- test: a list that is closed leads where the node says
  given: {{tools: {{find_hoist: fails}}}}
  steps:
{ASKED.replace("BAY", "A1")}\
      expect: {{end: failed, reply: "The workshop's list is closed.", not_told: [fred]}}
"""


def garage(folder: Path, nodes: str = NODES, fields: str = FIELDS, tools: str = TOOLS) -> Path:
    """A garage whose foreman is shown what the workshop has of the hoist."""
    return write_project(
        folder,
        **{
            "playbooks/hoists/playbook.yaml": MAIN.replace("phases:\n", fields),
            "playbooks/hoists/skills/approve-booking.yaml": APPROVE.split("sop:")[0] + nodes,
            "playbooks/hoists/tools.yaml": tools,
        },
    )


async def test_what_a_system_has_stands_on_the_card_and_what_is_not_there_asks_nobody(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    played = await play_folder(garage(tmp_path / "garage"), REAL)
    assert [each for each in played if not each.passed] == [], told(played)
    first = next(card for each in played[0].happenings for card in each.cards if card.signs_off)
    # What is written comes first, and nothing stands twice.
    assert [row.label for row in first.rows] == ["Bay", "Day", "Inspected", "Lifts"]


async def test_what_the_field_cannot_hold_is_an_error_that_names_it(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    fields = FIELDS.replace("type: number, unit: kg,", "type: number, maximum: 3000,")
    nodes = NODES.replace("      on_error: end_away\n", "")
    test = f"""\
- test: too much
  given: {{tools: {{find_hoist: {{bay: A1, lifts_kg: 9000}}}}}}
  steps:
{ASKED.replace("BAY", "A1")}\
      expect: {{end: failed, reply: ["Lifts: what the system has, 9000, does not fit", "3000"]}}
"""
    played = await play_folder(garage(tmp_path / "garage", nodes, fields), test)
    assert [each for each in played if not each.passed] == [], told(played)


async def test_the_tool_s_own_words_say_why_nothing_was_found(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    sql = "{connection: workshop, sql: \"SELECT bay FROM bookings WHERE day = '1970-01-01'\"}"
    refusal = f'  refused_when: [{{finds: {sql}, text: "{{bay}} was sold"}}]\nlist_hoists:'
    tools = TOOLS.replace("list_hoists:", refusal, 1)
    test = f"""\
- test: sold
  given: {{tools: {{find_hoist: {{refused_when: 1}}}}}}
  steps:
{ASKED.replace("BAY", "A1")}\
      expect: {{end: refused, reply: A1 was sold, not_told: [fred]}}
"""
    played = await play_folder(garage(tmp_path / "garage", tools=tools), test)
    assert [each for each in played if not each.passed] == [], told(played)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("tool: find_hoist", "tool: list_hoists", "gives a list; a tool that gives one thing"),
        ("tool: find_hoist", "tool: book_hoist", "writes; what is looked up"),
        ("tool: find_hoist", "tool: find_hoists", "did you mean 'find_hoist'?"),
        ("with: {bay: $bay}", "with: {}", "lacks 'bay', which find_hoist needs"),
        ("with: {bay: $bay}", "with: {bay: $bae}", "did you mean 'bay'?"),
        ("lifts: lifts_kg", "lifts: lifts", "column of find_hoist 'lifts'"),
        ("lifts: lifts_kg", "lift: lifts_kg", "did you mean 'lifts'?"),
        ("lifts: lifts_kg", "lifts: bay", "is of type number, and the column text"),
        (NODES.splitlines()[5], "", "is required: a tool, and the fields that it fills"),
        *(
            ("roles: [foreman]}", f"roles: [foreman], may_edit: [{path}]}}", told)
            for path, told in (
                ("bay", "'hoist' looks up by 'bay', or fills it"),
                ("lifts", "'hoist' looks up by 'lifts', or fills it"),
            )
        ),
        ("      reads:", "      ways: []\n      reads:", "belongs to type branch"),
    ],
)
async def test_what_cannot_be_read_is_told_with_its_line(
    tmp_path: Path, play_folder: FolderPlayer, old: str, new: str, problem: str
) -> None:
    assert old in NODES
    with pytest.raises(DefinitionError) as raised:
        await play_folder(garage(tmp_path / "garage", NODES.replace(old, new, 1)))
    assert any(problem in each for each in raised.value.problems), raised.value.problems

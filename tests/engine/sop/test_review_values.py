"""A review shows all that its approval is about, by its labels, as it is written."""

from typing import Any

import pytest

from cards.model import Card, Row
from engine.playbooks.model import Playbook
from tests.engine.sop.sop_stage import loaded, new_run, ran, services, with_sop
from tests.fakes.study import Study

SOP = """start_node: sign
nodes:
  sign:
    type: human_review
    review: {roles: [reviewer]}
    decision: signature
    WHAT
    on_approve: end_ok
outcomes: {end_ok: {profile.eligibility: eligible, decisions.signature: approved}}
"""
RECORD = """\
id: record
name: {zh: 写入, en: Record}
description: {zh: 写入, en: Writes a visit}
category: record
kind: tool_plan
provides: [profile.collected]
plan:
  guard: {decision: signature}
  calls:
"""
FIRST = """\
    - tool: record_visit
      arguments:
        subject_id: $subject_id
        visit_date: 2026-11-20
        ecog: $ecog
        weight_kg: 62.5
        systolic: 120
        diastolic: 80
        adverse_event: $medical_history
"""
SECOND = """\
    - tool: record_visit
      arguments:
        visit_date: 2026-11-21
        weight_kg: 62.5
        systolic: 120
        diastolic: 80
        subject_id: $subject_id
        ecog: 9
"""
STANDS: dict[str, Any] = {"subject_id": "p003", "ecog": 1, "medical_history": "pain\u202e"}
LISTED = """\
  visits:
    label: {zh: 访视, en: Visits}
    type: list
    columns:
      day: {label: {zh: 日, en: Day}}
  remark: {label: {zh: 备注, en: Remark}, required: false}
"""


def playbook(what: str, calls: str = FIRST) -> Playbook:
    files = dict(with_sop(SOP.replace("WHAT", what)))
    main = files["playbook.yaml"].replace("data_fields:\n", "data_fields:\n" + LISTED)
    written = {"skills/record.yaml": RECORD + calls} if "shows" in what else {}
    return loaded({**files, "playbook.yaml": main, **written})


async def card(built: Playbook, records: Study, **data: Any) -> Card:
    asked = await ran(new_run(built, {**STANDS, **data}), built, services(None, records))
    return asked.cards[-1]


async def test_every_argument_of_a_write_is_shown_by_its_label_as_the_tool_takes_it(
    records: Study,
) -> None:
    shown = await card(playbook("shows: record"), records)
    assert shown.rows == (
        Row(label="Subject", value="P003"),
        Row(label="visit_date", value="2026-11-20"),
        Row(label="ECOG", value="1"),
        Row(label="weight_kg", value="62.5"),
        Row(label="systolic", value="120"),
        Row(label="diastolic", value="80"),
        Row(label="Medical history", value="pain⟨U+202E⟩"),
    )


async def test_lines_keep_their_breaks_wherever_they_are_shown(records: Study) -> None:
    text = "one\ntwo\u200b\n\nthree "
    shown = await card(playbook("shows: record"), records, medical_history=text)
    assert "Medical history" not in {row.label for row in shown.rows}
    assert shown.text.endswith("**Medical history**\n\n> one\n> two⟨U+200B⟩\n>\n> three␣")


async def test_of_several_calls_each_is_told(records: Study) -> None:
    shown = await card(playbook("shows: record", FIRST + SECOND), records)
    steps = [(row.label, row.value) for row in shown.rows if row.value == "record_visit"]
    assert steps == [("Step 1", "record_visit"), ("Step 2", "record_visit")]
    # What the tool will refuse is shown as it stands.
    assert [(row.label, row.value) for row in shown.rows[-2:]] == [
        ("Subject", "p003"),
        ("ECOG", "9"),
    ]


async def test_a_decision_is_shown_too_and_a_list_whole(records: Study) -> None:
    built = playbook("presents: [visits, decisions.signature, ecog]")
    days = tuple({"day": f"day {n} "} for n in range(45))
    shown = await card(built, records, visits=days)
    assert shown.rows == (
        Row(label="signature", value="not stated"),
        Row(label="ECOG", value="1"),
    )
    assert [f"| day {n}␣ |" in shown.text for n in range(45)] == [True] * 45


@pytest.mark.parametrize("value", ["a\u202eb", "a b", " a"])
async def test_what_differs_is_shown_differently(value: str, records: Study) -> None:
    built = playbook("shows: record")
    plain = await card(built, records, medical_history="a b" if value != "a b" else "ab")
    other = await card(built, records, medical_history=value)
    assert plain.rows != other.rows
    assert plain.shown_digest != other.shown_digest


async def test_what_is_optional_and_was_left_out_is_not_told(records: Study) -> None:
    both = "presents: [ecog, remark]"
    assert [row.label for row in (await card(playbook(both), records)).rows] == ["ECOG"]
    given = await card(playbook(both), records, remark="by phone")
    assert given.rows[1:] == (Row(label="Remark", value="by phone"),)
    # Nothing at all would be no review; and what may be filled in is told to be open.
    alone = await card(playbook("presents: [remark]"), records)
    assert alone.rows == (Row(label="Remark", value="not stated"),)


async def test_what_a_reviewer_may_fill_in_is_shown_empty(records: Study) -> None:
    review = "review: {roles: [reviewer], may_edit: [remark]}"
    files = with_sop(
        SOP.replace("review: {roles: [reviewer]}", review).replace(
            "WHAT", "presents: [ecog, remark]"
        )
    )
    main = files["playbook.yaml"].replace("data_fields:\n", "data_fields:\n" + LISTED)
    shown = await card(loaded({**files, "playbook.yaml": main}), records)
    assert shown.rows[1:] == (Row(label="Remark", value="not stated"),)

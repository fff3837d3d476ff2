"""A review lets people change only what its card shows, and what a form can hold."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.errors import DefinitionError
from engine.playbooks.load import load

SHIPPED = Path(__file__).parents[3] / "playbooks" / "clinical_qc"
REVIEW = "skills/visit-review.yaml"
ALLOWED = "may_edit: [ecog, weight_kg, systolic, diastolic, adverse_event]"
SHOWN = "adverse_event, diastolic, ecog, subject_id, systolic, visit_date, weight_kg"


def texts(*changes: tuple[str, str]) -> Mapping[str, str]:
    files = {
        str(path.relative_to(SHIPPED)): path.read_text("utf-8")
        for path in [SHIPPED / "playbook.yaml", *sorted((SHIPPED / "skills").glob("*.yaml"))]
    }
    for old, new in changes:
        assert old in files[REVIEW]
        files[REVIEW] = files[REVIEW].replace(old, new)
    return files


def problems(*changes: tuple[str, str]) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        load(texts(*changes), roles=("crc", "reviewer"), held=("reviewer",))
    return list(caught.value.problems)


PRESENTS = ("      shows: visit-record\n", "      presents: [qc_findings, ecog]\n")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            [(ALLOWED, "may_edit: [ecog, qc_summary]")],
            f"may_edit.1: the card does not show 'qc_summary'; known here: {SHOWN}",
        ),
        (
            [(ALLOWED, "may_edit: [weight]")],
            "may_edit.0: 'weight' is not among data_fields; did you mean 'weight_kg'?",
        ),
        (
            [(ALLOWED, "may_edit: [decisions.review]")],
            "may_edit.0: decisions are made, not edited",
        ),
        (
            [PRESENTS, (ALLOWED, "may_edit: [qc_findings]")],
            "may_edit.0: 'qc_findings' is a list, which no card's form can change",
        ),
    ],
)
def test_what_the_card_does_not_show_or_no_form_can_hold_is_told_with_its_line(
    changes: list[tuple[str, str]], told: str
) -> None:
    changed = texts(*changes)[REVIEW].splitlines()
    line = next(number for number, text in enumerate(changed, 1) if "may_edit" in text)
    assert f"{REVIEW}:{line}: sop.nodes.approve.review.{told}" in problems(*changes)


def test_a_card_of_an_unsure_verdict_shows_no_leaf_to_change() -> None:
    node = """    unsure:
      type: soft_instruction
      instruction: Does it fit
      review: {roles: [reviewer], may_edit: [ecog]}
      on_pass: end_approved
      on_fail: end_rejected
"""
    found = problems(
        ("      on_pass: end_approved\n", "      on_pass: unsure\n"),
        ("  outcomes:", node + "  outcomes:"),
    )
    assert [p.split(": ", 1)[1] for p in found if "may_edit" in p] == [
        "sop.nodes.unsure.review.may_edit.0: the card does not show 'ecog'"
    ]


def test_the_shipped_playbook_lets_reviewers_change_what_the_rules_check_again() -> None:
    playbook = load(texts(), roles=("crc", "reviewer"), held=("reviewer",))
    sop = playbook.skills["visit-review"].sop
    assert sop is not None
    review = sop.nodes["approve"].review
    assert review is not None
    checked = {rule.field for rule in sop.nodes[sop.nodes["approve"].on_approve].rules}
    assert {*review.may_edit} - checked == {"adverse_event"}

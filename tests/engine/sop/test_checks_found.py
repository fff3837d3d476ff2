"""Whom a check is about, what of it is listed, and the one row that carries it."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cards.model import Principal
from engine.frames.intents import Intent
from engine.frames.outcome import Next, StepContext
from engine.frames.replies import Part
from engine.frames.state import AgentState, Run, SopFrame
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.storage.findings import CheckReport, Finding
from engine.rules.hard import Violation
from engine.sop.findings import LISTED, check_of, check_posts, findings_of
from tests.fakes.services import services_of

PLAYBOOK = Path(__file__).parents[3] / "playbooks" / "clinical_qc"
NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
FRAME = SopFrame(skill="visit-check", node="ranges")


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    paths = [PLAYBOOK / "playbook.yaml", *(PLAYBOOK / "skills").glob("*.yaml")]
    texts = {str(path): path.read_text("utf-8") for path in paths}
    return load(texts, roles=("crc", "reviewer"), held=("reviewer",))


def context(playbook: Playbook, data: dict[str, Any], **changes: Any) -> StepContext:
    run = Run(
        id="0-run",
        playbook="clinical_qc",
        digest="d",
        name="a visit",
        conversation="web:local:main",
        lang="en",
        requester=Principal(id="lin", name="Lin"),
        text="",
        message="",
        reply="0-reply",
        part=Part(index=0, intent=Intent(kind="workflow", text=""), state="working", text=""),
        slot=False,
        frames=(FRAME,),
        state=AgentState(data=data),
        steps=7,
        started_at=NOW,
    )
    services = services_of(project=lambda conversation: f"project of {conversation}")
    return StepContext(run.model_copy(update=changes), playbook, services)


@pytest.mark.parametrize(
    ("data", "key", "record"),
    [
        ({"subject_id": "P003", "ecog": 2}, "P009", "P003"),
        ({"subject_id": "", "ecog": 2}, "P009", "P009"),
        ({}, "", "0-run"),
    ],
)
def test_a_check_is_about_whom_the_data_is_about_else_about_the_child_or_run(
    data: dict[str, Any], key: str, record: str, playbook: Playbook
) -> None:
    found = check_of(FRAME, (), context(playbook, data, key=key))
    assert (found.record, found.found, found.at) == (record, 0, NOW)
    assert found.project == playbook.definition.project
    assert json.loads(found.name) == ["clinical_qc", "visit-check", "ranges", record]
    named = check_of(FRAME, (), context(playbook, data, key=key), record="P001")
    assert named.record == "P001"


def test_violations_are_told_in_the_words_of_the_run(playbook: Playbook) -> None:
    violations = (
        Violation(field="ecog", message="should be 0 to 5", severity="warning", value=7.0),
        Violation(field="unknown", message="is missing", severity="error"),
    )
    assert findings_of(violations, context(playbook, {}), entry="2026-11-02") == (
        Finding(
            field="ecog",
            label="ECOG score",
            message="should be 0 to 5",
            severity="warning",
            value="7",
            entry="2026-11-02",
        ),
        Finding(field="unknown", label="unknown", message="is missing", entry="2026-11-02"),
    )


def test_all_findings_are_counted_and_the_first_listed(playbook: Playbook) -> None:
    many = tuple(Finding(field=f"f{n}", label="f", message="m") for n in range(LISTED + 5))
    found = check_of(FRAME, many, context(playbook, {}))
    assert (found.found, found.findings) == (LISTED + 5, many[:LISTED])


def test_one_row_carries_what_a_step_checked_and_none_what_it_did_not(playbook: Playbook) -> None:
    here = context(playbook, {})
    checks = tuple(check_of(FRAME, (), here, record=f"P{n}") for n in range(10))
    (post,) = check_posts(here.run, Next(FRAME, "checked", checks=checks), NOW)
    assert (post.kind, post.row, post.ref) == ("check", "0-run/check/7", "0-run/check/7")
    assert post.conversation == f"checks:{playbook.definition.project}"
    assert CheckReport.model_validate_json(post.body).checks == checks
    assert check_posts(here.run, Next(FRAME, "went on"), NOW) == ()

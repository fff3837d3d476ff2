"""Runs and a playbook as they were stored before skills had models: they load and go on."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cards.model import Decision
from engine.frames.state import Approval, Run
from engine.mail import CardDecided, CardExpired, RunContinued
from engine.playbooks.model import Playbook
from engine.reviews.approvals import call_digest, resolve_calls
from tests.fakes.study import Study, Visit
from tests.fakes.walk import CHEN, LIN, Walk

STORED = Path(__file__).parents[1] / "fixtures" / "state" / "v0"
PLAYBOOK = Playbook.model_validate_json((STORED / "visit_playbook.json").read_text())
RUNS: dict[str, Any] = json.loads((STORED / "visit_runs.json").read_text())
FORM: dict[str, str | int | float] = {
    "subject_id": "P003",
    "visit_date": "2026-11-21",
    "ecog": 0,
    "weight_kg": 60.5,
    "systolic": 120,
    "diastolic": 80,
}


def walk(name: str) -> Walk:
    run = Run.model_validate_json(json.dumps(RUNS[name]))
    before = Visit(subject_id="P003", visit_date=datetime(2026, 10, 1, tzinfo=UTC).date())
    return Walk(PLAYBOOK, run, records=Study({"P003": [before]}))


def decided(card: str, choice: str, by: Any, **values: str | int | float) -> CardDecided:
    at = datetime(2026, 11, 21, tzinfo=UTC)
    decision = Decision(choice=choice, person=by.id, name=by.name, at=at, values=values)
    return CardDecided(card=card, decision=decision)


@pytest.mark.parametrize("name", RUNS)
def test_a20_a_run_loads_as_it_was_and_is_stored_again(name: str) -> None:
    run = Run.model_validate_json(json.dumps(RUNS[name]))
    assert run.digest == PLAYBOOK.digest
    assert Run.model_validate_json(run.stored()) == run
    assert (run.outgoing, run.heard, run.finished) == ((), 0, False)


def test_profile_fields_that_were_names_are_texts() -> None:
    leaf = PLAYBOOK.definition.leaf("profile.fits")
    assert leaf is not None
    assert (leaf.type, leaf.label("en")) == ("text", "fits")
    assert Playbook.model_validate_json(PLAYBOOK.model_dump_json()) == PLAYBOOK


async def test_a20_a_form_that_was_open_is_answered() -> None:
    found = walk("clarify")
    found.run = found.run.model_copy(
        update={
            "state": found.run.state.model_copy(
                update={"data": {k: v for k, v in FORM.items() if k not in ("subject_id", "ecog")}}
            )
        }
    )
    await found.tell(decided("00-card1", "submit", LIN, subject_id="P003", ecog=0))
    assert found.run.state.data == FORM
    assert found.frame.kind == "sop"
    assert found.card.review.roles == ("reviewer",)


async def test_a20_a_review_that_was_open_is_approved_and_written() -> None:
    found = walk("review")
    plan = PLAYBOOK.skills["visit-record"].plan
    assert plan is not None
    digest = call_digest(resolve_calls(plan, found.run.state))
    frame = found.frame.model_copy(update={"shown_digest": digest})
    found.run = found.run.model_copy(update={"frames": (found.run.frames[0], frame)})
    await found.tell(decided("00-card2", "approve", CHEN))
    ((visit, by),) = found.records.written.values()
    assert (visit.subject_id, by) == ("P003", "chen")
    assert [card.kind for card in found.informed] == ["phase_done"]


async def test_a20_a_review_that_was_open_is_rejected_or_expires() -> None:
    found = walk("review")
    await found.tell(decided("00-card2", "reject", CHEN, reason="again"))
    assert found.card.kind == "clarify"
    assert found.records.written == {}
    found = walk("review")
    await found.tell(CardExpired(card="00-card2"))
    assert found.run.status == "failed"


async def test_a_write_whose_approval_does_not_fit_is_not_done() -> None:
    found = walk("record")
    assert found.run.state.approvals["review"] == Approval(by="chen", name="Chen", digest="e" * 64)
    await found.tell(RunContinued())
    assert (found.run.status, found.records.written) == ("failed", {})


async def test_a20_a_run_between_two_frames_goes_on() -> None:
    found = walk("announce")
    await found.tell(RunContinued())
    assert found.run.status in ("suspended", "running")
    assert found.run.steps > 0

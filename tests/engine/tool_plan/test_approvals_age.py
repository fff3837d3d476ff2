"""A write waits behind an approval that is young enough; an old one is asked for again."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cards.model import Decision
from engine.frames.state import Approval, PlannerFrame, Run, ToolPlanFrame
from engine.mail import CardDecided, CardExpired, RunContinued
from engine.playbooks.model import Playbook
from engine.reviews.approvals import call_digest, resolve_calls
from tests.fakes.study import Study, Visit
from tests.fakes.walk import CHEN, LIN, NOW, Walk, crashing

STORED = Path(__file__).parents[2] / "fixtures" / "state" / "v0"
PLAYBOOK = Playbook.model_validate_json((STORED / "visit_playbook.json").read_text())
RUNS: dict[str, Any] = json.loads((STORED / "visit_runs.json").read_text())


def at_record(until: datetime | None) -> Walk:
    """A run that is about to write what Chen approved, good until then."""
    run = Run.model_validate_json(json.dumps(RUNS["record"]))
    plan = PLAYBOOK.skills["visit-record"].plan
    assert plan is not None
    digest = call_digest(resolve_calls(plan, run.state))
    approval = Approval(by="chen", name="Chen", digest=digest, until=until)
    planner = next(frame for frame in run.frames if isinstance(frame, PlannerFrame))
    state = run.state.model_copy(update={"approvals": {"review": approval}})
    frames = (planner, ToolPlanFrame(skill="visit-record"))
    before = Visit(subject_id="P003", visit_date=datetime(2026, 10, 1, tzinfo=UTC).date())
    changed = run.model_copy(update={"state": state, "frames": frames, "status": "running"})
    return Walk(PLAYBOOK, changed, records=Study({"P003": [before]}))


@pytest.mark.parametrize("until", [None, NOW + timedelta(milliseconds=1)])
async def test_a_young_approval_is_written_on(until: datetime | None) -> None:
    found = at_record(until)
    await found.tell(RunContinued())
    assert len(found.records.written) == 1


async def test_at_its_execution_deadline_an_approval_is_too_old_and_is_asked_for_again() -> None:
    for found in (at_record(NOW), crashing(at_record(NOW - timedelta(days=3)))):
        await found.tell(RunContinued())
        assert found.records.written == {}
        assert found.card.review.roles == ("reviewer",)
        assert "too old" in found.card.problems[0] or "有效期" in found.card.problems[0]
        assert found.run.part.state == "in_review"
        await found.answer("approve", by=CHEN)
        assert len(found.records.written) == 1
        assert [card.kind for card in found.informed] == ["phase_done"]


async def test_asked_again_and_rejected_it_goes_where_a_rejection_goes_and_writes_nothing() -> None:
    found = at_record(NOW)
    await found.tell(RunContinued())
    await found.answer("reject", {"reason": "not any more"}, by=CHEN)
    assert found.records.written == {}
    assert found.run.state.decisions["review"] == "rejected"
    assert found.card.kind == "clarify"


async def test_asked_again_and_answered_by_nobody_the_run_fails_and_writes_nothing() -> None:
    found = at_record(NOW)
    await found.tell(RunContinued())
    await found.tell(CardExpired(card=found.card.token))
    assert (found.run.status, found.records.written) == ("failed", {})


async def test_an_expiry_that_leaves_the_old_decision_does_not_write_on_it() -> None:
    """Where on_expire ends the SOP and sets nothing, the old "approved" must not be read as new."""
    definition = PLAYBOOK.skills["visit-review"].sop
    assert definition is not None
    (name,) = definition.nodes
    node = definition.nodes[name].model_copy(update={"on_expire": "end_silent"})
    sop = definition.model_copy(update={"nodes": {name: node}})
    review = PLAYBOOK.skills["visit-review"].model_copy(update={"sop": sop})
    found = at_record(NOW)
    skills = {**PLAYBOOK.skills, "visit-review": review}
    found.playbook = PLAYBOOK.model_copy(update={"skills": skills})
    await found.tell(RunContinued())
    await found.tell(CardExpired(card=found.card.token))
    assert found.records.written == {}
    assert found.run.state.decisions.get("review") != "approved"


async def test_a_decision_about_a_card_that_is_not_awaited_moves_nothing() -> None:
    found = at_record(NOW)
    await found.tell(RunContinued())
    decision = Decision(choice="approve", person=LIN.id, name=LIN.name, at=NOW)
    before = found.run
    await found.tell(CardDecided(card="00-older", decision=decision))
    assert found.run == before

"""The prompt skill that asks people: what their answer changes (spec 003, clarify)."""

from datetime import UTC, datetime

from cards.model import Decision, Value
from engine.frames.state import AgentState, PlannerFrame, PromptFrame
from engine.mail import CardDecided
from tests.engine.test_audit import clinical
from tests.fakes.walk import LIN, Walk, new_run

KNOWN: dict[str, str | int | float] = {
    "subject_id": "P003",
    "visit_date": "2026-11-20",
    "weight_kg": 60.0,
    "systolic": 120,
    "diastolic": 80,
    "adverse_event": "cough",
}


async def answered(asked: tuple[str, ...], **values: Value) -> Walk:
    playbook = clinical()
    frames = (
        PlannerFrame(phase="collect"),
        PromptFrame(skill="visit-collect", asked="00-card1", fields=asked),
    )
    run = new_run(
        playbook,
        frames=frames,
        state=AgentState(data=KNOWN),
        status="suspended",
        waiting=("00-card1",),
    )
    walk = Walk(playbook, run)
    at = datetime(2026, 11, 21, tzinfo=UTC)
    decision = Decision(choice="submit", person=LIN.id, name=LIN.name, at=at, values=values)
    await walk.step(CardDecided(card="00-card1", decision=decision))
    return walk


async def test_a_text_that_changes_a_value_which_stood_is_not_passed_over() -> None:
    walk = await answered(("ecog",), ecog=1, visit_date="2026-11-19")
    assert walk.run.state.data == {**KNOWN, "ecog": 1, "visit_date": "2026-11-19"}
    assert walk.log[0]["by"] == "lin"


async def test_what_was_asked_for_and_left_empty_is_cleared_and_nothing_else() -> None:
    walk = await answered(("ecog", "adverse_event"), ecog=1)
    expected = {name: value for name, value in KNOWN.items() if name != "adverse_event"}
    assert walk.run.state.data == {**expected, "ecog": 1}


async def test_a_value_for_a_field_that_the_skill_does_not_ask_for_is_ignored() -> None:
    walk = await answered(("ecog",), ecog=1, nothing="x")
    assert walk.run.status == "running"
    assert "nothing" not in walk.run.state.data

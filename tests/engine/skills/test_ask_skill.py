"""The prompt skill that asks people: what their answer changes (spec 003, clarify)."""

from datetime import UTC, datetime

import pytest

from cards.deciding.decision import InvalidForm, decide
from cards.model import Decision
from cards.values import Value
from engine.frames.state import AgentState, PlannerFrame, PromptFrame
from engine.mail import CardDecided
from tests.engine.frames.test_audit import clinical
from tests.fakes.walk import LIN, NOW, Walk, new_run

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


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ECOG 9", "ECOG score 9: This should be at most 5"),
        ("ECOG 1.5", "ECOG score 1.5: Please give a whole number"),
        ("ECOG -1", "ECOG score -1: This should be at least 0"),
    ],
)
async def test_a_value_of_the_request_that_cannot_be_is_asked_for_and_never_kept(
    text: str, told: str
) -> None:
    message = f"P003 visit 2026-11-20, {text}, weight 60 kg, blood pressure 120/80, no cough"
    run = new_run(clinical(), message=message, text=message, request="visit-entry")
    walk = await Walk(clinical(), run).start()
    assert walk.card.problems[0].startswith(told)
    asked = [field.name for field in walk.card.choices[0].form]
    assert asked[0] == "ecog"
    assert "ecog" not in walk.run.state.data
    assert walk.run.state.data["weight_kg"] == 60.0
    await walk.answer("submit", {"ecog": "5"})
    assert walk.run.state.data["ecog"] == 5
    assert "9" not in str([entry.get("changes") for entry in walk.log])


async def test_an_optional_value_that_cannot_be_is_asked_for_too() -> None:
    leaf = "    type: text\n    required: false\n    cues: [不良事件"
    playbook = clinical((leaf, leaf.replace("required", 'pattern: "[a-z]+"\n    required')))
    message = (
        "P003 visit 2026-11-20, ECOG 1, weight 60 kg, bp 120/80, adverse event: *Grade* 2 [rash]"
    )
    run = new_run(playbook, message=message, text=message, request="visit-entry")
    walk = await Walk(playbook, run).start()
    ((problem),) = walk.card.problems
    assert problem.startswith(r"Adverse event \*Grade\* 2 \[rash\]: This is not in the form")
    assert "(leave empty if none)" in problem
    assert "adverse_event" not in walk.run.state.data


@pytest.mark.parametrize("pattern", ["P[0-9]{3}", ""])
async def test_a_word_in_the_place_of_a_value_need_not_be_as_its_pattern_says(
    pattern: str,
) -> None:
    leaf = "    cues: [受试者, 编号"
    playbook = clinical((leaf, f'    pattern: "{pattern}"\n{leaf}'))
    message = "check the data of all subjects"
    frames = (PlannerFrame(phase="scope"),)
    run = new_run(playbook, message=message, text=message, request="quality-control", frames=frames)
    walk = await Walk(playbook, run).start()
    assert walk.run.state.profile["qc_scope"] == "all"


async def test_what_stands_from_before_the_bound_is_refused_when_it_is_given_anew() -> None:
    known = {**KNOWN, "ecog": 9}
    state = AgentState(data=known, profile={"collect_status": "complete", "check_status": "failed"})
    frames = (PlannerFrame(phase="review"), PromptFrame(skill="visit-correct"))
    walk = await Walk(clinical(), new_run(clinical(), state=state, frames=frames)).start()
    form = {field.name: field.value for field in walk.card.choices[0].form}
    assert form["ecog"] == "9"
    card = walk.card
    verdict = decide(card, LIN, "submit", NOW, revision=card.revision, values=form)
    assert verdict == InvalidForm({"ecog": "This should be at most 5"})
    await walk.answer("submit", form | {"ecog": "2"})
    assert walk.run.state.data == {**known, "ecog": 2}

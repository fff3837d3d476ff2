"""Hard rules over study records: subject by subject, in tables that say when they are cut."""

from datetime import date, timedelta
from typing import Any

from engine.frames.state import AgentState, PlannerFrame, SopFrame
from engine.playbooks.leaf import MAX_ROWS
from engine.playbooks.load import load
from engine.sop.records import MEMBERS_A_STEP
from tests.engine.playbooks.test_static_checks import CHECK, changed
from tests.fakes.study import Study, Visit
from tests.fakes.walk import Walk, new_run

MAIN = "playbook.yaml"
ONE = (CHECK, "as: subject_id}", "as: subject_id, only: law}")
MATTER = load(changed(), roles=None, held=None)
OF_ONE = load(changed(ONE), roles=None, held=None)


def visit(subject: str, day: int, ecog: int | None = 1) -> Visit:
    return Visit(subject_id=subject, visit_date=date(2026, 11, day), ecog=ecog)


def study(*visits: Visit, project: str = "MATTER-1") -> Study:
    by: dict[str, list[Visit]] = {}
    for each in visits:
        by.setdefault(each.subject_id, []).append(each)
    return Study(by, project=project)


def walk(records: Study, playbook: Any = MATTER, **more: Any) -> Walk:
    frames = (
        PlannerFrame(phase="intake", force=CHECK),
        SopFrame(skill=CHECK, node="all"),
    )
    return Walk(playbook, new_run(playbook, frames=frames, **more), records=records)


async def test_every_violation_is_a_row_and_every_subject_a_line() -> None:
    found = await walk(
        study(visit("P001", 1), visit("P001", 2, ecog=7), visit("P002", 3), visit("P003", 4, 9))
    ).start()
    assert found.run.status in ("completed", "suspended")
    data = found.run.state.data
    assert data["visits_found"] == (
        {
            "subject_id": "P001",
            "visit_date": "2026-11-02",
            "field": "ecog",
            "value": "7",
            "message": "too high",
        },
        {
            "subject_id": "P003",
            "visit_date": "2026-11-04",
            "field": "ecog",
            "value": "9",
            "message": "too high",
        },
    )
    assert data["visits_summary"] == (
        {"subject_id": "P001", "visits": 2, "findings": 1},
        {"subject_id": "P003", "visits": 1, "findings": 1},
        {"subject_id": "P002", "visits": 1, "findings": 0},
    )
    assert found.run.state.response == "Checked: 3. Findings: 2."
    assert any("3 checked, 2 findings; end_failed" in why for why in found.whys)


async def test_a_missing_value_is_a_finding_without_one() -> None:
    found = await walk(study(visit("P001", 1, ecog=None))).start()
    (row,) = found.run.state.data["visits_found"]  # type: ignore[misc]
    assert row["value"] == ""


async def test_nothing_wrong_passes_with_empty_tables() -> None:
    found = await walk(study(visit("P001", 1))).start()
    assert found.run.state.data["visits_found"] == ()
    assert any(why.endswith("end_passed") for why in found.whys)


async def test_a_study_without_subjects_passes() -> None:
    found = await walk(study()).start()
    assert found.run.state.response == "Checked: 0. Findings: 0."


async def test_a_large_study_takes_about_as_many_steps_as_a_small_one() -> None:
    found = await walk(study(*(visit(f"P{n:04}", 1, 9) for n in range(1001)))).start()
    checked = [why for why in found.whys if why.startswith("checked ")]
    assert [why.count(",") + 1 for why in checked] == [26] * 38 + [13]
    assert found.run.state.response.startswith("Checked: 1001. Findings: 1001.")


async def test_some_subjects_are_judged_in_each_step_and_progress_is_told() -> None:
    records = study(*(visit(f"P{n:03}", 1) for n in range(25)))
    found = walk(records)
    texts: list[str] = []
    found.on_step = lambda run: texts.append(run.part.text)
    await found.start()
    checked = [why for why in found.whys if why.startswith("checked ")]
    assert [why.count(",") + 1 for why in checked] == [MEMBERS_A_STEP, MEMBERS_A_STEP, 5]
    assert [t for t in texts if "10/25" in t or "10 of 25" in t]
    assert [e["event"] for e in found.log if e.get("event")].count("progress") == 4


async def test_a_crash_in_between_judges_no_subject_twice() -> None:
    records = study(*(visit(f"P{n:03}", 1, ecog=8) for n in range(25)))
    shaken = walk(records)
    shaken.crashing = True
    await shaken.start()
    assert len(shaken.run.state.data["visits_found"]) == 25  # type: ignore[arg-type]
    assert len(shaken.run.state.data["visits_summary"]) == 25  # type: ignore[arg-type]


async def test_tables_are_cut_at_their_limit_and_say_so() -> None:
    days = (date(2020, 1, 1) + timedelta(days=n) for n in range(MAX_ROWS + 7))
    visits = [visit("P001", 1, ecog=8).model_copy(update={"visit_date": day}) for day in days]
    found = await walk(study(*visits)).start()
    assert len(found.run.state.data["visits_found"]) == MAX_ROWS  # type: ignore[arg-type]
    assert f"Findings: {MAX_ROWS + 7}." in found.run.state.response
    assert f"Only the first {MAX_ROWS} findings are listed" in found.run.state.response


async def test_one_subject_alone_when_the_run_names_it() -> None:
    records = study(visit("P001", 1, 7), visit("P002", 1, 7))
    state = AgentState(data={"law": "P002"})
    found = await walk(records, OF_ONE, state=state).start()
    assert found.run.state.data["visits_summary"] == (
        {"subject_id": "P002", "visits": 1, "findings": 1},
    )
    found = await walk(records, OF_ONE).start()
    assert len(found.run.state.data["visits_summary"]) == 2  # type: ignore[arg-type]


async def test_an_unknown_subject_fails_and_is_not_called_sound() -> None:
    state = AgentState(data={"law": "P999"})
    found = await walk(study(visit("P001", 1)), OF_ONE, state=state).start()
    assert found.run.status == "failed"
    assert "P999" in found.run.part.text


async def test_a_subject_id_of_no_form_fails_with_words() -> None:
    state = AgentState(data={"law": "nobody <b>"})
    found = await walk(study(visit("P001", 1)), OF_ONE, state=state).start()
    assert found.run.status == "failed"
    assert "<b>" not in found.run.part.text.replace(r"\<b\>", "")


async def test_records_of_another_project_are_out_of_reach() -> None:
    found = await walk(study(visit("P001", 1), project="SIGNOFF-101")).start()
    assert found.run.status == "failed"
    assert "visits_found" not in found.run.state.data

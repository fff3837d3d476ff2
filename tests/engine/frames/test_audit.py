"""The audit of a run alone says who changed what, when, and why; the state follows from it."""

from pathlib import Path
from typing import Any

from engine.frames.state import AgentState
from engine.playbooks.load import load
from tests.engine.runs.test_sync_changes import ByGoal
from tests.fakes.matter import playbook
from tests.fakes.services import TODAY
from tests.fakes.study import Study, Visit
from tests.fakes.walk import CHEN, Walk, new_run

FOLDER = Path(__file__).parents[3] / "playbooks" / "clinical_qc"
MATTER = playbook()
MESSAGE = "P003 visit 2026-11-20, weight 250 kg, blood pressure 120/80"


def clinical(*changes: tuple[str, str]) -> Any:
    """The clinical sample, with other words in its playbook.yaml."""
    paths = [FOLDER / "playbook.yaml", *sorted((FOLDER / "skills").glob("*.yaml"))]
    texts = {path.relative_to(FOLDER).as_posix(): path.read_text() for path in paths}
    for old, new in changes:
        assert old in texts["playbook.yaml"]
        texts["playbook.yaml"] = texts["playbook.yaml"].replace(old, new, 1)
    return load(texts, roles=("crc", "reviewer"), held=("reviewer",))


def state_of(log: list[dict[str, Any]]) -> dict[str, Any]:
    """What stands, by the audit alone."""
    stands: dict[str, Any] = {}
    for entry in log:
        for path, value in entry.get("changes", {}).items():
            assert entry["by"], "nobody is said to have changed it"
            stands[path] = value
    return {path: value for path, value in stands.items() if value is not None}


def paths_of(state: AgentState) -> dict[str, Any]:
    listed = {n: list(v) if isinstance(v, tuple) else v for n, v in state.data.items()}
    groups = (("profile.", state.profile), ("decisions.", state.decisions), ("", listed))
    return {group + name: value for group, values in groups for name, value in values.items()}


def whole(walk: Walk) -> None:
    """What every audit keeps."""
    assert state_of(walk.log) == paths_of(walk.run.state)
    assert [entry["step"] for entry in walk.log] == sorted(entry["step"] for entry in walk.log)
    for entry in walk.log:
        assert entry["at"]
        assert entry["why"]
        assert entry["frame"]
        assert entry["status"]
        if entry["input"] == "card_decided":
            assert entry["mail"]["decision"]["person"]
            assert entry["mail"]["card"]
    starts = [e for e in walk.log if e.get("event") == "task_start"]
    ends = [e for e in walk.log if e.get("event") == "task_end"]
    assert len(starts) == len(ends) > 0
    opened = [token for entry in walk.log for token in entry["cards"]]
    assert opened == list(walk.cards)


async def test_a_visit_from_the_message_to_the_record() -> None:
    playbook = clinical()
    enrolled = Visit(subject_id="P003", visit_date=TODAY.replace(day=1))
    records = Study({"P003": [enrolled]})
    run = new_run(playbook, message=MESSAGE, text=MESSAGE, request="visit-entry")
    walk = Walk(playbook, run, records=records)
    await walk.start()
    await walk.answer("submit", {"ecog": "1"})
    await walk.answer(
        "submit", {f.name: f.value for f in walk.card.choices[0].form} | {"weight_kg": "60.5"}
    )
    await walk.answer("reject", {"reason": "look again"}, by=CHEN)
    await walk.answer("submit", {f.name: f.value for f in walk.card.choices[0].form})
    await walk.answer("approve", by=CHEN)
    assert (walk.run.status, walk.run.end) == ("completed", "done")
    assert [entry["end"] for entry in walk.log if "end" in entry] == ["done"]
    whole(walk)
    by = {path: e["by"] for e in walk.log for path in e.get("changes", {})}
    assert by["decisions.review"] == "chen"
    assert by["ecog"] == "lin"
    assert by["profile.check_status"] == "visit-check"
    assert by["profile.record_status"] == "visit-record"
    assert any("Chen Bo rejected: look again" in why for why in walk.whys)
    calls = [call for entry in walk.log for call in entry.get("calls", [])]
    assert [c["tool"] for c in calls if c["kind"] == "call"] == ["record_visit"]
    ((_, approver),) = records.written.values()
    assert approver == "chen"


async def test_a_matter_with_models_and_choices() -> None:
    walk = Walk(MATTER, new_run(MATTER), ByGoal())
    await walk.start()
    await walk.answer("1")
    await walk.answer("confirm")
    whole(walk)
    by = {path: e["by"] for e in walk.log for path in e.get("changes", {})}
    assert by == {
        "profile.summary": "matter-intake",
        "amount": "matter-intake",
        "profile.intake_status": "matter-intake",
        "causes": "cause-recommendation",
        "cause": "lin",
        "decisions.cause_confirmed": "lin",
        "plan": "work-plan",
        "profile.stage": "lin",
        "decisions.plan_confirmed": "lin",
    }
    answers = [c for e in walk.log for c in e.get("calls", []) if c["kind"] == "model"]
    assert len(answers) == 3
    assert all(answer["answer"]["text"] for answer in answers)

"""The strategy chain over the shipped playbook: which skill, and why (spec 000 §3)."""

from pathlib import Path
from typing import Any

import pytest

from engine.frames.state import AgentState
from engine.planner.chain import PlannerDecision, decide
from engine.planner.phases import PhaseManager
from engine.planner.situation import Situation, check_availability
from engine.playbooks.load import load
from engine.playbooks.model import Phase, Playbook

FOLDER = Path(__file__).parents[3] / "playbooks" / "clinical_qc"
DATA = {
    "subject_id": "P003",
    "visit_date": "2026-11-21",
    "ecog": 0,
    "weight_kg": 60.5,
    "systolic": 120,
    "diastolic": 80,
}


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    paths = [FOLDER / "playbook.yaml", *(FOLDER / "skills").glob("*.yaml")]
    texts = {str(path): path.read_text() for path in paths}
    return load(texts, roles=("crc", "reviewer"), held=("reviewer",))


def state(profile: str = "", review: str = "", **more: str) -> AgentState:
    statuses = dict(pair.split("=") for pair in profile.split() if pair)
    decisions = {"review": review} if review else {}
    return AgentState(profile=statuses, decisions=decisions, data=DATA, **more)


async def decided(
    playbook: Playbook, phase: Phase, now: AgentState, **more: Any
) -> PlannerDecision:
    skills = check_availability(playbook, phase, now, **more)
    return await decide(Situation(playbook, "visit-entry", phase, now, skills, **more))


@pytest.mark.parametrize(
    ("phase", "profile", "review", "expected"),
    [
        ("collect", "", "", ("deterministic", "call_skill", "visit-collect")),
        ("collect", "collect_status=complete", "", ("phase_complete", "replan", "check")),
        ("check", "collect_status=complete", "", ("deterministic", "call_skill", "visit-check")),
        (
            "check",
            "collect_status=complete check_status=passed",
            "",
            ("deterministic", "call_skill", "visit-fits"),
        ),
        (
            "check",
            "collect_status=complete check_status=failed",
            "",
            ("priority_rules", "call_skill", "visit-correct"),
        ),
        (
            "review",
            "collect_status=complete check_status=passed fits=yes",
            "",
            ("deterministic", "call_skill", "visit-review"),
        ),
        (
            "review",
            "collect_status=complete check_status=passed fits=yes",
            "rejected",
            ("priority_rules", "call_skill", "visit-correct"),
        ),
        ("review", "collect_status=complete", "", ("phase_complete", "replan", "check")),
        (
            "record",
            "collect_status=complete check_status=passed fits=yes record_status=recorded",
            "approved",
            ("phase_complete", "finish", ""),
        ),
    ],
)
async def test_the_chain_decides(
    playbook: Playbook, phase: str, profile: str, review: str, expected: tuple[str, str, str]
) -> None:
    found = await decided(playbook, playbook.phase(phase), state(profile, review))
    assert (found.strategy, found.plan.action, found.plan.target) == expected
    assert found.plan.why


async def test_a_rule_whose_skill_cannot_run_is_named_and_not_passed_over(
    playbook: Playbook,
) -> None:
    phase = playbook.phase("review")
    rules = tuple(
        rule.model_copy(update={"skill": "visit-record"}) for rule in phase.priority_rules
    )
    changed = phase.model_copy(
        update={"priority_rules": rules, "allowed_skills": ("visit-review", "visit-record")}
    )
    found = await decided(playbook, changed, state("collect_status=complete", "rejected"))
    assert (found.strategy, found.plan.action) == ("priority_rules", "stuck")
    assert "visit-record cannot run" in found.plan.why
    assert "decisions.review" in found.plan.why


async def test_nothing_sure_is_said_and_not_guessed(playbook: Playbook) -> None:
    phase = playbook.phase("record")
    done = state("collect_status=complete check_status=passed fits=yes", "approved")
    changed = phase.model_copy(update={"allowed_skills": ("visit-collect", "visit-correct")})
    found = await decided(playbook, changed, done)
    assert (found.strategy, found.plan.action) == ("no_available_skills", "choose")


def test_a_score_of_zero_is_not_missing(playbook: Playbook) -> None:
    missing = PhaseManager(playbook).missing(playbook.phase("collect"), state())
    assert missing == ("profile.collect_status",)

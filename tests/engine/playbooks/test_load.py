"""A playbook is checked whole when it is loaded; every problem has its file, line and path."""

from pathlib import Path

import pytest

from engine.errors import DefinitionError
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from tests.fakes.study import study_toolbox
from tests.fakes.tables import table

FOLDER = Path(__file__).parents[3] / "playbooks" / "clinical_qc"
ROLES = ("crc", "reviewer")

TOOLS = study_toolbox().facts


def files() -> dict[str, str]:
    paths = [FOLDER / "playbook.yaml", *sorted((FOLDER / "skills").glob("*.yaml"))]
    return {path.relative_to(FOLDER).as_posix(): path.read_text() for path in paths}


def loaded(changed: dict[str, str], *, held: tuple[str, ...] = ("reviewer",)) -> Playbook:
    return load(changed, tools=TOOLS, roles=ROLES, held=held)


def problems(name: str, old: str, new: str, *, held: tuple[str, ...] = ("reviewer",)) -> list[str]:
    changed = files()
    assert old in changed[name]
    changed[name] = changed[name].replace(old, new, 1)
    with pytest.raises(DefinitionError) as caught:
        loaded(changed, held=held)
    return [problem.split(": ", 1)[1] for problem in caught.value.problems]


def test_the_shipped_playbook_is_sound_and_its_digest_names_its_content() -> None:
    playbook = loaded(files())
    assert [phase.id for phase in playbook.definition.phases] == [
        "collect",
        "check",
        "review",
        "record",
        "scope",
        "quality",
        "subject",
        "monitoring",
        "note",
    ]
    changed = files()
    changed["playbook.yaml"] += "\n# a comment changes nothing\n"
    assert loaded(changed).digest == playbook.digest
    changed["playbook.yaml"] = changed["playbook.yaml"].replace("Clinical data", "Visits")
    assert loaded(changed).digest != playbook.digest
    assert Playbook.model_validate_json(playbook.model_dump_json()) == playbook


@table(
    ("name", "old", "new", "problem"),
    [
        (
            "playbook.yaml",
            "allowed_skills: [visit-collect]",
            "allowed_skills: [visit-colect]",
            "phases.0.allowed_skills.0: there is no skill 'visit-colect';"
            " did you mean 'visit-collect'?",
        ),
        (
            "playbook.yaml",
            "    allowed_skills: [visit-collect]\n",
            "",
            "phases.0.allowed_skills: is required here or for the whole playbook",
        ),
        (
            "playbook.yaml",
            "gate_value: complete",
            "gate_check: ''",
            "phases.0.gate_field: needs gate_value or gate_check",
        ),
        (
            "playbook.yaml",
            "gate_field: profile.collect_status",
            "gate_field: profile.colect_status",
            "phases.0.gate_field: 'colect_status' is not among profile_fields;"
            " did you mean 'collect_status'?",
        ),
        (
            "playbook.yaml",
            "checkpoints: [subject_id,",
            "checkpoints: [subject,",
            "phases.0.checkpoints.0: 'subject' is not among data_fields;"
            " did you mean 'subject_id'?",
        ),
        (
            "playbook.yaml",
            'check: "equals:failed"}\n        skill: visit-correct',
            'check: "equals:failed"}\n        skill: visit-corect',
            "phases.1.priority_rules.0.skill: there is no skill 'visit-corect';"
            " did you mean 'visit-correct'?",
        ),
        (
            "skills/visit-review.yaml",
            "roles: [reviewer]",
            "roles: [reviewers]",
            "sop.nodes.approve.review.roles.0: there is no role in people.yaml 'reviewers';"
            " did you mean 'reviewer'?",
        ),
        (
            "skills/visit-review.yaml",
            "start_node: approve",
            "start_node: aprove",
            "sop.start_node: there is no node 'aprove'; did you mean 'approve'?",
        ),
        (
            "skills/visit-review.yaml",
            "      shows: visit-record\n",
            "      presents: [ecog, profile.ecg]\n",
            "sop.nodes.approve.presents.1: 'ecg' is not among profile_fields; "
            "known here: check_status, collect_status, fits, note_status, qc_scope, qc_status,"
            " record_status, report_status",
        ),
        (
            "skills/visit-check.yaml",
            "on_fail: end_failed",
            "on_fail: again",
            "sop.nodes.ranges.on_fail: there is no node 'again'; known here: ranges",
        ),
        (
            "skills/visit-check.yaml",
            '{"<=": [0, {var: ecog}, 5]}',
            '{"<=": [0, {var: ecg}, 5]}',
            "sop.nodes.ranges.rules.1.logic.<=.1.var: unknown name 'ecg'; did you mean 'ecog'?",
        ),
        (
            "skills/visit-record.yaml",
            "  guard: {decision: review}\n",
            "",
            "plan.guard: is required: record_visit writes",
        ),
        (
            "skills/visit-record.yaml",
            "guard: {decision: review}",
            "guard: {decision: other}",
            "plan.guard.decision: no human_review decides 'other' and shows 'visit-record';"
            " known here: review",
        ),
        (
            "skills/visit-record.yaml",
            "weight_kg: $weight_kg",
            "weight_kg: $wieght_kg",
            "plan.calls.0.arguments.weight_kg: there is no data field 'wieght_kg';"
            " did you mean 'weight_kg'?",
        ),
        (
            "skills/visit-record.yaml",
            "tool: record_visit",
            "tool: record_visits",
            "plan.calls.0.tool: there is no tool 'record_visits'; did you mean 'record_visit'?",
        ),
        (
            "skills/visit-collect.yaml",
            "sets: {profile.collect_status: complete}",
            "sets: {decisions.review: approved}",
            "sets.decisions.review: only a human_review can set a decision; null clears it",
        ),
        (
            "skills/visit-collect.yaml",
            "kind: prompt",
            "kind: sop",
            "ask: belongs to kind prompt, this skill is of kind sop",
        ),
    ],
)
def test_each_fault_is_named_where_it_stands(name: str, old: str, new: str, problem: str) -> None:
    assert problem in problems(name, old, new)


def test_a_review_whose_role_nobody_holds_does_not_load() -> None:
    found = problems("playbook.yaml", "Clinical data", "Visits", held=("crc",))
    assert found == [
        "planner.review.roles: nobody in people.yaml holds reviewer",
        "sop.nodes.approve.review.roles: nobody in people.yaml holds reviewer",
    ]


def test_every_problem_of_every_file_is_listed_with_its_line() -> None:
    changed = files()
    changed["playbook.yaml"] = changed["playbook.yaml"].replace("project:", "projekt:")
    changed["skills/visit-check.yaml"] = changed["skills/visit-check.yaml"].replace(
        "kind: sop", "kind: soop"
    )
    with pytest.raises(DefinitionError) as caught:
        loaded(changed)
    text = "\n".join(caught.value.problems)
    assert "playbook.yaml:5: projekt: unknown key; did you mean 'project'?" in text
    assert "skills/visit-check.yaml:5: kind: " in text


def test_a_folder_without_its_main_file_says_so() -> None:
    with pytest.raises(DefinitionError, match=r"playbook\.yaml:1: is missing"):
        load({"skills/a.yaml": "id: a"}, tools=TOOLS, roles=ROLES, held=())


def faults(changed: dict[str, str], **known: tuple[str, ...] | None) -> list[str]:
    given: dict[str, tuple[str, ...] | None] = {"roles": ROLES, "held": ("reviewer",), **known}
    with pytest.raises(DefinitionError) as caught:
        load(changed, tools=TOOLS, roles=given["roles"], held=given["held"])
    return list(caught.value.problems)


def test_a_skill_of_no_known_kind_hides_no_fault_of_the_other_files() -> None:
    changed = files()
    replaced(changed, "skills/visit-review.yaml", "kind: sop", "kind: sopp")
    replaced(changed, "skills/visit-check.yaml", "on_fail: end_failed", "on_fail: nowhere")
    replaced(changed, "playbook.yaml", "allowed_skills: [visit-collect]", "allowed_skills: [nope]")

    found = faults(changed)

    assert [places(problem) for problem in found] == [
        ("playbook.yaml", "phases.0.allowed_skills.0"),
        ("skills/visit-check.yaml", "sop.nodes.ranges.on_fail"),
        ("skills/visit-review.yaml", "kind"),
    ]


def test_a_faulty_playbook_file_hides_no_fault_of_its_skills_or_of_its_other_phases() -> None:
    changed = files()
    replaced(changed, "playbook.yaml", "project:", "projekt:")
    replaced(changed, "playbook.yaml", "gate_field: profile.collect_status", "gate_feld: x")
    replaced(changed, "playbook.yaml", "skill: visit-correct", "skill: visit-corect")
    replaced(changed, "skills/visit-record.yaml", "weight_kg: $weight_kg", "weight_kg: $wieght_kg")

    found = faults(changed)

    assert [places(problem) for problem in found] == [
        ("playbook.yaml", "projekt"),
        ("playbook.yaml", "phases.0.gate_feld"),
        ("playbook.yaml", "phases.1.priority_rules.0.skill"),
        ("skills/visit-record.yaml", "plan.calls.0.arguments.weight_kg"),
    ]


def test_a_file_that_is_no_yaml_has_its_one_problem_and_still_its_name() -> None:
    changed = files()
    changed["skills/visit-review.yaml"] = "id: [\n"

    (problem,) = faults(changed)

    assert problem.startswith("skills/visit-review.yaml:")


def test_a_misspelt_list_of_names_is_one_problem_not_one_for_every_name() -> None:
    changed = files()
    replaced(changed, "playbook.yaml", "data_fields:", "data_felds:")

    (problem,) = faults(changed)

    assert places(problem) == ("playbook.yaml", "data_felds")


def test_without_people_roles_are_not_checked_and_all_else_is() -> None:
    changed = files()
    replaced(changed, "skills/visit-review.yaml", "start_node: approve", "start_node: aprove")

    found = faults(changed, roles=None, held=None)

    assert ("skills/visit-review.yaml", "sop.start_node") in [places(p) for p in found]
    assert "people.yaml" not in "\n".join(found)


def replaced(changed: dict[str, str], name: str, old: str, new: str) -> None:
    assert old in changed[name]
    changed[name] = changed[name].replace(old, new, 1)


def places(problem: str) -> tuple[str, str]:
    place, path, _ = problem.split(": ", 2)
    return place.rpartition(":")[0], path


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("of: subject_id", "of: visit_date", "ask.instead.of"),
        ("sets: {profile.qc_scope: all}", "sets: {profile.qc_scope: some}", "ask.instead.sets"),
        ("sets: {profile.qc_scope: all}", "sets: {profile.scope: all}", "ask.instead.sets"),
        (
            "    words:\n      - 全部",
            "    words: []\n    wards:\n      - 全部",
            "ask.instead.words",
        ),
    ],
)
def test_what_stands_in_the_place_of_a_value_is_checked(old: str, new: str, path: str) -> None:
    found = problems("skills/qc-scope.yaml", old, new)
    assert any(problem.startswith(path) for problem in found), found


def test_rules_over_visits_read_the_visit_before_and_nothing_else() -> None:
    old = "{missing: [weight_kg, previous_weight_kg]}"
    found = problems("skills/qc-rules.yaml", old, "{missing: [weight_kg, next_weight_kg]}")
    assert len(found) == 1
    assert "next_weight_kg" in found[0]

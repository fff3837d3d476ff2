"""What playbooks of earlier versions name is read by a mapping that their folder has."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.definitions.loader import try_load_legacy
from engine.errors import DefinitionError
from engine.playbooks.legacy import NO_LEGACY, Legacy
from engine.playbooks.load import load
from engine.playbooks.records import Batch, Members, Over
from engine.toolbox.toolbox import Toolbox
from engine.yaml.source import Problems
from tests.engine.sop.test_records_of_tools import documented, warehouse
from tests.fakes.garage import FILES, write_garage
from tests.fakes.tables import table

ROOT = Path(__file__).parents[3]
STORED = ROOT / "tests" / "fixtures" / "state" / "v1" / "playbooks"
WITH_RECORDS = [path for path in sorted(STORED.glob("*.json")) if '"records":' in path.read_text()]
SAMPLE = try_load_legacy(ROOT / "playbooks", Problems())


def overs_of(stored: str, legacy: Legacy) -> list[Over]:
    playbook = legacy.read_playbook(stored)
    assert playbook.digest == json.loads(stored)["digest"]
    nodes = [
        node for skill in playbook.skills.values() if skill.sop for node in skill.sop.nodes.values()
    ]
    return [node.over for node in nodes if node.over]


@pytest.mark.parametrize("path", WITH_RECORDS, ids=lambda path: path.stem[:8])
def test_a_stored_playbook_goes_on_over_the_tool_that_stands_for_its_records(path: Path) -> None:
    stored = path.read_text("utf-8")
    for over in overs_of(stored, SAMPLE):
        assert over.tool == "list_visits"
        assert over.for_each is not None
        assert (over.for_each.tool, over.for_each.only) == ("list_subjects", "subject_id")
        assert (over.entry, over.count) == ("visit_date", "visits")
    with pytest.raises(ValidationError):
        NO_LEGACY.read_playbook(stored)


def test_each_kind_of_stored_records_is_among_them() -> None:
    text = "".join(path.read_text("utf-8") for path in WITH_RECORDS)
    assert '"records":"visits"' in text
    assert '"records":"subjects"' in text


BINS = Legacy.model_validate(
    {
        "over": {
            "bins": {
                "tool": "list_bins",
                "with": {"aisle": "$aisle"},
                "for_each": {"tool": "list_aisles", "with": {"site": "north"}, "as": "aisle"},
                "entry": "bin",
                "count": "bins",
                "leaf_key": "way",
            }
        },
        "batch": {"aisles": {"tool": "list_aisles", "with": {"site": "north"}, "leaf_key": "way"}},
    }
)


def of_before() -> dict[str, str]:
    """The documented stock count, as a version of before would have had it."""
    files = documented()
    skill = files["skills/count-check.yaml"]
    start, rest = skill.split("      over:\n")
    over = "      over: {records: bins, way: aisle, findings: differences, summary: totals}\n"
    return {**files, "skills/count-check.yaml": start + over + rest[rest.index("      rules:") :]}


def loaded(files: dict[str, str], legacy: Legacy) -> Any:
    tools = Toolbox(own=warehouse()).facts
    return load(files, roles=None, held=None, legacy=legacy, tools=tools)


def test_files_of_before_are_read_as_they_would_be_written_today() -> None:
    now = loaded(documented(), NO_LEGACY)
    before = loaded(of_before(), BINS)
    assert before.skills == now.skills
    assert before.digest == now.digest


def test_without_a_mapping_files_of_before_say_what_is_wrong() -> None:
    with pytest.raises(DefinitionError) as caught:
        loaded(of_before(), NO_LEGACY)
    assert (
        "skills/count-check.yaml:12: sop.nodes.bins.over.tool: is required" in caught.value.problems
    )


def test_a_batch_of_before_names_its_leaf() -> None:
    given = {"sop": {"batch": {"records": "aisles", "way": "aisle", "summary": "totals"}}}
    upgraded = BINS.upgrade_skill(given)["sop"]["batch"]
    assert Batch.model_validate(upgraded) == Batch(
        tool="list_aisles", arguments={"site": "north"}, name="aisle", summary="totals"
    )
    assert given["sop"]["batch"] == {"records": "aisles", "way": "aisle", "summary": "totals"}


@pytest.mark.parametrize("given", [None, 5, [], {"sop": 5}, {"sop": {"nodes": [], "batch": 1}}])
def test_what_is_no_skill_is_left_as_it_is(given: object) -> None:
    assert BINS.upgrade_skill(given) == given


def test_keys_of_yaml_and_names_of_fields_say_the_same() -> None:
    given = {"tool": "t", "with": {"a": "$b"}, "as": "m"}
    by_name = Members(tool="t", arguments={"a": "$b"}, name="m")
    assert Members.model_validate(given) == by_name
    assert Members.model_validate_json(by_name.model_dump_json()) == by_name


def test_a_faulty_mapping_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "legacy.yaml").write_text("over:\n  bins: {tol: x}\n", "utf-8")
    problems = Problems()
    assert try_load_legacy(tmp_path, problems) == NO_LEGACY
    assert [problem.split("legacy.yaml:")[1] for problem in problems] == [
        "2: over.bins.tool: is required",
        "2: over.bins.tol: unknown key; did you mean 'tool'?",
    ]
    assert try_load_legacy(tmp_path / "elsewhere", Problems()) == NO_LEGACY


@table("path", sorted(STORED.glob("*.json")), ids=lambda path: path.stem[:8])
def test_a_stored_playbook_without_tools_has_those_of_today(path: Path) -> None:
    playbook = SAMPLE.read_playbook(path.read_text("utf-8"))
    assert ("record_visit" in playbook.tools) is (playbook.id == "clinical_qc")
    assert playbook.digest == path.stem


def test_a_version_with_tools_of_its_own_keeps_them(tmp_path: Path) -> None:
    write_garage(tmp_path)
    (tmp_path / "legacy.yaml").write_text("tools: [hoists, sheds]\n", "utf-8")
    problems = Problems()
    legacy = try_load_legacy(tmp_path, problems)
    assert [p.split(": ", 1)[1] for p in problems] == [
        f"tools.1: there is no {tmp_path / 'sheds' / 'tools.yaml'}"
    ]
    files = {name: text for name, text in FILES.items() if name.startswith("hoists/")}
    own = load(files, roles=None, held=None)
    assert legacy.read_playbook(own.model_dump_json()).tools == own.tools
    older = own.model_copy(update={"tools": {}})
    assert set(legacy.read_playbook(older.model_dump_json()).tools) == set(own.tools)

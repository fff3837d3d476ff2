"""What a developer sees of `signoff graph` and `signoff validate --json`."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.bot.signoff_process import FILES, PLAYBOOKS, ended

MAIN = PLAYBOOKS / "clinical_qc" / "playbook.yaml"
STRICT = {"LANG": "POSIX", "PYTHONIOENCODING": "ascii:strict"}
KNOWN = "clinical_qc, litigation_civil_prosecution"


def copied(folder: Path) -> Path:
    """A copy of the shipped playbooks, where a process in that folder looks for them."""
    return Path(shutil.copytree(PLAYBOOKS, folder / "playbooks"))


def changed(path: Path, old: str, new: str) -> int:
    """The line of the first change."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    return text[: text.index(old)].count("\n") + 1


async def test_a_playbook_is_drawn_by_id_folder_and_file_alike(tmp_path: Path) -> None:
    by_id = await ended(tmp_path, "graph", "clinical_qc", **FILES)
    by_folder = await ended(tmp_path, "graph", str(MAIN.parent), **FILES)
    by_file = await ended(tmp_path, "graph", str(MAIN))
    assert (by_id.status, by_id.err) == (0, "")
    assert by_id.out.startswith("flowchart TB\n")
    assert "Collect visit data" in by_id.out
    assert by_id == by_folder == by_file


async def test_the_picture_is_svg_in_utf8_whatever_the_locale(tmp_path: Path) -> None:
    words = ("clinical_qc", "--format", "svg", "--lang", "zh")
    told = await ended(tmp_path, "graph", *words, **FILES, **STRICT)
    assert (told.status, told.err) == (0, "")
    svg = ElementTree.fromstring(told.out)
    assert svg.findtext("{http://www.w3.org/2000/svg}title") == "临床数据"
    assert any(element.get("id") == "sop:visit-review/approve" for element in svg.iter())


async def test_the_graph_is_data_with_json(tmp_path: Path) -> None:
    told = await ended(tmp_path, "graph", "clinical_qc", "--json", **FILES)
    assert (told.status, told.err) == (0, "")
    graph = json.loads(told.out)
    assert set(graph) == {"nodes", "edges"}
    review = next(node for node in graph["nodes"] if node["id"] == "sop:visit-review/approve")
    assert (review["kind"], review["type"]) == ("sop_node", "human_review")
    assert review["details"]["roles"] == ["reviewer"]
    assert review["details"]["four_eyes"] == [True]
    approved = {"source": review["id"], "target": "sop:visit-review/as_edited"}
    assert {**approved, "kind": "on", "label": "on_approve"} in graph["edges"]


@pytest.mark.parametrize("wanted", ["clinical", "../nowhere", "", "x" * 5000, "a'b"])
async def test_an_unknown_playbook_is_one_line_that_names_the_known(
    tmp_path: Path, wanted: str
) -> None:
    told = await ended(tmp_path, "graph", wanted, **FILES)
    assert (told.status, told.out) == (2, "")
    assert told.err.count("\n") == 1
    assert told.err.endswith(f" has: {KNOWN}\n")


async def test_a_faulty_playbook_is_told_as_validate_tells_it(tmp_path: Path) -> None:
    playbooks = copied(tmp_path)
    changed(playbooks / "clinical_qc" / "playbook.yaml", "[visit-collect]", "[visit-colect]")
    checked = await ended(tmp_path, "validate")
    drawn = await ended(tmp_path, "graph", "clinical_qc")
    assert (drawn.status, drawn.out) == (2, "")
    assert drawn.err == checked.out
    assert "there is no skill 'visit-colect'" in drawn.err


async def test_faults_elsewhere_keep_no_playbook_from_being_drawn(tmp_path: Path) -> None:
    playbooks = copied(tmp_path)
    (playbooks / "people.yaml").write_text("nobody", "utf-8")
    (playbooks / "clinical_qc" / "playbook.yaml").write_text("id: [", "utf-8")
    moved = playbooks / "litigation_civil_prosecution"
    moved.rename(playbooks / "elsewhere")
    drawn = await ended(tmp_path, "graph", "litigation_civil_prosecution")
    assert (drawn.status, drawn.err) == (0, "")
    unknown = await ended(tmp_path, "graph", "elsewhere2")
    assert unknown.err.endswith(f" has: {KNOWN}\n")


async def test_help_tells_the_exit_statuses(tmp_path: Path) -> None:
    for command in ("graph", "validate"):
        told = await ended(tmp_path, command, "--help")
        assert "exit status: 0 " in told.out


async def test_validate_with_json_is_an_empty_list_when_all_is_well(tmp_path: Path) -> None:
    told = await ended(tmp_path, "validate", "--json", **FILES)
    assert (told.status, told.err, json.loads(told.out)) == (0, "", [])


async def test_validate_warns_of_an_end_that_sets_nothing(tmp_path: Path) -> None:
    playbooks = copied(tmp_path)
    review = playbooks / "clinical_qc" / "skills" / "visit-review.yaml"
    changed(review, "on_reject: end_rejected", "on_reject: end_elsewhere")
    told = await ended(tmp_path, "validate")
    assert (told.status, told.out) == (0, "ok\n")
    where = f"{review.relative_to(tmp_path)}:20: sop.nodes.approve.on_reject"
    assert told.err.startswith(f"warning: {where}: 'end_elsewhere' sets nothing")
    assert told.err.count("\n") == 1


async def test_validate_with_json_tells_every_problem_apart(tmp_path: Path) -> None:
    playbooks = copied(tmp_path)
    main = playbooks / "clinical_qc" / "playbook.yaml"
    line = changed(main, "[visit-collect]", "[visit-colect]")
    (playbooks / "talk.yaml").write_text("a: b: c\n", "utf-8")
    (playbooks / "clinical_qc" / "data" / "study.sql").unlink()
    lines = (await ended(tmp_path, "validate")).out.splitlines()
    told = await ended(tmp_path, "validate", "--json")
    assert (told.status, told.err) == (1, "")
    skill, talk, sample = json.loads(told.out)
    assert skill == {
        "file": "playbooks/clinical_qc/playbook.yaml",
        "line": line,
        "path": "phases.0.allowed_skills.0",
        "message": "there is no skill 'visit-colect'; did you mean 'visit-collect'?",
        "add": "",
    }
    assert (talk["file"], talk["line"], talk["path"]) == ("playbooks/talk.yaml", 1, "")
    assert talk["message"].startswith("not valid YAML: ")
    assert (sample["file"], sample["path"]) == ("playbooks/connections.yaml", "study.create")
    assert "cannot be read: " in sample["message"]
    assert len(lines) == 3


async def test_validate_with_json_keeps_a_problem_that_is_in_no_file(tmp_path: Path) -> None:
    people = {"SIGNOFF_PEOPLE": str(PLAYBOOKS / "people.yaml")}
    told = await ended(tmp_path, "validate", "--json", **people)
    message = "SIGNOFF_PLAYBOOKS: playbooks: there is no such folder"
    assert json.loads(told.out) == [
        {"file": "", "line": None, "path": "", "message": message, "add": ""}
    ]
    assert told.status == 1


async def test_validate_with_json_has_the_lines_to_add_as_the_text_has_them(tmp_path: Path) -> None:
    playbooks = copied(tmp_path)
    changed(playbooks / "clinical_qc" / "skills" / "visit-record.yaml", "ecog: $ecog", "")
    changed(playbooks / "clinical_qc" / "playbook.yaml", "    goal: ", "    gaol: ")
    text = (await ended(tmp_path, "validate")).out
    told = json.loads((await ended(tmp_path, "validate", "--json")).out)
    lines = [each["add"] for each in told if each["add"]]
    assert lines == [line.strip()[5:] for line in text.splitlines() if line.startswith("    add: ")]
    assert "ecog: $ecog" in lines
    assert any(line.startswith("goal: TEXT") for line in lines), told

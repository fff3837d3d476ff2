"""A folder of earlier versions is shown, and written, as it is written today."""

from pathlib import Path

import pytest

from bot.operate.folder_upgrade import find_changes, upgrade_skill_text
from engine.errors import DefinitionError
from engine.playbooks.legacy import Legacy
from engine.yaml.source import read_yaml
from tests.bot.signoff_process import ended
from tests.fakes.garage import write_project

LEGACY = Legacy.model_validate(
    {
        "over": {
            "bays": {
                "tool": "list_bays",
                "with": {"hall": "$hall"},
                "for_each": {"tool": "list_halls", "as": "hall"},
                "entry": "bay",
                "leaf_key": "hall",
            }
        },
        "batch": {"halls": {"tool": "list_halls", "column": "hall", "leaf_key": "hall"}},
    }
)
SKILL = """\
id: look   # what is looked at
sop:
  start_node: each
  batch: {records: halls, hall: one_hall, summary: results, concurrency: 3}  # all of them
  nodes:
    each:
      type: hard_rule_batch
      over:
        records: bays
        hall: one_hall
        findings: found
        summary: totals   # a list
      rules: []
    end_it: {type: end}
"""


def test_lists_of_records_are_named_as_today_and_all_else_stays() -> None:
    after = upgrade_skill_text(SKILL, LEGACY, "x.yaml")
    sop = read_yaml(after, file="x.yaml").data["sop"]
    over = sop["nodes"]["each"]["over"]
    assert over == {
        "tool": "list_bays",
        "with": {"hall": "$hall"},
        "for_each": {"tool": "list_halls", "as": "hall", "only": "one_hall"},
        "entry": "bay",
        "findings": "found",
        "summary": "totals",
    }
    assert sop["batch"]["tool"] == "list_halls"
    assert sop["batch"]["as"] == "one_hall"
    assert sop["batch"]["concurrency"] == 3
    assert "id: look   # what is looked at\n" in after
    assert "}  # all of them\n" in after
    assert after.endswith("      rules: []\n    end_it: {type: end}\n")
    assert upgrade_skill_text(after, LEGACY, "x.yaml") == after
    with pytest.raises(DefinitionError, match=r"x\.yaml: .*summary"):
        upgrade_skill_text(SKILL.replace("summary: totals", ""), LEGACY, "x.yaml")


def test_a_folder_that_is_as_today_has_nothing_to_change(tmp_path: Path) -> None:
    assert list(find_changes(write_project(tmp_path / "garage"), "")) == []
    with pytest.raises(DefinitionError, match="no playbook"):
        list(find_changes(tmp_path, "UTC"))


async def test_a_folder_of_before_is_shown_and_then_written(tmp_path: Path) -> None:
    project = write_project(tmp_path / "garage")
    (project / "signoff.yaml").unlink()
    (project / "playbooks" / "hoists").rename(project / "hoists")
    nowhere = await ended(tmp_path, "upgrade-folder", "garage")
    assert (nowhere.status, nowhere.out) == (2, "")
    assert "--timezone: should be an IANA time zone" in nowhere.err
    words = ("upgrade-folder", "garage", "--timezone", "Europe/Berlin")
    shown = await ended(tmp_path, *words)
    assert shown.status == 1
    assert "+timezone: Europe/Berlin\n" in shown.out
    assert not (project / "signoff.yaml").exists()
    written = await ended(tmp_path, *words, "--write")
    assert (written.status, written.out) == (0, shown.out)
    again = await ended(tmp_path, *words)
    assert (again.status, again.out) == (0, "nothing to change\n")
    checked = await ended(tmp_path, "validate", "garage")
    assert (checked.status, checked.out) == (0, "ok\n")

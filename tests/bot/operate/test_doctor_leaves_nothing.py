"""`signoff doctor` looks and makes nothing; a folder that is not there, or not read, is wrong."""

import json
import shutil
from pathlib import Path

import pytest

from bot.version import VERSION, build
from tests.bot.signoff_process import ROOT, ended
from tests.fakes.leave import SAMPLE


def listed(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


async def test_in_an_empty_folder_it_says_that_there_is_none_and_makes_nothing(
    tmp_path: Path,
) -> None:
    told = await ended(tmp_path, "doctor")
    assert told.status == 1
    assert "there is no such folder of playbooks" in told.out
    assert "signoff init" in told.out
    assert listed(tmp_path) == set()


@pytest.mark.parametrize("sample", [SAMPLE, ROOT / "examples" / "cookbook" / "lookup"])
async def test_a_database_that_a_first_use_makes_is_not_made_by_looking(
    sample: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(sample, folder, ignore=shutil.ignore_patterns("data", "*.sqlite3"))
    before = listed(tmp_path)
    told = await ended(folder, "doctor", "--json")
    found = {each["check"]: each for each in json.loads(told.out)}
    assert told.status == 0, told.out
    assert found["calls"]["state"] == "ok"
    assert listed(tmp_path) == before


async def test_a_statement_that_the_script_leaves_no_table_for_is_told_all_the_same(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("data", "*.sqlite3"))
    script = folder / "leave.sql"
    script.write_text(script.read_text("utf-8").replace("leave", "holidays"), "utf-8")
    told = await ended(folder, "doctor")
    assert told.status == 1
    assert "no such table" in told.out


async def test_a_project_file_above_the_playbooks_that_is_not_read_is_told(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("data", "*.sqlite3"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    given = {
        "SIGNOFF_PLAYBOOKS": str(folder / "playbooks"),
        "SIGNOFF_PEOPLE": str(folder / "people.yaml"),
        "SIGNOFF_CONNECTIONS": str(folder / "connections.yaml"),
    }
    told = await ended(elsewhere, "doctor", **given)
    assert told.status == 1
    assert f"{folder / 'signoff.yaml'} is not read" in told.out
    assert "is not read" not in (await ended(elsewhere, "doctor", str(folder))).out


async def test_the_version_names_the_build(tmp_path: Path) -> None:
    told = await ended(tmp_path, "--version")
    assert told.out == f"signoff {VERSION}, build {build()}\n"

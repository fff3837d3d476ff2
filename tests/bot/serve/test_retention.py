"""What is older than the project's retention goes; what is younger, and other files, stay."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.files import SHARED
from adapters.inbox_files import senders_file
from adapters.kept_files import SharedFolders
from bot.project import project_variables
from bot.serve.work.retention import remove_old_files
from engine.errors import DefinitionError
from tests.fakes.late_clock import LateClock


async def test_old_shared_files_go_and_nothing_else(tmp_path: Path) -> None:
    clock = LateClock(0.0)
    folder = tmp_path / "SHOP" / SHARED / "room"
    folder.mkdir(parents=True)
    own = tmp_path / "SHOP" / "price-list.csv"
    for path, age_days in ((folder / "old.csv", 31), (folder / "new.csv", 29), (own, 400)):
        path.write_text("a,b\n")
        then = (clock.now() - timedelta(days=age_days)).timestamp()
        os.utime(path, (then, then))
    senders_file(folder / "old.csv").write_text("ana\n")
    files = SharedFolders(tmp_path)
    assert await remove_old_files(files, clock, days=30) == 1
    assert os.listdir(folder) == ["new.csv"]
    assert own.exists()
    assert await remove_old_files(files, LateClock(2 * 86_400.0), days=30) == 1
    assert not folder.exists()


async def test_a_project_keeps_its_files_for_as_long_as_it_says(tmp_path: Path) -> None:
    clock = LateClock(0.0)
    then = (clock.now() - timedelta(days=400)).timestamp()
    for project in ("SHOP", "YARD", "MILL"):
        folder = tmp_path / project / SHARED / "room"
        folder.mkdir(parents=True)
        (folder / "old.csv").write_text("a,b\n")
        os.utime(folder / "old.csv", (then, then))
    files = SharedFolders(tmp_path)
    assert await remove_old_files(files, clock, days=0, days_of={"YARD": 365, "MILL": 730}) == 1
    assert await files.projects() == ("MILL", "SHOP", "YARD")
    assert not list((tmp_path / "YARD" / SHARED).iterdir())
    assert await remove_old_files(files, clock, days=30, days_of={"MILL": 730}) == 1
    assert (tmp_path / "MILL" / SHARED / "room" / "old.csv").exists()


def test_a_folder_says_for_how_long_and_only_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "signoff.yaml"
    place.write_text("timezone: UTC\nretention: {runs: 12w, cases: 2y, files: 90d}\n")
    found = {k: v for k, v in project_variables(Path()).items() if k.endswith("_DAYS")}
    assert found == {
        "SIGNOFF_RUN_DAYS": "84",
        "SIGNOFF_CASE_DAYS": "730",
        "SIGNOFF_FILE_DAYS": "90",
    }
    place.write_text("timezone: UTC\nretention: {runs: soon}\n")
    with pytest.raises(DefinitionError, match="as in 90d, 12w or 2y"):
        project_variables(Path())

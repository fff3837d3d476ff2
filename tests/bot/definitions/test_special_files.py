"""A device or a pipe among the files of a folder is told, not waited for or read for ever."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.filesystem import NO_FILE
from bot.operate.validation import find_problems
from tests.fakes.folders import write_files
from tests.fakes.matter import files
from tests.fakes.settings import make_settings

PLACES = (
    "matter/playbook.yaml",
    "matter/skills/visit-plan.yaml",
    "matter/documents/guide.md",
    "talk.yaml",
    "people.yaml",
)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def empty(path: Path) -> None:
    path.symlink_to("/dev/null")


@pytest.mark.parametrize("make", [pipe, endless, empty])
@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_regular_file_is_told(
    place: str, make: Callable[[Path], None], tmp_path: Path
) -> None:
    texts = {f"matter/{name}": text for name, text in files().items()}
    texts |= {"people.yaml": "roles: []\npeople: []\n", "talk.yaml": "kinds: {}\n"}
    write_files(tmp_path, texts)
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    make(path)

    problems = find_problems(make_settings(playbooks=tmp_path, people=tmp_path / "people.yaml"))

    assert [p for p in problems if str(path) in p and NO_FILE in p] != []


def test_a_link_to_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text("roles: []\npeople: [lin]\n")
    (tmp_path / "people.yaml").symlink_to(tmp_path / "real.yaml")
    problems = find_problems(make_settings(playbooks=tmp_path, people=tmp_path / "people.yaml"))
    assert any("people.yaml:2: people.0: should be a mapping" in each for each in problems)

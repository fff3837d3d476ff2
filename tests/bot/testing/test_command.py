"""`signoff test` as it is called."""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from xml.etree import ElementTree

import pytest
import structlog

from bot.__main__ import main
from bot.definitions.reloader import fingerprint_folder
from bot.definitions.watching import watched_files
from tests.fakes.garage import write_project

TESTS = """\
- test: who may approve
  steps:
    - mia: book a hoist
    - mia: {fill: {bay: A1, day: 2026-03-09}}
      expect: {card: {to: [fred]}}
- test: a <wrong> one
  steps:
    - {mia: book a hoist, expect: {end: done}}
"""


@pytest.fixture
def garage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A garage's folder with tests; the command leaves nothing of its own behind."""
    monkeypatch.chdir(tmp_path)
    folder = write_project(tmp_path / "garage")
    (folder / "playbooks" / "hoists" / "tests").mkdir()
    (folder / "playbooks/hoists/tests/bay.yaml").write_text(TESTS, encoding="utf-8")
    yield folder
    structlog.reset_defaults()


def test_the_command_tells_what_differs_and_what_no_test_reached(
    garage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--reach", "--junit", str(tmp_path / "junit.xml"), "--repeat", "2"]
    assert main(["test", str(garage), *given]) == 1
    lines = capsys.readouterr().out.splitlines()
    at = "playbooks/hoists/tests/bay.yaml"
    assert [line.rsplit(" (", 1)[0] for line in lines if line.startswith(("ok", "FAIL"))] == [
        f"ok   {at}:1 who may approve",
        f"ok   {at}:1 who may approve",
        f"FAIL {at}:6 a <wrong> one",
        f"FAIL {at}:6 a <wrong> one",
    ]
    assert f"passed 2 of 2: {at}:1 who may approve" in lines
    assert f"passed 0 of 2: {at}:6 a <wrong> one" in lines
    fault = f"{at}:8: 1.steps.0.expect.end: expected done, and nothing ended"
    assert any(line.strip().startswith(fault) for line in lines)
    branch = "approve-booking.yaml:15: branch approve-booking approve on_approve"
    assert f"  playbooks/hoists/skills/{branch}" in lines, lines
    assert lines[-1].startswith("4 tests, 2 passed, 2 failed, ")
    assert lines[-1].endswith("; reached 5 of 12")
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("4", "2")
    failure = suite.findall("testcase/failure")[0]
    assert failure.attrib["message"].startswith(fault)
    assert "open card clarify 'Booking' to mia" in (failure.text or "")


def test_a_word_that_no_test_has_is_told(garage: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", str(garage), "-k", "nowhere"]) == 1
    assert capsys.readouterr().out == "none of 2 tests has 'nowhere' in its name or file\n"


def test_a_changed_file_is_noticed(garage: Path) -> None:
    before = watched_files(garage / "playbooks")
    assert watched_files(garage / "playbooks") == before
    (garage / "people.yaml").write_text("people: []\n", encoding="utf-8")
    assert watched_files(garage / "playbooks") != before


@pytest.mark.parametrize("look", [watched_files, fingerprint_folder])
def test_files_and_folders_that_go_while_they_are_looked_at_do_no_harm(
    garage: Path, look: Callable[[Path], object]
) -> None:
    """Somebody unpacks and deletes playbooks while the folder is watched."""
    ended = Event()

    def come_and_go() -> None:
        while not ended.is_set():
            skills = [garage / "playbooks" / f"p{n}" / "skills" for n in range(20)]
            for folder in skills:
                folder.mkdir(parents=True)
                (folder / "one.yaml").write_text("id: one\n", encoding="utf-8")
            for folder in skills:
                shutil.rmtree(folder.parent)

    with ThreadPoolExecutor() as pool:
        other = pool.submit(come_and_go)
        try:
            for _ in range(300):
                look(garage / "playbooks")
        finally:
            ended.set()
        other.result()
    assert str(garage) in str(look(garage / "playbooks"))

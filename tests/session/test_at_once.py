"""What workers that are forked run is told as if one process had run it."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONFTEST = """
import os
from pathlib import Path

import pytest

@pytest.fixture(scope="session", autouse=True)
def lives(tmp_path_factory):
    began = Path(os.environ["NOTES"]) / f"{os.getpid()}.began"
    began.touch()
    yield tmp_path_factory.getbasetemp()
    began.rename(began.with_suffix(".ended"))
"""
FILES = {
    "test_fails.py": """
import warnings

def test_passes(lives):
    assert lives.name.startswith("gw")

def test_fails():
    print("said before it failed")
    assert 1 + 1 == 3

def test_warns():
    warnings.warn("of old age", stacklevel=1)
""",
    "test_dies.py": """
import os
import pytest

def test_before():
    pass

def test_dies():
    os._exit(3)

@pytest.mark.parametrize("number", range(3))
def test_behind(number):
    pass
""",
    "test_skips.py": """
import pytest

def test_is_left_out():
    pytest.skip("not today")

def test_where(tmp_path):
    assert tmp_path.parent.name.startswith("gw")
""",
}
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the files by two workers."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    notes = tmp_path / "notes"
    notes.mkdir()
    env = {
        **os.environ,
        "NOTES": str(notes),
        "PYTHONPATH": str(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = (sys.executable, "-m", "pytest", "-p", "tests.session.at_once", "--at-once", "2")

    def begin(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*command, "-ra", *words], cwd=tmp_path, env=env, capture_output=True, text=True
        )

    return begin


def test_each_test_is_told_once_and_one_that_ends_its_worker_fails(
    run: Run, tmp_path: Path
) -> None:
    done = run("-v")
    assert done.returncode == 1
    assert "2 failed, 7 passed, 1 skipped, 1 warning in" in done.stdout, done.stdout + done.stderr
    told = re.findall(r"(PASSED|FAILED|SKIPPED) (\S+::\S+)", done.stdout.partition("short test")[0])
    assert len(told) == len(set(told)) == 10
    assert re.search(r"gw[01] ended with 3 while it ran test_dies.py::test_dies", done.stdout)
    assert "said before it failed" in done.stdout
    assert "assert (1 + 1) == 3" in done.stdout
    assert "of old age" in done.stdout
    assert "test_skips.py:5: not today" in done.stdout
    # What a session sets up is put away by each worker that was there to the end.
    ended = [path.suffix for path in (tmp_path / "notes").iterdir()]
    assert sorted(ended) == [".began", ".ended", ".ended"]


def test_the_first_failure_ends_all_where_that_is_asked_for(run: Run) -> None:
    done = run("-x", "test_fails.py")
    assert done.returncode == 1
    assert "stopping after 1 failures" in done.stdout

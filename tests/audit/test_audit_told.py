"""What is made of pip-audit's report."""

import sys
from pathlib import Path

import pytest

from tests.audit.run import NOT_AUDITED, SOUND, VULNERABLE, judged, main

WELL = {"name": "spam", "version": "1.0", "vulns": []}
FLAW = {"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": [], "description": ""}
WEAK = {"name": "eggs", "version": "1.0", "vulns": [FLAW]}
LEFT = {"name": "ham", "skip_reason": "not found"}


def test_nothing_known_against_any_package_is_sound() -> None:
    assert judged({"dependencies": [WELL]}) == (SOUND, ["1 packages, no known vulnerability"])


def test_a_vulnerability_is_named_with_what_mends_it() -> None:
    status, lines = judged({"dependencies": [WELL, WEAK, LEFT]})

    assert status == VULNERABLE
    assert lines[0] == "eggs 1.0: PYSEC-1, mended in 1.1"


@pytest.mark.parametrize("report", [{"dependencies": [WELL, LEFT]}, {"dependencies": []}, {}])
def test_packages_that_nobody_knows_are_not_good_news(report: dict[str, object]) -> None:
    status, lines = judged(report)

    assert status == NOT_AUDITED
    assert lines[0].startswith("NOT AUDITED")


@pytest.mark.parametrize("said", ["", "no json", '{"dependencies": []}'])
def test_a_program_that_reports_nothing_is_not_good_news(
    tmp_path: Path, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "pip-audit"
    program.write_text(f"#!{sys.executable}\nprint({said!r})\n")
    program.chmod(0o755)

    assert main(str(program)) == NOT_AUDITED
    assert "NOT AUDITED" in capsys.readouterr().err


def test_a_missing_program_is_not_good_news(tmp_path: Path) -> None:
    assert main(str(tmp_path / "none")) == NOT_AUDITED

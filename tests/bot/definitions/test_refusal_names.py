"""What the text of a tool's refusal names, where only the system knows what will be found."""

import shutil
from pathlib import Path

import pytest

from bot.operate.validation import find_problems, find_warnings
from tests.conftest import ROOT
from tests.fakes.garage import TOOLS, write_project
from tests.fakes.settings import make_settings

REFUSED = """\
  refused_when:
    - finds: {connection: ledger, path: "/expenses/{expense}"}
      text: "{expence} comes to {sum.value}, paid on {paid_on}; not {amount}."
"""


def test_a_name_that_is_nearly_an_argument_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEDGER_TOKEN", "hush")
    folder = Path(shutil.copytree(ROOT / "tests" / "fixtures" / "reimburse", tmp_path / "bot"))
    tools = folder / "playbooks" / "reimburse" / "tools.yaml"
    line = len(tools.read_text("utf-8").splitlines()) + 3
    tools.write_text(tools.read_text("utf-8") + REFUSED, "utf-8")
    settings = make_settings(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
    )
    assert find_problems(settings) == []
    (told,) = find_warnings(settings)
    assert told.startswith(f"{tools}:{line}: pay.refused_when.0.text: names expence, which is no")
    assert "did you mean 'expense'?" in told


@pytest.mark.parametrize(
    ("sql", "warned"),
    [
        ("SELECT who, day AS days FROM bookings WHERE bay = :bay", 0),
        ("SELECT *, day AS days FROM bookings WHERE bay = :bay", 0),
        ("WITH taken AS (SELECT day AS days FROM bookings) SELECT * FROM taken", 0),
        ("SELECT * FROM bookings WHERE bay = :bay", 1),
    ],
)
def test_what_the_statement_names_is_meant(tmp_path: Path, sql: str, warned: int) -> None:
    refused = f"""\
  refused_when:
    - finds: {{connection: workshop, sql: "{sql}"}}
      text: "{{bay}} is taken: {{days}}"
"""
    tools = {"playbooks/hoists/tools.yaml": TOOLS.rstrip("\n") + f"\n{refused}"}
    folder = write_project(tmp_path / "garage", **tools)
    settings = make_settings(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
    )
    assert find_problems(settings) == []
    assert len([each for each in find_warnings(settings) if "names days" in each]) == warned

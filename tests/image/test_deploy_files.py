"""What starts the service elsewhere names commands and settings that there are."""

import configparser
import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from dockerfile_parse import DockerfileParser

from bot.cli.table import parser
from bot.waits import PATIENCE_S
from tests.fakes.settings import make_settings, variables

ROOT = Path(__file__).parents[2]
UNITS = sorted((ROOT / "docs" / "systemd").glob("*.service"))
NAMES = {*variables().values()}
EXPOSED = 16
"""Of 100; what is left of it is the network, MCP servers that compile, and a process's metrics."""

USUAL = {"LANG", "PYTHONUNBUFFERED", "PATH"}


def test_the_procfile_names_commands_that_there_are() -> None:
    lines = dict(
        line.split(": ", 1) for line in (ROOT / "Procfile").read_text().strip().splitlines()
    )

    assert lines.keys() == {"release", "web", "worker"}
    for command in lines.values():
        program, *words = shlex.split(command)
        assert program == "signoff"
        parser().parse_args(words)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_starts_commands_that_there_are_and_ends_them_in_time(unit: Path) -> None:
    told = configparser.ConfigParser(strict=False, interpolation=None)
    told.optionxform = str  # type: ignore[assignment,method-assign]
    told.read_string(unit.read_text())
    service = told["Service"]

    for name in ("ExecStart", "ExecStartPre"):
        if name in service:
            program, *words = shlex.split(service[name])
            assert program == "/opt/signoff/bin/signoff"
            parser().parse_args(words)
    assert service["RestartPreventExitStatus"] == "2"
    # systemd hears that it serves and lives, and waits for the store for as long as it does itself.
    assert service["Type"] == "notify"
    assert int(service["WatchdogSec"]) > make_settings().watchdog_s
    assert int(service["TimeoutStartSec"]) > 2 * PATIENCE_S


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_gives_its_process_little_more_than_it_needs(unit: Path, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd-analyze here")
    one = shutil.copy(unit, tmp_path / unit.name.replace("@", "@1"))
    words = [analyze, "security", "--no-pager", "--offline=true", f"--threshold={EXPOSED}", one]
    told = subprocess.run(words, capture_output=True, text=True)
    if "unrecognized option" in told.stderr:
        pytest.skip("this systemd-analyze looks at no files")
    assert told.returncode == 0, told.stdout + told.stderr


def test_the_target_starts_units_that_there_are() -> None:
    wanted = (ROOT / "docs" / "systemd" / "signoff.target").read_text()
    units = next(line for line in wanted.splitlines() if line.startswith("Wants=")).split("=")[1]

    templates = {f"{unit.split('@')[0]}@.service" for unit in units.split()}
    assert templates == {unit.name for unit in UNITS}


def test_an_image_is_built_on_a_base_that_is_named_by_its_digest() -> None:
    steps = DockerfileParser(path=str(ROOT / "Dockerfile")).structure
    first = [
        (step["instruction"], step["value"]) for step in steps if "COMMENT" not in step.values()
    ]

    assert [name for name, _ in first[:2]] == ["ARG", "FROM"]
    assert first[1][1] == "${BASE}"
    for base in ("", "debian:bookworm-slim"):
        made = subprocess.run(
            ["make", "image", f"BASE={base}"], cwd=ROOT, capture_output=True, text=True
        )
        assert made.returncode == 2
        assert "digest" in made.stderr


def test_the_image_sets_settings_that_there_are_and_starts_a_command() -> None:
    steps = DockerfileParser(path=str(ROOT / "Dockerfile")).structure
    env = [
        pair.split("=", 1)[0]
        for step in steps
        if step["instruction"] == "ENV"
        for pair in shlex.split(step["value"])
    ]
    last = {step["instruction"]: step["value"] for step in steps}

    assert set(env) <= NAMES | USUAL
    assert json.loads(last["ENTRYPOINT"]) == ["signoff"]
    parser().parse_args(json.loads(last["CMD"]))

"""Two projects in one folder: a tool is that of the conversation; having no project is told."""

from pathlib import Path

import pytest

from bot.definitions.projects import find_playbooks, unnamed_project
from bot.operate.tools import call_tool
from bot.operate.validation import find_warnings
from bot.wiring.doctor import open_doctors
from tests.fakes.garage import FILES, write_garage
from tests.fakes.settings import make_settings
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start
from tests.scenarios.test_answers_walk import asked

NOBODYS = "the playbooks are of several (BOATYARD, GARAGE)"


def two_projects(folder: Path, *, second: str = "BOATYARD") -> Path:
    """The garage, and a boatyard with tools of the same names that lift more."""
    boats = {
        name.replace("hoists/", "boats/"): text
        for name, text in FILES.items()
        if name.startswith("hoists/")
    }
    main, tools = "boats/playbook.yaml", "boats/tools.yaml"
    boats[main] = boats[main].replace("GARAGE", second).replace("id: hoists", "id: boats")
    boats[tools] = boats[tools].replace(
        "SELECT bay, lifts_kg FROM", "SELECT bay, 7777 AS lifts_kg FROM"
    )
    return write_garage(folder / "garage", **boats)


async def test_a_look_up_takes_the_tool_of_the_conversations_project(
    start: Start, tmp_path: Path
) -> None:
    folder = two_projects(tmp_path)
    projects = (("web:local:boats", "BOATYARD"), ("web:local:cars", "GARAGE"))
    service = await start(playbooks=folder, people=folder / "people.yaml", projects=projects)
    async with (
        WebRoom(service.url, "boats") as boats,
        WebRoom(service.url, "cars") as cars,
        WebRoom(service.url, "nowhere") as nowhere,
    ):
        for room, told in ((boats, "7777"), (cars, "3500")):
            answer = await asked(room, "mia", "which hoists are there?")
            assert told in answer
        answer = await asked(nowhere, "mia", "which hoists are there?")
        assert "7777" not in answer
        assert "3500" not in answer


async def test_validate_and_doctor_tell_that_conversations_have_no_project(tmp_path: Path) -> None:
    folder = two_projects(tmp_path)
    settings = make_settings(playbooks=folder, people=folder / "people.yaml")
    told = find_warnings(settings)[-1]
    assert told.startswith(f"SIGNOFF_PROJECT: names none, and {NOBODYS}")
    found = [f for doctor in open_doctors(settings)[2:3] for f in await doctor.findings()]
    assert [(each.check, each.state, each.told) for each in found] == [("project", "wrong", told)]
    (folder / "signoff.yaml").write_text("timezone: Europe/Berlin\n", "utf-8")
    told = find_warnings(settings)[-1]
    assert told.startswith(f"{folder}/signoff.yaml:1: project: names none, and {NOBODYS}")
    named = settings.model_copy(update={"project": "GARAGE"})
    assert unnamed_project(named, find_playbooks(named)) == ""


async def test_the_command_line_asks_which_tool_is_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = two_projects(tmp_path)
    settings = make_settings(playbooks=folder, people=folder / "people.yaml")
    assert await call_tool(settings, "list_hoists", (), really=False, lang="en") == 2
    told = "'list_hoists' is a tool of several playbooks; write one of boats/list_hoists, "
    assert capsys.readouterr().err.startswith(told)
    assert await call_tool(settings, "boats/list_hoists", (), really=False, lang="en") == 0
    assert "7777" in capsys.readouterr().out


def test_tools_of_one_name_in_one_project_are_told(tmp_path: Path) -> None:
    folder = two_projects(tmp_path, second="GARAGE")
    told = find_warnings(make_settings(playbooks=folder, people=folder / "people.yaml"))
    told = [each for each in told if "/tools.yaml:" in each]
    assert len(told) == 2
    assert told[0] == (
        f"{folder}/hoists/tools.yaml:1: find_hoist: playbook 'boats' has a tool of this name, and"
        " questions use that one; rename one of them"
    )

"""Every problem of what a service is defined by, found before it starts."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bot.definitions.documents import load_documents
from bot.definitions.folder_projects import project_faults
from bot.definitions.loader import (
    SETTING_PREFIX,
    load_playbook,
    try_load_people,
    try_load_playbooks,
    try_load_talk,
)
from bot.definitions.warnings import folder_warnings, playbook_warnings
from bot.operate.start_check import server_faults, try_load_toolbox
from bot.settings import Settings
from bot.starting.missing import lines_to_add
from bot.terminal.output import show_progress
from bot.testing.files.scenario import read_scenarios
from engine.errors import DefinitionError
from engine.playbooks.load import MAIN
from engine.playbooks.model import Playbook
from engine.yaml.source import Problems

# A path has no spaces; without one, what stands before a colon belongs to the message.
_PLACE = re.compile(r":(?P<line>[0-9]{1,9}): (?:(?P<path>\S+): )?")


def find_problems(
    settings: Settings, folder: Path | None = None, *, with_tests: bool = True
) -> list[str]:
    """Every problem of these files as `file:line: path: message`; none when all is well.

    With a folder, that one's playbooks. A service starts with problems of the folder's tests.
    """
    problems = Problems()
    playbooks, prefix = folder or settings.playbooks, "" if folder else SETTING_PREFIX
    directory = try_load_people(settings, problems)
    elsewhere = Problems()
    toolbox = try_load_toolbox(settings, folder, elsewhere)
    found = try_load_playbooks(
        playbooks,
        directory,
        problems,
        prefix=prefix,
        toolbox=toolbox,
        languages=settings.languages,
        skills=settings.skills,
        progress=lambda mains: show_progress(mains, "playbooks", len(mains)),
    )
    try:
        load_documents(playbooks, dict.fromkeys(found, ""))
    except DefinitionError as error:
        problems.extend(error.problems)
    try_load_talk(playbooks, problems)
    if not folder:
        problems.extend(project_faults(settings, found))
    if with_tests and directory is not None:
        persons = [person.id for person in directory.people]
        read_scenarios(playbooks, persons, found, problems)
    problems.extend(elsewhere)
    problems.extend(server_faults(settings.mcp, directory.roles if directory else None))
    return problems


def find_warnings(settings: Settings, folder: Path | None = None) -> list[str]:
    """What is no problem and may yet not be meant; nothing of a playbook that has problems."""
    directory = try_load_people(settings, Problems())
    toolbox = try_load_toolbox(settings, folder, Problems())
    found: list[str] = []
    loaded: dict[Path, Playbook] = {}
    for main in sorted((folder or settings.playbooks).glob(f"*/{MAIN}")):
        given = (main, directory, toolbox, settings.languages, settings.skills)
        with suppress(DefinitionError):
            found += playbook_warnings(*given)
            loaded[main] = load_playbook(*given)
    return [*found, *folder_warnings(loaded, settings)]


def problems_as_json(problems: Sequence[str]) -> str:
    """A JSON list of {file, line, path, message, add}; `add` is the line that is missing, or "".

    Where a problem is not of a file, `file` is "" and `line` null; `path` is "" for a whole file.
    """
    return json.dumps([_told_apart(problem) for problem in problems], ensure_ascii=False, indent=2)


def _told_apart(problem: str) -> dict[str, str | int | None]:
    found = _PLACE.search(problem)
    if found is None:
        return {"file": "", "line": None, "path": "", "message": problem, "add": ""}
    path = found["path"] or ""
    return {
        "file": problem[: found.start()],
        "line": int(found["line"]),
        "path": "" if path == "-" else path,
        "message": problem[found.end() :],
        "add": lines_to_add(problem),
    }

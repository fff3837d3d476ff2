"""The project folder: what a bot of one's own is made of, and the settings that it brings."""

import os
import sys
from pathlib import Path
from typing import Final, Literal

from pydantic import Field as Key

from bot.setting_rules import Duration, LanguageList, ProjectName, ZoneName, days_of
from cards.frozen import Frozen
from cards.texts import COMPLETE
from engine.errors import DefinitionError
from engine.ports.projects import PROJECT_FORM
from engine.text.language import LocalizedText

PROJECT_FILE: Final = "signoff.yaml"
NO_PROJECT: Final = (
    "there is no project folder here: `signoff init my-bot` makes one and `signoff run my-bot`"
    " serves it; `signoff init try --from leave` copies a sample to look at"
)
_PARTS: Final = {
    "SIGNOFF_PLAYBOOKS": "playbooks",
    "SIGNOFF_PEOPLE": "people.yaml",
    "SIGNOFF_SKILLS": "skills",
    "SIGNOFF_CONNECTIONS": "connections.yaml",
    "SIGNOFF_MCP": "mcp.yaml",
}
"""What lies in the folder, by the setting that names it; the last three need not be there."""

_PLAYBOOKS: Final = "SIGNOFF_PLAYBOOKS"
_MAINS: Final = "*/playbook.yaml"
_OPTIONAL: Final = ("SIGNOFF_CONNECTIONS", "SIGNOFF_MCP")


class Retention(Frozen):
    """For how long things are kept, in days, weeks or years, as in 90d, 12w or 2y.

    `runs` after their end, with cards and log; `traces` of how messages were understood; `cases`
    after their last change; `files` after they were shared. What is left out is as settings say.
    """

    runs: Duration | None = None
    traces: Duration | None = None
    cases: Duration | None = None
    files: Duration | None = None

    @property
    def variables(self) -> dict[str, str]:
        """The settings that it stands for."""
        given = {
            "SIGNOFF_RUN_DAYS": self.runs,
            "SIGNOFF_TRACE_DAYS": self.traces,
            "SIGNOFF_CASE_DAYS": self.cases,
            "SIGNOFF_FILE_DAYS": self.files,
        }
        return {name: str(days_of(each)) for name, each in given.items() if each}


class ProjectRetention(Frozen):
    """For how long what is a project's own is kept, where that is not as the folder's `retention`.

    `cases` after their last change; `files` after they were shared.
    """

    cases: Duration | None = None
    files: Duration | None = None


class FolderProject(Frozen):
    """A project of the folder: which `playbooks` it may run (all, if left out), and what it is of.

    `of` are entities that it belongs to, by kind, as in {client: ACME}. `retention` is for how long
    its cases and files are kept.
    """

    id: str = Key(pattern=f"^{PROJECT_FORM}$")
    name: LocalizedText
    playbooks: tuple[str, ...] = ()
    of: dict[str, str] = {}
    retention: ProjectRetention = ProjectRetention()


class ProjectFile(Frozen):
    """What `signoff.yaml` says: the languages of its texts, and the time zone of its days.

    To the `project` belong conversations that nobody bound to another. `projects` are those that
    there are from the start. `retention` is for how long what people said and did is kept.
    """

    schema_version: Literal[1] = 1
    languages: LanguageList = COMPLETE
    timezone: ZoneName
    project: ProjectName = ""
    retention: Retention = Retention()
    projects: tuple[FolderProject, ...] = ()


def enter_project(folder: Path) -> None:
    """Make the folder the current one, whose files and `.env` are read from now on.

    Raises DefinitionError for one that holds no project.
    """
    if not folder.is_dir():
        raise DefinitionError(f"{folder}: there is no such folder")
    is_older = any(folder.glob(_MAINS))
    if not (folder / PROJECT_FILE).exists() and not is_older:
        raise DefinitionError(f"{folder}: is no project folder: there is no {PROJECT_FILE} in it")
    os.chdir(folder)
    if not Path(PROJECT_FILE).exists():
        told = f"warning: {folder} has no {PROJECT_FILE}; it is read as a folder of playbooks"
        print(told, file=sys.stderr)
        for name, part in (("SIGNOFF_PLAYBOOKS", "."), ("SIGNOFF_PEOPLE", "people.yaml")):
            os.environ.setdefault(name, part)


def find_project_file(playbooks: Path) -> Path | None:
    """The `signoff.yaml` of the current folder, else that beside the `playbooks`."""
    files = (folder / PROJECT_FILE for folder in (Path(), playbooks))
    return next((file for file in files if file.exists()), None)


def unread_project_file(playbooks: Path) -> Path | None:
    """A `signoff.yaml` in the folder above the `playbooks`, as of a project, that is not read."""
    above, read = playbooks.absolute().parent / PROJECT_FILE, find_project_file(playbooks)
    is_read = read is not None and read.absolute() == above
    return above if above.exists() and not is_read else None


def unread_text(file: Path) -> str:
    """What an operator does about one."""
    return (
        f"{file} is not read, for SIGNOFF_PLAYBOOKS names the folder within: its languages, time"
        f" zone, project and retention do not hold; give the command {file.parent} instead (DIR)"
    )


def project_variables(playbooks: Path) -> dict[str, str]:
    """The settings that the current folder brings as a project, else the folder of `playbooks`.

    None where neither is one. Raises DefinitionError with every problem of its `signoff.yaml`.
    """
    file = find_project_file(playbooks)
    if file is None:
        return {}
    folder = file.parent
    parts = {
        name: str(folder / part)
        for name, part in _PARTS.items()
        if name not in _OPTIONAL or (folder / part).exists()
    }
    if not any((folder / _PARTS[_PLAYBOOKS]).glob(_MAINS)) and any(folder.glob(_MAINS)):
        parts[_PLAYBOOKS] = str(folder)
    project = read_project_file(file)
    languages = {"SIGNOFF_LANGUAGES": ",".join(project.languages)}
    home = {"SIGNOFF_PROJECT": project.project} if project.project else {}
    kept = project.retention.variables
    return {**parts, **languages, **home, **kept, "SIGNOFF_TIMEZONE": project.timezone}


def read_project_file(path: Path) -> ProjectFile:
    """What a `signoff.yaml` says. Raises DefinitionError with every problem."""
    # Loaded here, since the command line reads settings before it knows what it is asked for.
    from adapters.filesystem import read_text
    from engine.yaml.source import Problems, read_yaml, try_build

    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{path}:1: cannot be read: {error}") from error
    problems = Problems()
    project = try_build(ProjectFile, read_yaml(text, file=str(path)), problems)
    problems.raise_if_any()
    assert project is not None
    return project

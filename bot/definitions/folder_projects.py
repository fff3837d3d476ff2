"""The projects that `signoff.yaml` lists."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from adapters.filesystem import read_text
from bot.project import FolderProject, find_project_file, read_project_file
from bot.setting_rules import days_of
from bot.settings import Settings
from engine.playbooks.model import Playbook
from engine.ports.projects import Project
from engine.yaml.faults import Path, suggestion
from engine.yaml.source import read_yaml


def folder_projects(settings: Settings) -> tuple[Project, ...]:
    """The projects that `signoff.yaml` lists, which was read with the settings."""
    return tuple(
        Project(id=each.id, name=each.name, playbooks=each.playbooks, of=each.of)
        for each in _listed(settings)
    )


def project_days(settings: Settings, kind: Literal["cases", "files"]) -> Mapping[str, float]:
    """For how many days projects keep what is of that kind, those of them that say so."""
    kept = ((each.id, getattr(each.retention, kind)) for each in _listed(settings))
    return {project: days_of(length) for project, length in kept if length}


def project_faults(settings: Settings, playbooks: Mapping[str, Playbook]) -> list[str]:
    """What is wrong with the projects that `signoff.yaml` lists, as `file:line: path: message`."""
    listed, file = _listed(settings), find_project_file(settings.playbooks)
    if not listed or file is None:
        return []
    source = read_yaml(read_text(file), file=str(file))
    faults = _faults(listed, playbooks, settings)
    return [source.problem(("projects", *at), fault) for at, fault in faults]


def _faults(
    listed: Sequence[FolderProject], playbooks: Mapping[str, Playbook], settings: Settings
) -> Iterator[tuple[Path, str]]:
    seen: set[str] = set()
    for index, project in enumerate(listed):
        if project.id.casefold() in seen:
            yield (index, "id"), f"project {project.id!r} is listed twice"
        seen.add(project.id.casefold())
        if lacking := project.name.lacks(settings.languages):
            yield (index, "name"), f"is not written in {', '.join(lacking)}"
        for position, name in enumerate(project.playbooks):
            at = (index, "playbooks", position)
            if name not in playbooks:
                hint = suggestion(name, playbooks)
                yield at, f"there is no playbook {name!r}" + (f"; {hint}" if hint else "")
            elif (own := playbooks[name].definition.project) not in ("", project.id):
                yield at, f"playbook {name!r} is of project {own} alone, as its `project` says"


def _listed(settings: Settings) -> Sequence[FolderProject]:
    file = find_project_file(settings.playbooks)
    return read_project_file(file).projects if file else ()

"""The files of playbooks, and those of the skills that they share, as texts."""

from collections.abc import Iterable
from pathlib import Path

from adapters.filesystem import read_text
from engine.playbooks.answer import ANSWERS_FILE
from engine.playbooks.legacy import Legacy
from engine.playbooks.skill_files import read_skills
from engine.playbooks.tool import TOOLS_FILE
from engine.yaml.source import Problems


def read_playbook_files(main: Path) -> dict[str, str]:
    """The files of the playbook of a playbook.yaml; raises DefinitionError with every problem."""
    others = (main.parent / TOOLS_FILE, main.parent / ANSWERS_FILE)
    paths = [main, *sorted(main.parent.glob("skills/*.yaml"))]
    paths += [path for path in others if path.exists()]
    problems = Problems()
    files = _read(paths, problems)
    problems.raise_if_any()
    return files


def read_shared_skills(folder: Path | None, problems: Problems) -> dict[str, str]:
    """The files of the folder of shared skills, as far as they can be read; none without it."""
    return _read(sorted(folder.glob("*.yaml")), problems) if folder else {}


def check_shared_skills(folder: Path | None, legacy: Legacy, problems: Problems) -> None:
    """Add what is wrong with shared skills in themselves, whether or not a playbook uses them."""
    found = Problems()
    skills = read_skills(read_shared_skills(folder, found), found, legacy)
    for read in skills.values():
        found.extend(read.problems)
    add_new(found, problems)


def add_new(found: Iterable[str], problems: Problems) -> None:
    """Add those that are not among the problems yet: many playbooks may share a faulty file."""
    problems.extend(problem for problem in found if problem not in problems)


def _read(paths: Iterable[Path], problems: Problems) -> dict[str, str]:
    files: dict[str, str] = {}
    for path in paths:
        try:
            files[str(path)] = read_text(path)
        except OSError as error:
            problems.add(f"{path}:1: cannot be read: {error.strerror}")
        except UnicodeDecodeError:
            problems.add(f"{path}:1: is not UTF-8 text")
    return files

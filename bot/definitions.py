"""What a service is defined by: people, playbooks and the sample study, found and checked."""

import tempfile
from pathlib import Path

from adapters.clock import SystemClock
from adapters.edc.sqlite import SqliteRecords, open_records
from bot.outside import load_servers
from bot.people import Directory, load_people
from bot.settings import Settings
from engine.errors import DefinitionError, ToolFailed
from engine.playbooks.load import MAIN, load
from engine.playbooks.model import Playbook
from engine.source import Problems

_SETTING = "SIGNOFF_PLAYBOOKS: "


def load_definitions(settings: Settings) -> tuple[Directory, dict[str, Playbook]]:
    """The people and the playbooks by id; raises DefinitionError with every problem."""
    problems = Problems()
    people = _people(settings.people, problems)
    playbooks = _playbooks(settings.playbooks, people, problems, named=_SETTING)
    problems.raise_if_any()
    assert people is not None
    return people, playbooks


def open_study(settings: Settings) -> SqliteRecords:
    """The study in the data folder, made from the sample at the first start.

    Raises DefinitionError for a faulty sample or a file or folder that cannot be used.
    """
    path = settings.data_dir / "study.sqlite3"
    try:
        clock = SystemClock(settings.timezone)
        return open_records(path, _sample(settings.playbooks), clock=clock)
    except ToolFailed as error:
        raise DefinitionError(f"SIGNOFF_DATA_DIR: {path}: {error}") from error


def check_definitions(settings: Settings) -> None:
    """Raises DefinitionError with every problem that a process would find; makes the study."""
    problems = Problems()
    roles: tuple[str, ...] | None = None
    try:
        roles = load_definitions(settings)[0].roles
    except DefinitionError as error:
        problems.extend(error.problems)
    problems.extend(_server_faults(settings.mcp, roles))
    if settings.playbooks.is_dir():
        try:
            open_study(settings).close()
        except DefinitionError as error:
            problems.extend(error.problems)
    problems.raise_if_any()


def validate(
    playbooks: Path, people: Path, mcp: Path | None = None, *, named: str = _SETTING
) -> list[str]:
    """Every problem of these files as `file:line: path: message`; none when all is well.

    `named` stands before a problem with the folder itself.
    """
    problems = Problems()
    directory = _people(people, problems)
    _playbooks(playbooks, directory, problems, named=named)
    if playbooks.is_dir():
        problems.extend(_sample_faults(_sample(playbooks)))
    problems.extend(_server_faults(mcp, directory.roles if directory else None))
    return problems


def _server_faults(mcp: Path | None, roles: tuple[str, ...] | None) -> list[str]:
    try:
        load_servers(mcp, roles)
    except DefinitionError as error:
        return list(error.problems)
    return []


def _sample(playbooks: Path) -> Path:
    return playbooks / "clinical_qc" / "data"


def _sample_faults(folder: Path) -> list[str]:
    # Loading it once also finds what only the database sees, as a visit that stands there twice.
    with tempfile.TemporaryDirectory() as scratch:
        try:
            open_records(Path(scratch) / "study.sqlite3", folder, clock=SystemClock("UTC")).close()
        except DefinitionError as error:
            return list(error.problems)
    return []


def _people(path: Path, problems: Problems) -> Directory | None:
    try:
        return load_people(path)
    except DefinitionError as error:
        problems.extend(error.problems)
        return None


def _playbooks(
    folder: Path, people: Directory | None, problems: Problems, *, named: str
) -> dict[str, Playbook]:
    """Every playbook below the folder, by id; without people, roles are not checked."""
    found: dict[str, Playbook] = {}
    if not folder.is_dir():
        fault = "is not a folder" if folder.exists() else "there is no such folder"
        problems.add(f"{named}{folder}: {fault}")
        return found
    mains = sorted(folder.glob(f"*/{MAIN}"))
    if not mains:
        problems.add(f"{named}{folder}: there is no */{MAIN} in it")
    for main in mains:
        try:
            playbook = load(
                _files(main),
                roles=people.roles if people else None,
                held=people.held if people else None,
            )
        except DefinitionError as error:
            problems.extend(error.problems)
            continue
        if playbook.id in found:
            problems.add(f"{main}:1: id: playbook {playbook.id!r} is defined twice")
        found[playbook.id] = playbook
    return found


def _files(main: Path) -> dict[str, str]:
    paths = [main, *sorted(main.parent.glob("skills/*.yaml"))]
    files: dict[str, str] = {}
    problems = Problems()
    for path in paths:
        try:
            files[str(path)] = path.read_text(encoding="utf-8")
        except OSError as error:
            problems.add(f"{path}:1: cannot be read: {error.strerror}")
        except UnicodeDecodeError:
            problems.add(f"{path}:1: is not UTF-8 text")
    problems.raise_if_any()
    return files

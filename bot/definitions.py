"""What a service is defined by: people, playbooks and the study, found and checked."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from adapters.clock import SystemClock
from adapters.edc.redcap import RedcapRecords
from adapters.edc.redcap_api import RedcapApi
from adapters.edc.redcap_fields import load_fields
from adapters.edc.sample import load_protocol
from adapters.edc.sqlite import SqliteRecords, open_records
from adapters.knowledge.documents import Document, load_documents
from bot.people import Directory, load_people
from bot.settings import Settings
from engine.errors import DefinitionError, ToolFailed
from engine.playbooks.load import MAIN, load
from engine.playbooks.model import Playbook
from engine.router.table import RouteTable
from engine.router.talk import Talk
from engine.source import Problems, read, try_build
from engine.tools.registry import READONLY

TALK = "talk.yaml"
_SETTING = "SIGNOFF_PLAYBOOKS: "
_FIELDS = "redcap.yaml"


@dataclass(frozen=True, slots=True)
class Definitions:
    """Who there is, what can be asked for (playbooks by id), and how people talk beside that."""

    people: Directory
    playbooks: Mapping[str, Playbook]
    talk: Talk

    def table(self) -> RouteTable:
        """What the router learns of them and of the tools."""
        asked = {name: playbook.definition for name, playbook in self.playbooks.items()}
        return RouteTable(asked, READONLY, self.talk)


def load_definitions(settings: Settings) -> Definitions:
    """The people, playbooks and talk; raises DefinitionError with every problem."""
    problems = Problems()
    people = _people(settings.people, problems)
    playbooks = _playbooks(settings.playbooks, people, problems, named=_SETTING)
    talk = _talk(settings.playbooks, problems)
    problems.raise_if_any()
    assert people is not None
    assert talk is not None
    return Definitions(people, playbooks, talk)


def documents_of(settings: Settings, playbooks: Mapping[str, Playbook]) -> tuple[Document, ...]:
    """The documents of these playbooks; raises DefinitionError with every problem."""
    projects = {name: playbook.definition.project for name, playbook in playbooks.items()}
    return load_documents(settings.playbooks, projects)


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


def open_redcap(settings: Settings, project: str) -> RedcapRecords:
    """The records of the REDCap project that the settings name; asks the server nothing yet.

    `project` is what playbooks call it.

    Raises DefinitionError for a faulty mapping or protocol.
    """
    assert settings.redcap_api_url is not None
    assert settings.redcap_api_token is not None
    fields = mapping_file(settings)
    assert fields is not None
    api = RedcapApi(settings.redcap_api_url, settings.redcap_api_token)
    protocol = load_protocol(_sample(settings.playbooks))
    return RedcapRecords(api, load_fields(fields), protocol, project=project)


def mapping_file(settings: Settings) -> Path | None:
    """The file that says how a REDCap project names our fields; None while none is connected."""
    if not settings.redcap_on:
        return None
    return settings.redcap_fields or _sample(settings.playbooks) / _FIELDS


def check_definitions(settings: Settings) -> None:
    """Raises DefinitionError with every problem that a process would find; makes the study."""
    problems = Problems()
    try:
        documents_of(settings, load_definitions(settings).playbooks)
    except DefinitionError as error:
        problems.extend(error.problems)
    if settings.playbooks.is_dir():
        try:
            if settings.redcap_on:
                open_redcap(settings)
            else:
                open_study(settings).close()
        except DefinitionError as error:
            problems.extend(error.problems)
    problems.raise_if_any()


def validate(
    playbooks: Path, people: Path, *, named: str = _SETTING, fields: Path | None = None
) -> list[str]:
    """Every problem of these files as `file:line: path: message`; none when all is well.

    `named` stands before a problem with the folder itself; `fields` is the REDCap mapping in use;
    without one, the folder's own is checked if there is one.
    """
    problems = Problems()
    directory = _people(people, problems)
    found = _playbooks(playbooks, directory, problems, named=named)
    try:
        load_documents(playbooks, dict.fromkeys(found, ""))
    except DefinitionError as error:
        problems.extend(error.problems)
    _talk(playbooks, problems)
    if playbooks.is_dir():
        problems.extend(_sample_faults(_sample(playbooks)))
        own = _sample(playbooks) / _FIELDS
        if fields or own.exists():
            problems.extend(_mapping_faults(fields or own))
    return problems


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


def _mapping_faults(path: Path) -> list[str]:
    try:
        load_fields(path)
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


def _talk(folder: Path, problems: Problems) -> Talk | None:
    """The examples of talk that lie beside the playbooks."""
    path = folder / TALK
    if not folder.is_dir():
        return None
    try:
        source = read(path.read_text(encoding="utf-8"), file=str(path))
    except FileNotFoundError:
        problems.add(f"{path}:1: is missing")
    except OSError as error:
        problems.add(f"{path}:1: cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        problems.add(f"{path}:1: is not UTF-8 text")
    except DefinitionError as error:
        problems.extend(error.problems)
    else:
        return try_build(Talk, source, problems)
    return None


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

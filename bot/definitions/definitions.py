"""What a service is defined by: people, playbooks and the study, found and checked."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from adapters.filesystem import read_text
from bot.definitions.documents import load_documents
from bot.people.directory import Directory, load_people
from bot.settings import Settings
from engine.errors import DefinitionError
from engine.playbooks.checks.ends import end_warnings
from engine.playbooks.load import MAIN, load
from engine.playbooks.model import Playbook
from engine.ports.library import Document
from engine.ports.sync import fault_of
from engine.tools.registry import READONLY
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.talk import Talk
from engine.yaml.source import Problems, read, try_build

TALK = "talk.yaml"
READ = (TALK, f"*/{MAIN}", "*/skills/*.yaml", "*/documents/*.md")
"""What is read of the playbooks folder, as patterns; its sample data aside."""

SETTING = "SIGNOFF_PLAYBOOKS: "

KEPT = 512
"""So many playbooks are not read anew when another one has changed."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """Who there is, what can be asked for (playbooks by id), how people talk, what can be read."""

    people: Directory
    playbooks: Mapping[str, Playbook]
    talk: Talk
    documents: tuple[Document, ...]

    def table(self) -> RouteTable:
        """What the router learns of them and of the tools."""
        asked = {name: playbook.definition for name, playbook in self.playbooks.items()}
        return RouteTable(asked, READONLY, self.talk)


def load_definitions(settings: Settings, people: Directory | None = None) -> Definitions:
    """What the files say; raises DefinitionError with every problem.

    People who are given stay as they are, and their file is not read.
    """
    problems = Problems()
    people = people or people_of(settings, problems)
    playbooks = playbooks_of(settings.playbooks, people, problems, named=SETTING)
    documents = _documents_of(settings.playbooks, playbooks, problems)
    talk = talk_of(settings.playbooks, problems)
    problems.extend(_unsigned(playbooks, settings))
    problems.raise_if_any()
    assert people is not None
    assert talk is not None
    return Definitions(people, playbooks, talk, documents)


def _documents_of(
    folder: Path, playbooks: Mapping[str, Playbook], problems: Problems
) -> tuple[Document, ...]:
    projects = {name: playbook.definition.project for name, playbook in playbooks.items()}
    try:
        return load_documents(folder, projects)
    except DefinitionError as error:
        problems.extend(error.problems)
        return ()


def people_of(settings: Settings, problems: Problems) -> Directory | None:
    """The people of the settings' file; None, and what is wrong, for a faulty one."""
    try:
        return load_people(settings.people, settings.accounts)
    except DefinitionError as error:
        problems.extend(error.problems)
        return None


def playbooks_of(
    folder: Path,
    people: Directory | None,
    problems: Problems,
    *,
    named: str,
    each: Callable[[list[Path]], Iterable[Path]] = iter,
) -> dict[str, Playbook]:
    """Every playbook below the folder, by id; without people, roles are not checked.

    `each` goes through their files, and may show how far it is.
    """
    found: dict[str, Playbook] = {}
    if not folder.is_dir():
        fault = "is not a folder" if folder.exists() else "there is no such folder"
        problems.add(f"{named}{folder}: {fault}")
        return found
    mains = sorted(folder.glob(f"*/{MAIN}"))
    if not mains:
        problems.add(f"{named}{folder}: there is no */{MAIN} in it")
    for main in each(mains):
        try:
            playbook = playbook_at(main, people)
        except DefinitionError as error:
            problems.extend(error.problems)
            continue
        if playbook.id in found:
            problems.add(f"{main}:1: id: playbook {playbook.id!r} is defined twice")
        found[playbook.id] = playbook
    return found


def playbook_at(main: Path, people: Directory | None) -> Playbook:
    """The playbook of a playbook.yaml; raises DefinitionError with every problem of it."""
    files = _files(main)
    listed = _listed(people) if people else None
    playbook = _loaded(
        tuple(files.items()),
        people.roles if people else None,
        people.held_roles if people else None,
        tuple(listed.items()) if listed is not None else None,
    )
    sync = playbook.definition.sync
    fault = fault_of(sync.to, signed=True) if sync else None
    if fault:
        at = ("sync", "to")
        raise DefinitionError(read(files[str(main)], file=str(main)).problem(at, fault))
    return playbook


def warnings_at(main: Path, people: Directory | None) -> list[str]:
    """What may not be meant in the playbook of a playbook.yaml; raises as `playbook_at`."""
    playbook = playbook_at(main, people)
    sources = [read(text, file=name) for name, text in _files(main).items()]
    return end_warnings(playbook, {str(source.data.get("id")): source for source in sources})


@lru_cache(maxsize=KEPT)
def _loaded(
    files: tuple[tuple[str, str], ...],
    roles: tuple[str, ...] | None,
    held: frozenset[str] | None,
    people: tuple[tuple[str, tuple[str, ...]], ...] | None,
) -> Playbook:
    return load(
        dict(files), roles=roles, held=held, people=dict(people) if people is not None else None
    )


def _unsigned(playbooks: Mapping[str, Playbook], settings: Settings) -> list[str]:
    """What cannot be sent because there is no secret to sign it with."""
    signed = settings.sync_secret is not None
    return [
        f"SIGNOFF_SYNC_SECRET: is needed, since playbook {name!r} sends changes to {sync.to}"
        for name, playbook in playbooks.items()
        if (sync := playbook.definition.sync) and fault_of(sync.to, signed=signed)
    ]


def talk_of(folder: Path, problems: Problems) -> Talk | None:
    """The examples of talk that lie beside the playbooks."""
    path = folder / TALK
    if not folder.is_dir():
        return None
    try:
        source = read(read_text(path), file=str(path))
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
            files[str(path)] = read_text(path)
        except OSError as error:
            problems.add(f"{path}:1: cannot be read: {error.strerror}")
        except UnicodeDecodeError:
            problems.add(f"{path}:1: is not UTF-8 text")
    problems.raise_if_any()
    return files


def _listed(people: Directory) -> dict[str, tuple[str, ...]] | None:
    """The roles of everybody; None where Slack groups have members that no file lists."""
    if any(role.slack_group for role in people.file.roles):
        return None
    return {person.id: person.roles for person in people.people}

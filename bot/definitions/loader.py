"""The files that define a service: people, playbooks, talk and documents, read and checked."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from adapters.filesystem import read_text
from bot.definitions.documents import load_documents, read_headings, read_templates
from bot.definitions.folder_projects import project_faults
from bot.definitions.playbook_files import (
    add_new,
    check_shared_skills,
    read_playbook_files,
    read_shared_skills,
)
from bot.people.directory import Directory, load_people
from bot.settings import Settings
from cards.model import Lang
from cards.texts import COMPLETE
from engine.errors import DefinitionError
from engine.playbooks.answer import ANSWERS_FILE
from engine.playbooks.legacy import NO_LEGACY, Legacy
from engine.playbooks.load import MAIN, load
from engine.playbooks.model import Playbook
from engine.playbooks.tool import TOOLS_FILE, ToolDefinition
from engine.ports.library import Document
from engine.ports.systems.sync import target_fault
from engine.text.language import only_language
from engine.toolbox.toolbox import Toolbox
from engine.tools.model import Tool
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.talk import Talk
from engine.yaml.source import Problems, Source, read_yaml, try_build

TALK_FILE = "talk.yaml"
DEFAULT_TALK = Path(__file__).parent / "default_talk.yaml"
LEGACY_FILE = "legacy.yaml"
READ_PATTERNS = (
    TALK_FILE,
    LEGACY_FILE,
    f"*/{MAIN}",
    f"*/{TOOLS_FILE}",
    f"*/{ANSWERS_FILE}",
    "*/skills/*.yaml",
    "*/documents/*.md",
    "*/documents/*.docx",
)
"""The files that are read of the playbooks folder; its sample data is not among them."""

SETTING_PREFIX = "SIGNOFF_PLAYBOOKS: "

MAX_CACHED = 512
"""So many unchanged playbooks are not parsed again when another one has changed."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """People, playbooks by id, examples of talk, documents, and what older playbooks name."""

    people: Directory
    playbooks: Mapping[str, Playbook]
    talk: Talk
    documents: tuple[Document, ...]
    toolbox: Toolbox
    legacy: Legacy = NO_LEGACY

    def route_table(self, tools: Sequence[Tool[Any]] | None = None) -> RouteTable:
        """What the router learns from them and from the tools, by default their own."""
        files = {name: playbook.definition for name, playbook in self.playbooks.items()}
        fields = {
            f"{name}/{request.id}": playbook.asked_leaves(request.id)
            for name, playbook in self.playbooks.items()
            for request in playbook.definition.requests
        }
        tools = self.tools if tools is None else tools
        return RouteTable(files, tools, self.talk, self.documents, fields)

    @property
    def tools(self) -> tuple[Tool[Any], ...]:
        """Every tool that only reads."""
        return self.toolbox.reading(self.playbooks.values())


def load_definitions(
    settings: Settings, toolbox: Toolbox, people: Directory | None = None
) -> Definitions:
    """The definitions in the files; raises DefinitionError with every problem.

    The `toolbox` has the connections that tools of playbooks may use. With `people`, their file is
    not read again.
    """
    problems = Problems()
    people = people or try_load_people(settings, problems)
    playbooks = try_load_playbooks(
        settings.playbooks,
        people,
        problems,
        prefix=SETTING_PREFIX,
        toolbox=toolbox,
        languages=settings.languages,
        skills=settings.skills,
    )
    documents = _try_load_documents(settings.playbooks, playbooks, problems)
    talk = try_load_talk(settings.playbooks, problems)
    legacy = try_load_legacy(settings.playbooks, problems)
    problems.extend(_signing_problems(playbooks, settings))
    problems.extend(project_faults(settings, playbooks))
    problems.raise_if_any()
    assert people is not None
    assert talk is not None
    return Definitions(people, playbooks, talk, documents, toolbox, legacy)


def _try_load_documents(
    folder: Path, playbooks: Mapping[str, Playbook], problems: Problems
) -> tuple[Document, ...]:
    projects = {name: playbook.definition.project for name, playbook in playbooks.items()}
    try:
        return load_documents(folder, projects)
    except DefinitionError as error:
        problems.extend(error.problems)
        return ()


def try_load_people(settings: Settings, problems: Problems) -> Directory | None:
    """The people of the settings' file; None, and what is wrong in `problems`, for a faulty one."""
    try:
        people = load_people(settings.people, settings.accounts)
        return replace(people, lang=only_language(settings.languages))
    except DefinitionError as error:
        problems.extend(error.problems)
        return None


def try_load_playbooks(
    folder: Path,
    people: Directory | None,
    problems: Problems,
    *,
    prefix: str,
    toolbox: Toolbox,
    languages: Sequence[Lang] = COMPLETE,
    skills: Path | None = None,
    progress: Callable[[list[Path]], Iterable[Path]] = iter,
) -> dict[str, Playbook]:
    """Every playbook below the folder, by id; without people, roles are not checked.

    `skills` is the folder of those that they share. `progress` iterates over their files, and may
    show how far it is. `prefix` stands before problems of the folder itself.
    """
    playbooks: dict[str, Playbook] = {}
    if not folder.is_dir():
        fault = "is not a folder" if folder.exists() else "there is no such folder"
        problems.add(f"{prefix}{folder}: {fault}")
        return playbooks
    mains = sorted(folder.glob(f"*/{MAIN}"))
    if not mains:
        problems.add(f"{prefix}{folder}: there is no */{MAIN} in it")
    for main in progress(mains):
        try:
            playbook = load_playbook(main, people, toolbox, languages, skills)
        except DefinitionError as error:
            add_new(error.problems, problems)
            continue
        if playbook.id in playbooks:
            problems.add(f"{main}:1: id: playbook {playbook.id!r} is defined twice")
        playbooks[playbook.id] = playbook
    check_shared_skills(skills, try_load_legacy(folder, Problems()), problems)
    return playbooks


def load_playbook(
    main: Path,
    people: Directory | None,
    toolbox: Toolbox,
    languages: Sequence[Lang] = COMPLETE,
    skills: Path | None = None,
) -> Playbook:
    """The playbook of a playbook.yaml; raises DefinitionError with every problem of it.

    `skills` is the folder of those that playbooks share.
    """
    files = read_playbook_files(main)
    # What cannot be read is told where the whole folder is loaded.
    shared = read_shared_skills(skills, Problems())
    roles_by_person = _roles_by_person(people) if people else None
    # Others than the file's own problems are told where the whole folder is loaded.
    legacy = try_load_legacy(main.parent.parent, Problems())
    playbook = _load_cached(
        _Files.of(files, main.parent),
        people.roles if people else None,
        people.held_roles if people else None,
        tuple(roles_by_person.items()) if roles_by_person is not None else None,
        _KeyedToolbox(toolbox.key, toolbox),
        legacy.model_copy(update={"tools": {}}).model_dump_json(),
        tuple(languages),
        _Files.of(shared, skills or main.parent),
        # Only answers name documents.
        read_headings(main.parent) if str(main.parent / ANSWERS_FILE) in files else (),
        read_templates(main.parent),
    )
    sync = playbook.definition.sync
    fault = target_fault(sync.to, signed=True) if sync else None
    if fault:
        at = ("sync", "to")
        raise DefinitionError(read_yaml(files[str(main)], file=str(main)).problem(at, fault))
    return playbook


@dataclass(frozen=True, slots=True)
class _Files:
    """Texts by name below a folder, equal wherever that stands; faults are told by whole paths."""

    texts: tuple[tuple[str, str], ...]
    folder: Path = field(compare=False)

    @classmethod
    def of(cls, files: Mapping[str, str], folder: Path) -> "_Files":
        named = ((str(Path(path).relative_to(folder)), text) for path, text in files.items())
        return cls(tuple(named), folder)

    @property
    def by_path(self) -> dict[str, str]:
        return {str(self.folder / name): text for name, text in self.texts}


@dataclass(frozen=True, slots=True)
class _KeyedToolbox:
    key: Hashable
    toolbox: Toolbox = field(compare=False)
    """Kept, so that its tools exist for as long as the key names them."""


@lru_cache(maxsize=MAX_CACHED)
def _load_cached(
    files: _Files,
    roles: tuple[str, ...] | None,
    held: frozenset[str] | None,
    people: tuple[tuple[str, tuple[str, ...]], ...] | None,
    keyed: _KeyedToolbox,
    legacy: str,
    languages: tuple[Lang, ...],
    shared: _Files,
    documents: tuple[tuple[str, tuple[str, ...] | None], ...],
    templates: tuple[tuple[str, str], ...],
) -> Playbook:
    toolbox = keyed.toolbox
    return load(
        files.by_path,
        roles=roles,
        held=held,
        people=dict(people) if people is not None else None,
        tools=toolbox.facts,
        connections=toolbox.connections if toolbox.are_known else None,
        legacy=Legacy.model_validate_json(legacy),
        languages=languages,
        shared=shared.by_path,
        documents=dict(documents),
        templates=dict(templates),
    )


def _signing_problems(playbooks: Mapping[str, Playbook], settings: Settings) -> list[str]:
    """A problem for each playbook that sends changes, while there is no secret to sign them."""
    signed = settings.sync_secret is not None
    return [
        f"SIGNOFF_SYNC_SECRET: is needed, since playbook {name!r} sends changes to {sync.to}"
        for name, playbook in playbooks.items()
        if (sync := playbook.definition.sync) and target_fault(sync.to, signed=signed)
    ]


def try_load_talk(folder: Path, problems: Problems) -> Talk | None:
    """The examples in talk.yaml; None, and what is wrong in `problems`, for a faulty file.

    A folder without one has those that come with the service.
    """
    path = folder / TALK_FILE
    if not folder.is_dir():
        return None
    try:
        path = path if path.exists() else DEFAULT_TALK
        return _load_talk_cached(read_text(path), str(path))
    except OSError as error:
        problems.add(f"{path}:1: cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        problems.add(f"{path}:1: is not UTF-8 text")
    except DefinitionError as error:
        problems.extend(error.problems)
    return None


def try_load_legacy(folder: Path, problems: Problems) -> Legacy:
    """What older playbooks name, by legacy.yaml; nothing without that file or for a faulty one."""
    path = folder / LEGACY_FILE
    try:
        source = read_yaml(read_text(path), file=str(path))
    except (FileNotFoundError, NotADirectoryError):
        return NO_LEGACY
    except OSError as error:
        problems.add(f"{path}:1: cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        problems.add(f"{path}:1: is not UTF-8 text")
    except DefinitionError as error:
        problems.extend(error.problems)
    else:
        return _build_legacy(source, folder, problems)
    return NO_LEGACY


def _build_legacy(source: Source, folder: Path, problems: Problems) -> Legacy:
    """The file as it is read; `tools` names playbooks, and their tools.yaml says which they are."""
    data = source.data if isinstance(source.data, dict) else {}
    rest = {name: each for name, each in data.items() if name != "tools"}
    legacy = try_build(Legacy, replace(source, data=rest), problems) if data else None
    found: dict[str, dict[str, ToolDefinition]] = {}
    for i, name in enumerate(data.get("tools") or ()):
        path = folder / str(name) / TOOLS_FILE
        try:
            found[str(name)] = _load_older_tools(read_text(path), str(path))
        except (OSError, UnicodeDecodeError):
            problems.add(source.problem(("tools", i), f"there is no {path}"))
        except DefinitionError:
            continue  # told where the playbook itself is loaded
    return (legacy or NO_LEGACY).model_copy(update={"tools": found})


@lru_cache(maxsize=MAX_CACHED)
def _load_older_tools(text: str, file: str) -> dict[str, ToolDefinition]:
    problems = Problems()
    source = read_yaml(text, file=file)
    built = {name: try_build(ToolDefinition, source, problems, at=(name,)) for name in source.data}
    return {name: each for name, each in built.items() if each is not None}


@lru_cache(maxsize=2)
def _load_talk_cached(text: str, file: str) -> Talk:
    problems = Problems()
    talk = try_build(Talk, read_yaml(text, file=file), problems)
    problems.raise_if_any()
    assert talk is not None
    return talk


def _roles_by_person(people: Directory) -> dict[str, tuple[str, ...]] | None:
    """The roles of everybody; None where Slack groups have members that no file lists."""
    if any(role.slack_group for role in people.file.roles):
        return None
    return {person.id: person.roles for person in people.people}

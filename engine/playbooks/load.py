"""Playbooks from texts: every file checked, every problem listed at once (spec 000 §2, §4)."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from cards.model import Lang
from engine.errors import DefinitionError
from engine.playbooks.answer import ANSWERS_FILE, FIND_ANSWERS, AnswerDefinition
from engine.playbooks.checks.answers import AnswerNames, Headings, read_answers
from engine.playbooks.checks.languages import check_languages
from engine.playbooks.checks.names import KnownNames, fields_of
from engine.playbooks.checks.phases import PhaseCheck
from engine.playbooks.checks.skills import SkillCheck, find_stuck_skills
from engine.playbooks.checks.tools import read_tools
from engine.playbooks.legacy import NO_LEGACY, Legacy
from engine.playbooks.model import Playbook, PlaybookFile
from engine.playbooks.nesting import flatten_groups
from engine.playbooks.skill_files import (
    SkillFile,
    clash_problems,
    read_skills,
    shared_skills_used,
)
from engine.playbooks.tool import TOOLS_FILE, ToolDefinition, ToolFacts
from engine.ports.systems.connections import Connection
from engine.yaml.source import Problems, Source, read_yaml, try_build

MAIN = "playbook.yaml"

_PLACE = re.compile(r"(.*?):(\d+): ")


def load(
    files: Mapping[str, str],
    *,
    roles: Collection[str] | None,
    held: Collection[str] | None,
    people: Mapping[str, Collection[str]] | None = None,
    tools: Mapping[str, ToolFacts] | None = None,
    connections: Mapping[str, Connection] | None = None,
    legacy: Legacy = NO_LEGACY,
    languages: Sequence[Lang] = (),
    shared: Mapping[str, str] = MappingProxyType({}),
    documents: Headings | None = None,
    templates: Mapping[str, str] | None = None,
) -> Playbook:
    """One playbook from its files (path to text). Raises DefinitionError with every problem.

    `roles` are the roles that people.yaml knows, `held` those that somebody holds; None when they
    are not known, so that they are not checked; `people` has the roles of each person, which says
    whether a quorum can be reached. `tools` are those of the service itself and `connections` those
    that the playbook's own tools may use, both None when they are not known. What files of earlier
    versions name is read by `legacy`. Texts by language have to be in each of the `languages`.
    `shared` are files of skills that playbooks share; the playbook gets those that it names.
    `documents` are those that answers may quote, `templates` the Word documents (base64) of the
    playbook's folder `documents`, None when they are not known. Problems stand in the order of
    files and lines.
    """
    around = _Surroundings(
        roles,
        held,
        people,
        tools,
        connections,
        legacy,
        tuple(languages),
        shared,
        documents,
        templates,
    )
    problems = Problems()
    parts = _read_parts(files, around, problems)
    _check(parts, _names_of(parts, around), around, files, problems)
    problems.sort(key=lambda problem: _place(problem, (*files, *shared)))
    problems.raise_if_any()
    return _sealed(_with_templates(parts.playbook, templates or {}))


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What a playbook is checked against, as `load` has it."""

    roles: Collection[str] | None
    held: Collection[str] | None
    people: Mapping[str, Collection[str]] | None
    tools: Mapping[str, ToolFacts] | None
    connections: Mapping[str, Connection] | None
    legacy: Legacy
    languages: tuple[Lang, ...]
    shared: Mapping[str, str]
    documents: Headings | None
    templates: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the files of a playbook hold as far as they could be read, each with where it stands."""

    main: Source | None
    definition: PlaybookFile | None
    tools_source: Source | None
    tools: dict[str, ToolDefinition]
    answers_source: Source | None
    answers: dict[str, AnswerDefinition]
    skills: dict[str, SkillFile]

    @property
    def with_texts(self) -> Iterator[tuple[Any, Source | None]]:
        """Everything that people read, with its file."""
        yield self.definition, self.main
        yield from ((found.skill, found.source) for found in self.skills.values())
        yield from ((self.tools, self.tools_source), (self.answers, self.answers_source))

    @property
    def playbook(self) -> Playbook:
        """The playbook of files without a fault."""
        assert self.definition is not None
        built = {key: found.skill for key, found in self.skills.items() if found.skill}
        return Playbook(
            definition=self.definition, skills=built, tools=self.tools, answers=self.answers
        )


def _read_parts(files: Mapping[str, str], around: _Surroundings, problems: Problems) -> _Parts:
    own_skills = {n: text for n, text in files.items() if not _is_no_skill(PurePosixPath(n))}
    others = {name: text for name, text in files.items() if _is_no_skill(PurePosixPath(name))}
    sources = {name: _read(name, text, problems) for name, text in others.items()}
    main = _take_main(sources, files, problems)
    source, said = _take(sources, TOOLS_FILE), _take(sources, ANSWERS_FILE)
    taken = (*(around.tools or ()), FIND_ANSWERS)
    tools = (
        read_tools(source, problems, taken=taken, connections=around.connections) if source else {}
    )
    names = AnswerNames(tools, around.documents, around.roles, around.languages)
    answers = read_answers(said, problems, names) if said else {}
    main = flatten_groups(main, problems) if main else None
    definition = try_build(PlaybookFile, main, problems) if main else None
    skills = _read_skills(own_skills, around.shared, definition, problems, around.legacy)
    return _Parts(main, definition, source, tools, said, answers, skills)


def _names_of(parts: _Parts, around: _Surroundings) -> KnownNames:
    tools, own = around.tools, {name: each.facts for name, each in parts.tools.items()}
    return KnownNames(
        _fields(parts.definition, parts.main),
        parts.definition,
        {key: found.skill for key, found in parts.skills.items()},
        around.roles,
        around.held,
        around.people,
        None if tools is None else {**tools, **own},
        around.templates,
    )


def _check(
    parts: _Parts,
    names: KnownNames,
    around: _Surroundings,
    files: Mapping[str, str],
    problems: Problems,
) -> None:
    """What no single file shows: names of other parts, languages, skills that never run."""
    if parts.main:
        _check_phases(names, parts.definition, parts.main, problems)
    for found in parts.skills.values():
        problems.extend(_skill_problems(found, names, own=found.file in files))
    for part, source in parts.with_texts:
        if part is not None and source is not None:
            check_languages(part, source, around.languages, problems)
    for skill, index, fault in find_stuck_skills(names.built_skills or ()):
        if stuck := parts.skills[skill].source:
            problems.add(stuck.problem(("requires", index), fault))


def _with_templates(playbook: Playbook, templates: Mapping[str, str]) -> Playbook:
    """The playbook with the templates that its documents name."""
    named = (skill.document.template for skill in playbook.skills.values() if skill.document)
    used = {name: templates[name] for name in sorted(set(named)) if name in templates}
    return playbook.model_copy(update={"templates": used})


def _sealed(playbook: Playbook) -> Playbook:
    """The playbook with the digest of all that it says."""
    digest = sha256(playbook.model_dump_json().encode()).hexdigest()
    return playbook.model_copy(update={"digest": digest})


def _take_main(
    sources: dict[str, Source | None], files: Mapping[str, str], problems: Problems
) -> Source | None:
    """The `playbook.yaml`, taken out of the sources; None where it is missing or no YAML."""
    name = next((name for name in sources if PurePosixPath(name).name == MAIN), None)
    if name is None:
        folder = PurePosixPath(next(iter(files), MAIN)).parent
        problems.add(f"{folder / MAIN}:1: is missing")
    return sources.pop(name) if name else None


def _check_phases(
    names: KnownNames, definition: PlaybookFile | None, main: Source, problems: Problems
) -> None:
    phases = PhaseCheck(names, main, problems)
    if definition:
        phases.run(definition)
    else:
        phases.run_parts()


def _is_no_skill(path: PurePosixPath) -> bool:
    return path.name in (MAIN, TOOLS_FILE, ANSWERS_FILE) and path.parent.name != "skills"


def _read_skills(
    own: Mapping[str, str],
    shared: Mapping[str, str],
    definition: PlaybookFile | None,
    problems: Problems,
    legacy: Legacy,
) -> dict[str, SkillFile]:
    """The playbook's own skills, and the shared ones that it uses."""
    # An id that two shared files have is told where the folder is read.
    skills, others = read_skills(own, problems, legacy), read_skills(shared, Problems(), legacy)
    problems.extend(clash_problems(skills, others))
    return skills | shared_skills_used(definition, skills, others)


def _skill_problems(found: SkillFile, names: KnownNames, *, own: bool) -> Sequence[str]:
    """Those of a skill's file, and what it names that the playbook does not have."""
    problems = Problems()
    if found.skill and found.source:
        SkillCheck(names, found.skill, found.source, problems).run()
    playbook = names.definition.id if names.definition else ""
    told = problems if own else [f"{each}; playbook {playbook} uses it" for each in problems]
    return [*found.problems, *told]


def _take(sources: dict[str, Source | None], file: str) -> Source | None:
    """The file of that name, which is taken out of the others."""
    name = next((each for each in sources if PurePosixPath(each).name == file), "")
    return sources.pop(name, None)


def _read(name: str, text: str, problems: Problems) -> Source | None:
    try:
        return read_yaml(text, file=name)
    except DefinitionError as error:
        problems.extend(error.problems)
        return None


def _fields(
    definition: PlaybookFile | None, main: Source | None
) -> Mapping[str, Collection[str] | None]:
    if definition is not None:
        return {
            "data_fields": tuple(definition.data_fields),
            "profile_fields": tuple(definition.profile_fields),
            "decision_fields": definition.decision_fields,
        }
    return fields_of(main)


def _place(problem: str, files: tuple[str, ...]) -> tuple[int, int]:
    found = _PLACE.match(problem)
    if found is None or found[1] not in files:
        return (-1, 0)
    return (files.index(found[1]), int(found[2]))

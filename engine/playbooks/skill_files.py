"""Skills from their files: a playbook's own, and those that all of a folder share (000 §2.2)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from engine.errors import DefinitionError
from engine.playbooks.legacy import Legacy
from engine.playbooks.model import Phase, PlaybookFile
from engine.playbooks.skill import Skill
from engine.yaml.source import Problems, Source, read_yaml, try_build


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A skill's file: without a skill when that has faults, without a source when it is no YAML.

    `problems` are those that it has in itself.
    """

    file: str
    source: Source | None
    skill: Skill | None
    problems: tuple[str, ...] = ()


def read_skill(file: str, text: str, legacy: Legacy) -> tuple[str, SkillFile]:
    """The skill's id, and its file; a faulty one still has its name."""
    problems = Problems()
    try:
        source = read_yaml(text, file=file)
    except DefinitionError as error:
        return PurePosixPath(file).stem, SkillFile(file, None, None, tuple(error.problems))
    source = replace(source, data=legacy.upgrade_skill(source.data))
    skill = try_build(Skill, source, problems)
    given = source.data.get("id") if isinstance(source.data, dict) else None
    # Where even the id is lost, the file's name is the best guess: others call it by that.
    name = given if isinstance(given, str) else PurePosixPath(file).stem
    return name, SkillFile(file, source, skill, tuple(problems))


def read_skills(
    files: Mapping[str, str], problems: Problems, legacy: Legacy
) -> dict[str, SkillFile]:
    """Every skill by id, as far as it stands; an id that stands twice is among the problems."""
    found: dict[str, SkillFile] = {}
    for file, text in files.items():
        name, read = read_skill(file, text, legacy)
        if read.source and name in found:
            problems.add(read.source.problem(("id",), f"skill {name!r} is defined twice"))
        found[name] = read
    return found


def shared_skills_used(
    definition: PlaybookFile | None, own: Mapping[str, SkillFile], shared: Mapping[str, SkillFile]
) -> dict[str, SkillFile]:
    """Those of the shared skills that a playbook names, and those that these name in turn.

    All of them where it is not known what the playbook names.
    """
    if definition is None:
        return dict(shared)
    used: dict[str, SkillFile] = {}
    left = [*_named_by_playbook(definition), *_named_by(own.values())]
    while left:
        name = left.pop()
        if name in shared and name not in used and name not in own:
            used[name] = shared[name]
            left += _named_by([shared[name]])
    return {name: shared[name] for name in shared if name in used}


def clash_problems(own: Mapping[str, SkillFile], shared: Mapping[str, SkillFile]) -> Iterator[str]:
    """One for each skill of the playbook that has the name of a shared one: a name is one skill."""
    for name, found in own.items():
        if name in shared and found.source:
            fault = f"skill {name!r} is shared in {shared[name].file}; give this one another name"
            yield found.source.problem(("id",), fault)


def _named_by_playbook(definition: PlaybookFile) -> Iterator[str]:
    parts: list[PlaybookFile | Phase] = [definition, *definition.phases]
    for part in parts:
        yield from part.allowed_skills
        yield from (rule.skill for rule in part.priority_rules)


def _named_by(files: Iterable[SkillFile]) -> Iterator[str]:
    """The skills that these name: whose plan is shown or rehearsed, and those of experts."""
    for skill in (found.skill for found in files if found.skill):
        if skill.plan:
            yield skill.plan.rehearses
        if skill.sop:
            yield from (node.shows for node in skill.sop.nodes.values())
        if skill.jobs:
            yield from (expert.skill for expert in skill.jobs.experts)

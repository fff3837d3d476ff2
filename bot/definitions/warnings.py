"""What is no fault of a playbook and may yet not be meant, told when it is checked."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath

from adapters.filesystem import read_text
from bot.definitions.loader import load_playbook
from bot.definitions.playbook_files import read_playbook_files, read_shared_skills
from bot.definitions.projects import unnamed_project
from bot.people.directory import Directory
from bot.settings import Settings
from cards.model import Lang
from engine.playbooks.checks.sop import end_warnings
from engine.playbooks.model import Playbook
from engine.playbooks.review import MANAGER_OF, ReviewPolicy
from engine.playbooks.skill import Skill
from engine.playbooks.tool import TOOLS_FILE, ConnectedCall, names_in
from engine.toolbox.toolbox import Toolbox
from engine.yaml.faults import Path
from engine.yaml.source import Problems, Source, read_yaml

MOST_NAMED = 5
_PARAMETER = re.compile(r":[A-Za-z_][\w.]*")


def playbook_warnings(
    main: FilePath,
    people: Directory | None,
    toolbox: Toolbox,
    languages: Sequence[Lang],
    skills: FilePath | None = None,
) -> list[str]:
    """What is no fault but may be unintended in a playbook.yaml; raises as `load_playbook`."""
    playbook = load_playbook(main, people, toolbox, languages, skills)
    files = read_shared_skills(skills, Problems()) | read_playbook_files(main)
    sources = [read_yaml(text, file=name) for name, text in files.items()]
    by_skill = {str(source.data.get("id")): source for source in sources}
    found = end_warnings(playbook, by_skill)
    if people:
        found += _manager_warnings(playbook, people, by_skill)
        found += _review_warnings(playbook, people, by_skill)
    return found


def folder_warnings(mains: Mapping[FilePath, Playbook], settings: Settings) -> Iterator[str]:
    """What may be unintended in playbooks beside one another; they are by their playbook.yaml."""
    if told := unnamed_project(settings, mains.values()):
        yield told
    first: dict[tuple[str, str], str] = {}
    for main, playbook in mains.items():
        path = main.with_name(TOOLS_FILE)
        source = read_yaml(read_text(path), file=str(path)) if playbook.tools else None
        yield from _refusal_warnings(playbook, source) if source else ()
        for name, tool in playbook.tools.items():
            if tool.writes or not tool.for_questions:
                continue
            before = first.setdefault((playbook.definition.project, name), playbook.id)
            if source and before != playbook.id:
                fault = f"playbook {before!r} has a tool of this name, and questions use that one"
                yield source.problem((name,), f"{fault}; rename one of them")


def _refusal_warnings(playbook: Playbook, source: Source) -> Iterator[str]:
    """One for each name in a refusal that is nearly an argument, and may be of what is found."""
    for name, tool in playbook.tools.items():
        for number, refusal in enumerate(tool.refused_when):
            known = tool.arguments.keys() | _sql_words(refusal.call)
            for unknown in sorted(names_in(refusal.text) - known):
                if near := difflib.get_close_matches(unknown, tool.arguments, n=1):
                    fault = (
                        f"names {unknown}, which is no argument; did you mean {near[0]!r}? "
                        "It is told as a dash unless what is found has it"
                    )
                    yield source.problem((name, "refused_when", number, "text"), fault)


def _sql_words(call: ConnectedCall) -> set[str]:
    """The words of the call's statement, among them the names of what it gives."""
    sql = call.call.get("sql")
    return set(re.findall(r"\w+", _PARAMETER.sub(" ", sql))) if isinstance(sql, str) else set()


def _manager_warnings(
    playbook: Playbook, people: Directory, sources: Mapping[str, Source]
) -> Iterator[str]:
    """One for each review by managers that not everybody who may ask has; `sources` by skill."""
    for skill in playbook.skills.values():
        for at, person in _persons(skill):
            chain = MANAGER_OF.fullmatch(person) if isinstance(person, str) else None
            lacking = _lacking(playbook, people, chain[1].count(".")) if chain else []
            if lacking and skill.id in sources:
                names = ", ".join(lacking[:MOST_NAMED]) + (", …" if lacking[MOST_NAMED:] else "")
                fault = (
                    f"nobody could approve what {names} asks for: no such manager in people.yaml"
                )
                yield sources[skill.id].problem(at, fault)


def _review_warnings(
    playbook: Playbook, people: Directory, sources: Mapping[str, Source]
) -> Iterator[str]:
    """One for each review whose edits nobody could approve, or that may be given to who asked."""
    reviews = [(s.id, at, each) for s in playbook.skills.values() for at, each in s.reviews.items()]
    for skill, at, review in reviews:
        if skill not in sources:
            continue
        if review.may_edit and (lone := _lone_reviewers(review, people)):
            fault = (
                f"is never offered: nobody but {lone} decides, and who changes a value may not "
                "approve it (four eyes)"
            )
            yield sources[skill].problem((*at, "may_edit"), fault)
        if not (review.four_eyes or review.is_requester or "hand_over" in review.model_fields_set):
            fault = (
                "lets whoever decides hand it over to who asked; say hand_over: false where that "
                "is not meant, else hand_over: true"
            )
            yield sources[skill].problem((*at, "four_eyes"), fault)


def _lone_reviewers(review: ReviewPolicy, people: Directory) -> str:
    """Those who decide where no more do than have to, with four eyes; "" where others may."""
    if not review.four_eyes or review.escalate or people.has_group(review.roles):
        return ""
    if review.person:
        return "one person"
    holders = people.holders(review.roles)
    return ", ".join(each.name for each in holders) if len(holders) <= review.quorum else ""


def _persons(skill: Skill) -> Iterator[tuple[Path, object]]:
    for at, review in skill.reviews.items():
        yield (*at, "person"), review.person
        yield from (
            ((*at, "also", number, "person"), part.person)
            for number, part in enumerate(review.also)
        )


def _lacking(playbook: Playbook, people: Directory, steps: int) -> list[str]:
    """Who may ask for something of the playbook, and has not so many managers above them."""
    lacking = []
    for person in people.everybody:
        if not any(person.holds_one_of(each.roles) for each in playbook.definition.requests):
            continue
        found = person
        for _ in range(steps):
            manager = people.manager_of(found)
            if manager is None:
                lacking.append(person.id)
                break
            found = manager
    return lacking

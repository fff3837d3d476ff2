"""people.yaml: persons with their accounts, roles with their Slack groups, read and checked."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field as Key
from pydantic import GetJsonSchemaHandler, create_model, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from adapters.filesystem import read_text
from cards.frozen import Frozen
from cards.model import Lang, Principal
from cards.texts import SpokenLang, languages, say
from engine.errors import DefinitionError
from engine.ports.accounts import AccountRules
from engine.text.language import LocalizedText
from engine.yaml.faults import Path as YamlPath
from engine.yaml.faults import suggestion
from engine.yaml.source import Problems, Source, read_yaml, try_build

_GROUP = re.compile(r"[TE][A-Z0-9]+:S[A-Z0-9]+")
_WORKSPACE = re.compile(r"[TE][A-Z0-9]{2,20}")
_EMAIL = re.compile(r"[^\s@]{1,64}@[^\s@]{1,190}")

Rules = Mapping[str, AccountRules]
Faults = Iterator[tuple[YamlPath, str]]


class Role(Frozen):
    """A role that reviews may name; members of `slack_group` ("TEAM:GROUP") hold it too."""

    id: str
    name: LocalizedText
    slack_group: str = ""

    @model_validator(mode="before")
    @classmethod
    def _take_names(cls, given: Any) -> Any:
        """A role whose names stand beside its id, a key for each language."""
        if not isinstance(given, dict) or "name" in given:
            return given
        names = {key: given[key] for key in given if key in languages()}
        rest = {key: each for key, each in given.items() if key not in names}
        return {**rest, "name": names} if names else given

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """As files write it: its names may stand beside its id."""
        found = handler.resolve_ref_schema(handler(schema))
        found["properties"] |= {lang: {"type": "string"} for lang in languages()}
        found["required"] = ["id"]
        found["anyOf"] = [{"required": [key]} for key in ("name", *languages())]
        return found


class Delegate(Frozen):
    """Who stands in for a person, up to and including the day `until`, or for good."""

    person: str
    until: date | None = None


class Person(Frozen):
    """One voter, on whatever platform: beside `web` there is a key for each, with their accounts.

    `id` is what the log and tools know them by. `roles` are those that they hold. `language` is for
    who always wants the same one, `zone` their time zone, an IANA name as in Europe/Berlin. The
    `delegate` votes in their place. `manager` is the id of the person who approves what they ask
    for, where a playbook says so. `email` is what an identity provider knows them by, where people
    sign in with one. `label` stands beside the name where visitors choose who they are.
    """

    id: str
    name: str
    web: str = ""
    email: str = ""
    roles: tuple[str, ...] = ()
    language: SpokenLang | None = None
    zone: str = ""
    delegate: Delegate | None = None
    manager: str = ""
    label: LocalizedText = Key(default=LocalizedText({"": ""}))

    def accounts_on(self, platform: str) -> tuple[str, ...]:
        """Their accounts on a platform, as the file writes them."""
        if platform == "web":
            return (self.web,) if self.web else ()
        listed: tuple[str, ...] = getattr(self, platform, ())
        return listed


class Admission(Frozen):
    """Who may ask and start besides the people in the file; nobody where it is empty.

    Everybody on `platforms`, every member of Slack `workspaces` who is no guest there, and holders
    of `roles`, which a Slack group gives. All others read `sentence`, in which {account} and {ask}
    are replaced; `ask` is whom they may ask.
    """

    platforms: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    ask: str = ""
    sentence: LocalizedText | None = None

    def includes(self, principal: Principal) -> bool:
        """Whether somebody who is not in the file is admitted by platform, workspace or role."""
        if not set(self.roles).isdisjoint(principal.roles):
            return True
        platform, _, rest = principal.id.partition(":")
        is_included = platform in self.platforms or (
            platform == "slack" and rest.partition(":")[0] in self.workspaces
        )
        return is_included and not principal.guest

    def refusal_text(self, account: str, lang: Lang) -> str:
        """What somebody reads who is not admitted."""
        ask = self.ask or say("stranger.ask", lang)
        if self.sentence is None:
            return say("stranger.told", lang, account=account, ask=ask)
        return self.sentence(lang).replace("{account}", account).replace("{ask}", ask)


class ProjectAccess(Frozen):
    """Who may see a project: holders of `roles`, the `people`, or `everybody` who may ask.

    A `project` that ends with * stands for all whose ids begin so.
    """

    project: Annotated[str, Key(pattern=r"^([A-Za-z0-9][A-Za-z0-9_-]{0,63})?\*?$", min_length=1)]
    roles: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    everybody: bool = False

    def lets(self, principal: Principal) -> bool:
        """Whether the person may see it, by the roles held now."""
        is_named = principal.id in self.people or not set(self.roles).isdisjoint(principal.roles)
        return self.everybody or is_named

    def fits(self, project: str) -> bool:
        """Whether it speaks of that project."""
        start, star = self.project.removesuffix("*"), self.project.endswith("*")
        return project.startswith(start) if star else project == start


NOBODY_SEES = ProjectAccess(project="*")
"""Of a project that no line speaks of."""


class PeopleFile(Frozen):
    """The content of people.yaml.

    Without `projects` whoever may ask may see every project; with them, only what a line says.
    """

    roles: tuple[Role, ...]
    people: tuple[Person, ...]
    admit: Admission = Admission()
    projects: Annotated[tuple[ProjectAccess, ...], Key(min_length=1)] | None = None

    def access_to(self, project: str) -> ProjectAccess | None:
        """Who may see the project, by the longest line that speaks of it; None for everybody."""
        if self.projects is None or not project:
            return None
        lines = (line for line in self.projects if line.fits(project))
        # The project itself stands above all that end with *.
        return max(lines, key=_exactness, default=NOBODY_SEES)


def _exactness(line: ProjectAccess) -> tuple[bool, int]:
    return not line.project.endswith("*"), len(line.project)


def people_model(rules: Rules) -> type[PeopleFile]:
    """The model of a file whose people have accounts on the platforms of these rules."""
    return _file_model(tuple(name for name in rules if rules[name].form))


@cache
def _file_model(platforms: tuple[str, ...]) -> type[PeopleFile]:
    """The model of a file whose people have a list of accounts for each of these platforms."""
    accounts: dict[str, Any] = dict.fromkeys(platforms, (tuple[str, ...], ()))
    person = create_model("Person", __base__=Person, **accounts)
    return create_model("PeopleFile", __base__=PeopleFile, people=(tuple[person, ...], ...))


def read_people(path: Path, rules: Rules) -> PeopleFile:
    """The content of a people.yaml; raises DefinitionError with every problem."""
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"SIGNOFF_PEOPLE: {path} cannot be read: {error}") from error
    return parse_people(text, str(path), rules)


def parse_people(text: str, file: str, rules: Rules) -> PeopleFile:
    """The content of such a text; raises DefinitionError with every problem."""
    source = read_yaml(text, file=file)
    problems = Problems()
    people = try_build(people_model(rules), source, problems)
    if people is not None:
        _check(people, rules, source, problems)
    problems.raise_if_any()
    assert people is not None
    return people


def _check(people: PeopleFile, rules: Rules, source: Source, problems: Problems) -> None:
    faults = [*_role_faults(people), *_person_faults(people), *_account_faults(people, rules)]
    faults += [*_delegate_faults(people), *_delegation_cycles(people), *_manager_faults(people)]
    faults += [*_admission_faults(people, rules), *_project_faults(people)]
    for at, message in faults:
        problems.add(source.problem(at, message))


def _role_faults(people: PeopleFile) -> Faults:
    """An id that stands twice, a group that does not look like one."""
    seen: set[str] = set()
    for index, role in enumerate(people.roles):
        if role.id in seen:
            yield ("roles", index, "id"), f"role {role.id!r} is listed twice"
        seen.add(role.id)
        if role.slack_group and not _GROUP.fullmatch(role.slack_group):
            at = ("roles", index, "slack_group")
            yield at, "is no Slack user group; write TEAM:GROUP as in T0EXAMPLE1:S0EXAMPLE1"


def _person_faults(people: PeopleFile) -> Faults:
    """An id or an e-mail address that stands twice, an unknown role or time zone."""
    known = {role.id for role in people.roles}
    ids: set[str] = set()
    addresses: dict[str, str] = {}
    for index, person in enumerate(people.people):
        at = ("people", index)
        if person.id in ids:
            yield (*at, "id"), f"person {person.id!r} is listed twice"
        ids.add(person.id)
        for position, role in enumerate(person.roles):
            if role not in known:
                hint = _hint(role, known)
                yield (*at, "roles", position), f"there is no role {role!r} in this file{hint}"
        if person.zone and not _is_zone(person.zone):
            yield (*at, "zone"), "is no time zone; write an IANA name as in Europe/Berlin"
        address = person.email.casefold()
        if person.email and not _EMAIL.fullmatch(person.email):
            yield (*at, "email"), "is no e-mail address; write ana@example.org"
        elif address in addresses:
            yield (*at, "email"), f"{person.email} belongs to {addresses[address]!r} already"
        elif address:
            addresses[address] = person.id


def _account_faults(people: PeopleFile, rules: Rules) -> Faults:
    """An account of two people, or one that does not look like one of its platform."""
    owners: dict[str, str] = {}
    for index, person in enumerate(people.people):
        at = ("people", index)
        for account in account_ids(person, rules):
            if account in owners:
                yield at, f"{account} belongs to {owners[account]!r} already"
            owners[account] = person.id
        for name, rule in rules.items():
            for position, written in enumerate(person.accounts_on(name) if rule.form else ()):
                if fault := rule.fault(written):
                    yield (*at, name, position), fault


def account_ids(person: Person, rules: Rules) -> tuple[str, ...]:
    """`platform:...` of every account, as actors are looked up."""
    return tuple(
        rule.account_id(each) for name, rule in rules.items() for each in person.accounts_on(name)
    )


def _delegate_faults(people: PeopleFile) -> Faults:
    """A delegate who is nobody in this file, or the person themselves."""
    known = {person.id for person in people.people}
    for index, person in enumerate(people.people):
        at = ("people", index, "delegate", "person")
        other = person.delegate.person if person.delegate else person.id
        if person.delegate and other == person.id:
            yield at, "nobody can delegate to themselves"
        elif other not in known:
            yield at, f"there is no person {other!r} in this file{_hint(other, known)}"


def _manager_faults(people: PeopleFile) -> Faults:
    """A manager who is nobody in this file, or the person themselves."""
    known = {person.id for person in people.people}
    for index, person in enumerate(people.people):
        at = ("people", index, "manager")
        if person.manager == person.id:
            yield at, "nobody is their own manager"
        elif person.manager and person.manager not in known:
            hint = _hint(person.manager, known)
            yield at, f"there is no person {person.manager!r} in this file{hint}"


def _delegation_cycles(people: PeopleFile) -> Faults:
    """Delegation in a cycle; each cycle is reported once, at its first person."""
    delegates = {p.id: p.delegate.person for p in people.people if p.delegate}
    reported: set[str] = set()
    for index, person in enumerate(people.people):
        chain = [person.id]
        while chain[-1] in delegates and delegates[chain[-1]] not in chain:
            chain.append(delegates[chain[-1]])
        is_cycle = len(chain) > 1 and delegates.get(chain[-1]) == person.id
        if is_cycle and not reported.intersection(chain):
            reported.update(chain)
            circle = " -> ".join((*chain, person.id))
            yield ("people", index, "delegate", "person"), f"delegates in a circle: {circle}"


def _admission_faults(people: PeopleFile, rules: Rules) -> Faults:
    """Unknown platforms, workspaces and roles, and roles that nobody holds without being listed."""
    admit, known = people.admit, {role.id for role in people.roles}
    by_group = {role.id for role in people.roles if role.slack_group}
    for index, name in enumerate(admit.platforms):
        if name not in rules:
            hint = _hint(name, set(rules))
            yield ("admit", "platforms", index), f"there is no platform {name!r}{hint}"
    for index, name in enumerate(admit.workspaces):
        if not _WORKSPACE.fullmatch(name):
            yield ("admit", "workspaces", index), "is no Slack workspace; write T0EXAMPLE1"
    for index, name in enumerate(admit.roles):
        at = ("admit", "roles", index)
        if name not in known:
            yield at, f"there is no role {name!r} in this file{_hint(name, known)}"
        elif name not in by_group:
            yield at, f"role {name!r} has no slack_group, so only people in this file hold it"


def _project_faults(people: PeopleFile) -> Faults:
    """A project of two lines, unknown roles and people, and a line that names nobody."""
    known = {role.id for role in people.roles}
    persons = {person.id for person in people.people}
    seen: set[str] = set()
    for index, line in enumerate(people.projects or ()):
        at = ("projects", index)
        if line.project in seen:
            yield (*at, "project"), f"project {line.project!r} is listed twice"
        seen.add(line.project)
        if not (line.roles or line.people or line.everybody):
            yield at, "lets nobody see it; name roles or people, or write `everybody: true`"
        for position, role in enumerate(line.roles):
            if role not in known:
                fault = f"there is no role {role!r} in this file{_hint(role, known)}"
                yield (*at, "roles", position), fault
        for position, name in enumerate(line.people):
            if name not in persons:
                fault = f"there is no person {name!r} in this file{_hint(name, persons)}"
                yield (*at, "people", position), fault


def _hint(word: str, known: set[str]) -> str:
    hint = suggestion(word, known)
    return f"; {hint}" if hint else ""


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError, ValueError):
        return False
    return True

"""Who is who: people.yaml as a directory of principals, roles and places (design §7)."""

from collections.abc import Collection, Sequence
from datetime import date
from pathlib import Path

from pydantic import Field as Key

from cards.frozen import Frozen
from cards.model import Lang, Principal, Review
from engine.commands import ADMIN
from engine.errors import DefinitionError
from engine.events import Actor
from engine.faults import suggestion
from engine.language import Bilingual, detect
from engine.source import Problems, Source, read, try_build

WEB_ROOM = "web:local:main"


class Role(Frozen):
    """A role that reviews may name."""

    id: str
    zh: str
    en: str


class Delegate(Frozen):
    """Who may vote in a person's place, through the day `until` (None: for good)."""

    to: str
    until: date | None = None


class Person(Frozen):
    """One voter, with every account of theirs."""

    id: str
    name: str
    web: str = ""
    slack: tuple[str, ...] = ()
    telegram: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    language: Lang | None = None
    delegate: Delegate | None = None
    label: Bilingual = Key(default=Bilingual(zh="", en=""))

    def accounts(self) -> tuple[str, ...]:
        """`platform:...` of every account, as actors are looked up."""
        web = (f"web:local:{self.web}",) if self.web else ()
        slack = (f"slack:{account}" for account in self.slack)
        return (*web, *slack, *(f"telegram:{user}" for user in self.telegram))


class PeopleFile(Frozen):
    """What people.yaml says."""

    roles: tuple[Role, ...]
    people: tuple[Person, ...]


class Directory:
    """The people of one file; `platforms` are the connected platforms, with Telegram's bot id."""

    def __init__(self, people: PeopleFile, platforms: Collection[str] = ()) -> None:
        self.people = people.people
        self._roles = {role.id: role for role in people.roles}
        self._accounts = {a: person for person in people.people for a in person.accounts()}
        self._platforms = platforms

    @property
    def roles(self) -> tuple[str, ...]:
        """Every role there is."""
        return tuple(self._roles)

    @property
    def held(self) -> frozenset[str]:
        """Every role that somebody holds."""
        return frozenset(role for person in self.people for role in person.roles)

    def connected(self, platforms: Collection[str]) -> "Directory":
        """The same people, reached on these platforms only."""
        return Directory(
            PeopleFile(roles=tuple(self._roles.values()), people=self.people), platforms
        )

    def principal(self, actor: Actor) -> Principal:
        """The person behind an account; a stranger is somebody of their own, without roles."""
        account = f"{actor.platform}:{actor.workspace}:{actor.user}"
        if actor.platform == "telegram":
            account = f"telegram:{actor.user}"
        person = self._accounts.get(account)
        if person is None:
            return Principal(id=account, name=actor.name or actor.user)
        return _principal(person)

    def holders(self, roles: Sequence[str]) -> Sequence[Principal]:
        """Everybody who holds one of the roles."""
        return [_principal(person) for person in self.people if set(roles) & set(person.roles)]

    def homes(self, review: Review) -> Sequence[str]:
        """Where those who may decide are reached, on connected platforms."""
        deciders = [
            person
            for person in self.people
            if set(review.roles) & set(person.roles) or person.id in review.persons
        ]
        return list(dict.fromkeys(home for person in deciders for home in self._homes(person)))

    def reached(self, persons: Sequence[str], today: date) -> Sequence[str]:
        """Where these persons and their delegates of today are reached, on connected platforms."""
        wanted = {*persons, *(self._delegate(each, today) for each in persons)}
        found = [person for person in self.people if person.id in wanted]
        return list(dict.fromkeys(home for person in found for home in self._homes(person)))

    def delegators(self, person: str, today: date) -> set[str]:
        """For whom the person is the standing delegate today (ids)."""
        return {each.id for each in self.people if self._delegate(each.id, today) == person}

    @property
    def everybody(self) -> Sequence[Principal]:
        """All the people there are."""
        return [_principal(person) for person in self.people]

    def _delegate(self, person: str, today: date) -> str:
        """The delegate of a person today, "" for none."""
        found = next((each.delegate for each in self.people if each.id == person), None)
        if found is None or (found.until is not None and today > found.until):
            return ""
        return found.to

    def admins(self) -> Sequence[tuple[str, Lang]]:
        """Where everybody with the role admin is reached, and the language they read."""
        found: dict[str, Lang] = {}
        for person in self.people:
            for home in self._homes(person) if ADMIN in person.roles else ():
                found.setdefault(home, person.language or detect(person.name))
        return list(found.items())

    def _homes(self, person: Person) -> list[str]:
        homes = []
        if person.web and "web" in self._platforms:
            homes.append(WEB_ROOM)
        if "slack" in self._platforms:
            homes += [f"slack:{account}" for account in person.slack]
        bot = next((p for p in self._platforms if p.startswith("telegram:")), None)
        if bot:
            # A private chat has the id of its person.
            homes += [f"{bot}:{user}" for user in person.telegram]
        return homes

    def role_name(self, role: str, lang: str) -> str:
        """The role as people call it."""
        found = self._roles.get(role)
        if found is None:
            return role
        return found.zh if lang == "zh" else found.en


def _principal(person: Person) -> Principal:
    return Principal(id=person.id, name=person.name, roles=person.roles)


def load_people(path: Path) -> Directory:
    """The directory of a people.yaml; raises DefinitionError with every problem."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(f"SIGNOFF_PEOPLE: {path} cannot be read: {error}") from error
    source = read(text, file=str(path))
    problems = Problems()
    people = try_build(PeopleFile, source, problems)
    if people is not None:
        _check(people, source, problems)
    problems.raise_if_any()
    assert people is not None
    return Directory(people)


def _check(people: PeopleFile, source: Source, problems: Problems) -> None:
    """One account is one person's, one id one person; every role is known."""
    roles = {role.id for role in people.roles}
    ids: set[str] = set()
    accounts: dict[str, str] = {}
    for index, person in enumerate(people.people):
        at = ("people", index)
        if person.id in ids:
            problems.add(source.problem((*at, "id"), f"person {person.id!r} is listed twice"))
        ids.add(person.id)
        for account in person.accounts():
            if account in accounts:
                message = f"{account} belongs to {accounts[account]!r} already"
                problems.add(source.problem(at, message))
            accounts[account] = person.id
        if person.delegate and (fault := _no_delegate(person, person.delegate.to, people)):
            problems.add(source.problem((*at, "delegate", "to"), fault))
        for position, role in enumerate(person.roles):
            if role not in roles:
                message = f"there is no role {role!r} in this file"
                problems.add(source.problem((*at, "roles", position), message))


def _no_delegate(person: Person, to: str, people: PeopleFile) -> str:
    """Why nobody of that id can stand in for the person, "" when somebody can."""
    if to == person.id:
        return "should be somebody else"
    known = [each.id for each in people.people]
    return "" if to in known else f"there is no person {to!r}; {suggestion(to, known)}"

"""Who is who: the person behind an account, the roles that they hold, and for whom they vote."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Self, cast

from bot.people.file import PeopleFile, Person, ProjectAccess, account_ids
from bot.people.workspaces import is_outside, outsider, workspace_of
from cards.deciding.lapsed import drop_lapsed_votes
from cards.model import Card, Lang, Principal, Review
from cards.moments import READERS_OWN
from engine.events import Actor
from engine.ports.accounts import AccountRules
from engine.text.entities import fold

GroupMembers = Callable[[str], frozenset[str]]
"""The Slack accounts ("TEAM:USER") in a Slack group, as far as they are known now."""


class PeopleSource:
    """What people.yaml says, as this process read it last; copies of a directory share it."""

    def __init__(self, file: PeopleFile) -> None:
        self.file = file


@dataclass(frozen=True, slots=True)
class _Index:
    """What one file says, by what it is looked for."""

    file: PeopleFile
    visible: tuple[Person, ...]
    owners: dict[str, Person]
    by_id: dict[str, Person]
    scopes: dict[tuple[str, ProjectAccess | None], "Roster"]


@dataclass(frozen=True)
class Roster:
    """The people of one file; `rules` are those of each platform's accounts, by its name.

    All of this is as the `source` says now, for the file is read again while a service runs.
    Members of a role's Slack group hold the role, whether or not they are in the file. With
    `isolated`, Slack's workspaces know nothing of each other: in the scope of one (`workspace`)
    only its people, groups and accounts are visible (bot/people/workspaces.py). In the scope of a
    project (`access`) only those are who may see it; `project_of` tells that of a conversation. Who
    names no language reads the `lang`, without one that in which they write.
    """

    source: PeopleSource
    rules: Mapping[str, AccountRules]
    members: GroupMembers = lambda group: frozenset()
    isolated: bool = False
    workspace: str = ""
    lang: Lang | None = None
    access: ProjectAccess | None = None
    project_of: Callable[[str], str] = lambda conversation: ""

    @property
    def file(self) -> PeopleFile:
        """What the file says now."""
        return self.source.file

    def scope_to(self, conversation: str, project: str | None = None) -> Self:
        """The same, with only those visible who may have to do with that conversation.

        They may see its project, or the one that is given; "" for any.
        """
        workspace = workspace_of(conversation) if self.isolated else ""
        project = self.project_of(conversation) if project is None else project
        access = self.file.access_to(project)
        if (workspace, access) == (self.workspace, self.access):
            return self
        key, scopes = (workspace, access), self._index.scopes
        if key not in scopes:
            scopes[key] = replace(self, workspace=workspace, access=access)
        return cast(Self, scopes[key])

    def scope_of(self, card: Card) -> Self:
        """The same, with only those visible who may have to do with that card.

        Cards of runs of earlier versions are of their conversation's project.
        """
        return self.scope_to(card.conversation, card.project or (None if card.run else ""))

    def is_open(self, project: str) -> bool:
        """Whether nobody who may ask is kept from the project."""
        access = self.file.access_to(project)
        return access is None or access.everybody

    def may_see(self, principal: Principal, project: str) -> bool:
        """Whether the person may see what is the project's, by the roles held now."""
        access = self.file.access_to(project)
        return access is None or access.lets(principal)

    @property
    def people(self) -> tuple[Person, ...]:
        """Everybody in the file, also those of other workspaces."""
        return self.file.people

    @property
    def everybody(self) -> Sequence[Principal]:
        """All the people who are visible here."""
        return [*filter(self._sees, map(self.principal_of, self.visible))]

    @property
    def roles(self) -> tuple[str, ...]:
        """The id of every role."""
        return tuple(role.id for role in self.file.roles)

    @property
    def groups(self) -> tuple[str, ...]:
        """Every Slack group that a role names."""
        return tuple(
            dict.fromkeys(role.slack_group for role in self.file.roles if role.slack_group)
        )

    @property
    def held_roles(self) -> frozenset[str]:
        """Every role that somebody holds, or may hold through a Slack group."""
        listed = (role for person in self.people for role in person.roles)
        return frozenset((*listed, *(role.id for role in self.file.roles if role.slack_group)))

    def role_name(self, role: str, lang: str) -> str:
        """The role as people call it."""
        found = next((each for each in self.file.roles if each.id == role), None)
        if found is None:
            return role
        return found.name(lang)

    def rules_of(self, place: str) -> AccountRules:
        """The rules of the platform of a conversation, or of that name."""
        platform = place.partition(":")[0]
        return self.rules.get(platform) or AccountRules(platform)

    def accounts_of(self, person: Person) -> tuple[str, ...]:
        """`platform:...` of each of the person's accounts."""
        return account_ids(person, self.rules)

    def person(self, person_id: str) -> Principal | None:
        """The person of that id in the file, with the roles held now."""
        found = self._by_id.get(person_id)
        person = self.principal_of(found) if found else None
        return person if person and self._sees(person) else None

    def principal_of(self, person: Person) -> Principal:
        """A person of the file, with the roles held now."""
        accounts = self.accounts_of(person)
        return Principal(
            id=person.id,
            name=person.name,
            roles=tuple(dict.fromkeys((*person.roles, *self._group_roles(accounts)))),
            lang=person.language or self.lang,
            zone=person.zone,
            accounts=accounts,
        )

    def principal(self, actor: Actor) -> Principal:
        """The person behind an account; a stranger is somebody of their own.

        A stranger's only roles are those of Slack groups. Where readers have clocks of their own,
        these go before the zone of `people.yaml`.
        """
        rules = self.rules_of(actor.platform)
        account = rules.actor_id(actor)
        scope = self.scope_to(account, "")
        owner = scope.owners.get(account)
        if owner is None:
            stranger = scope._stranger(account, actor.name or actor.user)
            return stranger.model_copy(update={"zone": rules.zone, "guest": actor.guest})
        person = scope.principal_of(owner)
        person = person.model_copy(update={"zone": rules.zone or person.zone})
        return person.model_copy(update={"at": account}) if scope.workspace else person

    def refresh(self, principal: Principal) -> Principal:
        """The person with the roles held now, as whoever is behind their account now.

        An outsider without roles if they act from another workspace, or may not see the project.
        """
        person = self._refresh(principal)
        return person if self._sees(person) else outsider(person)

    def _sees(self, principal: Principal) -> bool:
        return self.access is None or self.access.lets(principal)

    def _refresh(self, principal: Principal) -> Principal:
        if self.workspace and is_outside(principal, self.workspace, self._by_id):
            return outsider(principal)
        owner = next((p for name in principal.ids if (p := self.owners.get(name))), None)
        person = self._by_id.get(principal.id, owner)
        if person is None:
            return principal.model_copy(update={"roles": self._group_roles(principal.ids)})
        today = self.principal_of(person)
        accounts = tuple(dict.fromkeys((*today.accounts, *principal.accounts)))
        zone = principal.zone if principal.zone == READERS_OWN else today.zone
        return today.model_copy(update={"accounts": accounts, "at": principal.at, "zone": zone})

    def is_listed(self, principal: Principal) -> bool:
        """Whether the file has the person, by id or by an account."""
        return principal.id in self._by_id or any(name in self.owners for name in principal.ids)

    def has_group(self, roles: Sequence[str]) -> bool:
        """Whether members of a Slack group hold one of the roles too."""
        return any(role.slack_group for role in self.file.roles if role.id in roles)

    def holders(self, roles: Sequence[str]) -> Sequence[Principal]:
        """Everybody who holds one of the roles."""
        listed = [each for each in self.everybody if set(roles) & set(each.roles)]
        return [*listed, *self.unlisted_holders(roles)]

    def deciders(self, review: Review) -> Sequence[Principal]:
        """Everybody who may decide by a policy now: holders of its roles, and whom it names."""
        holders = self.holders(review.roles)
        if not review.by_policy:
            return holders
        found = {each.id for each in holders}
        named = (self.person(each) for each in review.persons if each not in found)
        return [*holders, *filter(None, named)]

    def find_listed(self, handle: str) -> Principal | None:
        """The person of this id or account; None where that is nobody, or several.

        An account may be written as in the file, or with its platform in front.
        """
        found = self._by_id.get(handle) or self.owners.get(handle)
        if found is None:
            wanted = fold(handle)
            able = [each for each in self.visible if wanted in map(fold, self._handles(each))]
            found = able[0] if len(able) == 1 else None
        person = self.principal_of(found) if found else None
        return person if person and self._sees(person) else None

    def manager_of(self, principal: Principal) -> Principal | None:
        """The person's manager; None where they have none, or one who is not visible here."""
        names = (principal.id, *principal.accounts)
        person = next((p for n in names if (p := self._by_id.get(n) or self.owners.get(n))), None)
        return self.person(person.manager) if person else None

    def _handles(self, person: Person) -> Iterator[str]:
        yield person.id
        yield from self.accounts_of(person)
        for name in self.rules:
            yield from person.accounts_on(name)

    def unlisted_holders(self, roles: Sequence[str]) -> Iterator[Principal]:
        """Members of the roles' Slack groups who are not in the file."""
        groups = (role.slack_group for role in self.file.roles if role.id in roles)
        members = {member for group in groups if group for member in self.members(group)}
        for member in sorted(each for each in members if each.startswith(self.slack_prefix)):
            account = f"slack:{member}"
            stranger = self._stranger(account, member.partition(":")[2])
            if account not in self.owners and self._sees(stranger):
                yield stranger

    def as_voter(self, principal: Principal, card: Card | None, today: date) -> Principal:
        """The person with those whose seat they may take, on this card or on any, as these are now.

        Those for whom they are the delegate today, and those who handed this card to them.
        A delegate's own delegate stands in for nobody but the delegate.
        """
        if card is not None and (scope := self.scope_of(card)) is not self:
            return scope.as_voter(principal, card, today)
        principal = self.refresh(principal)
        hand_overs = card.handed if card else ()
        handed = {each.by for each in hand_overs if each.to in principal.ids}
        delegators = [p for p in self.visible if _delegate_of(p, today) == principal.id]
        givers = handed | {person.id for person in delegators}
        if not givers:
            return principal
        seats = self.deciders(card.review) if card else map(self.principal_of, delegators)
        able = filter(self._sees, seats)
        stands_for = tuple(each for each in able if not each.ids.isdisjoint(givers))
        return principal.model_copy(update={"stands_for": stands_for})

    def delegate_of(self, person_id: str, today: date) -> str:
        """The id of a person's delegate today, "" for none."""
        person = next((each for each in self.visible if each.id == person_id), None)
        return _delegate_of(person, today) if person else ""

    def with_valid_votes(self, card: Card, now: datetime) -> Card:
        """The card with those votes alone that count by the roles held now."""
        if not card.votes:
            return card
        holders = self.scope_of(card).deciders(card.review)
        people = [self.principal_of(person) for person in self.people]
        return drop_lapsed_votes(card, holders=holders, people=people, now=now)

    @property
    def visible(self) -> tuple[Person, ...]:
        """The people of the file who have an account in the workspace; without one, all."""
        return self._index.visible

    @property
    def owners(self) -> dict[str, Person]:
        """The people who are visible here, by each of their accounts."""
        return self._index.owners

    @property
    def _by_id(self) -> dict[str, Person]:
        return self._index.by_id

    @property
    def _index(self) -> _Index:
        """That of the file as it is now, made once for each."""
        if not self._indexes or self._indexes[-1].file is not self.file:
            self._indexes[:] = [self._make_index(self.file)]
        return self._indexes[-1]

    @cached_property
    def _indexes(self) -> list[_Index]:
        return []

    def _make_index(self, file: PeopleFile) -> _Index:
        visible = tuple(p for p in file.people if not self.workspace or self.slack_accounts(p))
        owners = {account: person for person in visible for account in self.accounts_of(person)}
        return _Index(file, visible, owners, {person.id: person for person in visible}, {})

    @property
    def slack_prefix(self) -> str:
        """What visible Slack accounts and groups begin with."""
        return f"{self.workspace}:" if self.workspace else ""

    def slack_accounts(self, person: Person) -> list[str]:
        """The person's visible Slack accounts, as the file writes them."""
        return [each for each in person.accounts_on("slack") if each.startswith(self.slack_prefix)]

    def _stranger(self, account: str, name: str) -> Principal:
        roles = self._group_roles((account,))
        return Principal(id=account, name=name, roles=roles, lang=self.lang, accounts=(account,))

    def _group_roles(self, accounts: Iterable[str]) -> tuple[str, ...]:
        """The roles that these accounts hold through Slack groups."""
        prefix = f"slack:{self.slack_prefix}"
        slack = {each.removeprefix("slack:") for each in accounts if each.startswith(prefix)}
        return tuple(
            role.id
            for role in self.file.roles
            if role.slack_group
            and role.slack_group.startswith(self.slack_prefix)
            and slack & self.members(role.slack_group)
        )


def _delegate_of(person: Person, today: date) -> str:
    """The id of the person's delegate today, "" for none."""
    delegate = person.delegate
    if delegate is None or (delegate.until is not None and today > delegate.until):
        return ""
    return delegate.person

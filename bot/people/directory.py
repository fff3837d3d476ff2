"""Who is who: people.yaml as a directory of principals, roles and places (design §7)."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from pathlib import Path

from bot.people.file import PeopleFile, Person, account_ids, read_people
from bot.people.workspaces import is_outside, outsider, workspace_of
from cards.deciding.lapsed import counted
from cards.model import ADMIN, Card, Lang, Principal, Review
from engine.events import Actor
from engine.ports.accounts import AccountRules
from engine.talk.pending import Voter
from engine.text.language import detect

SHUT_OUT = (
    "nobody may ask there: people.yaml has no account of this platform; list people's accounts, or"
    " say under `admit` who else may ask"
)

MOST_MEMBERS = 50
"""So many members of Slack groups who are not in people.yaml are told of a review themselves."""

Members = Callable[[str], frozenset[str]]
"""The Slack accounts ("TEAM:USER") in a Slack group, as far as they are known now."""


Admitted = Callable[[str], bool]
"""Whether an account that is not in the file was let in by an admin, as far as is known now."""


def nobody_admitted(account: str) -> bool:
    """Nobody, while nothing is kept of it."""
    return False


def nobody(group: str) -> frozenset[str]:
    """The members of any group while none is resolved."""
    return frozenset()


@dataclass(frozen=True)
class Directory:
    """The people of one file; `rules` are those of each platform's accounts, by its name.

    `platforms` are what people's direct chats begin with on the connected ones.

    Whoever is in a role's Slack group holds the role, also who is not in the file. With `apart`,
    Slack's workspaces know nothing of each other; behind a `wall` there are only its workspace's
    people, groups and accounts (bot/people/workspaces.py).
    """

    file: PeopleFile
    rules: Mapping[str, AccountRules]
    platforms: Collection[str] = ()
    members: Members = nobody
    apart: bool = False
    wall: str = ""
    admitted: Admitted = nobody_admitted

    @property
    def people(self) -> tuple[Person, ...]:
        """Everybody in the file."""
        return self.file.people

    @property
    def roles(self) -> tuple[str, ...]:
        """Every role there is."""
        return tuple(role.id for role in self.file.roles)

    @property
    def groups(self) -> tuple[str, ...]:
        """Every Slack group that a role names."""
        return tuple(
            dict.fromkeys(role.slack_group for role in self.file.roles if role.slack_group)
        )

    @property
    def held(self) -> frozenset[str]:
        """Every role that somebody holds, or may hold through a Slack group."""
        listed = (role for person in self.people for role in person.roles)
        return frozenset((*listed, *(role.id for role in self.file.roles if role.slack_group)))

    def connected(self, platforms: Collection[str]) -> "Directory":
        """The same people, reached on these platforms only."""
        return replace(self, platforms=platforms)

    def kept_apart(self, apart: bool) -> "Directory":
        """The same people, with Slack's workspaces apart or not."""
        return replace(self, apart=apart)

    def about(self, conversation: str) -> "Directory":
        """Those of the people who may have to do with what belongs to that conversation."""
        wall = workspace_of(conversation) if self.apart else ""
        if wall == self.wall:
            return self
        if wall not in self._walled:
            self._walled[wall] = replace(self, wall=wall)
        return self._walled[wall]

    def known(self, principal: Principal) -> Principal:
        """The person as they are today: who is behind their account now, with the roles held here.

        A stranger of no roles where they come from beyond the wall.
        """
        if self.wall and is_outside(principal, self.wall, self._by_id):
            return outsider(principal)
        owner = next((p for name in principal.ids if (p := self._owners.get(name))), None)
        found = self._by_id.get(principal.id, owner)
        if found is not None:
            today = self._principal(found)
            kept = {"accounts": _together(today.accounts, principal.accounts), "at": principal.at}
            return today.model_copy(update=kept)
        return principal.model_copy(update={"roles": self._by_group(tuple(principal.ids))})

    def admitting(self, admitted: Admitted) -> "Directory":
        """The same people, and who was let in besides."""
        return replace(self, admitted=admitted)

    def admits(self, principal: Principal) -> bool:
        """Whether the person may ask and start: in the file, or admitted by it or by an admin."""
        if principal.id in self._by_id or any(name in self._owners for name in principal.ids):
            return True
        return self.file.admit.admits(principal) or self.admitted(principal.id)

    def shut_out(self, platforms: Collection[str]) -> tuple[str, ...]:
        """Those of these platforms on which nobody at all may ask."""
        admit = self.file.admit
        listed = {name for name in self.rules for person in self.people if person.on(name)}
        reached = {*admit.platforms, *listed}
        if admit.workspaces or admit.roles:
            reached.add("slack")
        return tuple(name for name in platforms if name not in reached)

    def stranger_text(self, principal: Principal, lang: Lang) -> str:
        """What somebody reads who is not admitted: their account, and whom to ask."""
        return self.file.admit.told(principal.id, lang)

    def resolved(self, members: Members) -> "Directory":
        """The same people, with the Slack groups' members from there."""
        return replace(self, members=members)

    def person(self, person_id: str) -> Principal | None:
        """The person of that id in the file, with the roles held now."""
        found = self._by_id.get(person_id)
        return self._principal(found) if found else None

    def principal(self, actor: Actor) -> Principal:
        """The person behind an account; a stranger is somebody of their own.

        A stranger's only roles are those of Slack groups. Where readers have clocks of their own,
        these go before the zone of `people.yaml`.
        """
        rules = self.rules_of(actor.platform)
        account = rules.actor_id(actor)
        here = self.about(account)
        person = here._owners.get(account)
        if person is None:
            name, roles = actor.name or actor.user, here._by_group((account,))
            return Principal(
                id=account,
                name=name,
                roles=roles,
                zone=rules.zone,
                accounts=(account,),
                guest=actor.guest,
            )
        found = here._principal(person)
        found = found.model_copy(update={"zone": rules.zone or found.zone})
        return found.model_copy(update={"at": account}) if here.wall else found

    def holders(self, roles: Sequence[str]) -> Sequence[Principal]:
        """Everybody who holds one of the roles."""
        listed = [self._principal(person) for person in self._inside]
        held = [principal for principal in listed if set(roles) & set(principal.roles)]
        return [*held, *self._strangers(roles)]

    def homes(self, review: Review) -> Sequence[str]:
        """Where those who may decide are reached, on connected platforms."""
        holders = {principal.id for principal in self.holders(review.roles)}
        deciders = [p for p in self._inside if p.id in holders or p.id in review.persons]
        homes = [home for person in deciders for home in self._homes(person)]
        if "slack" in self.platforms:
            homes += [stranger.id for stranger in self._strangers(review.roles)][:MOST_MEMBERS]
        return list(dict.fromkeys(homes))

    def reached(self, persons: Sequence[str], today: date) -> Sequence[str]:
        """Where these persons and their delegates of today are reached, on connected platforms."""
        wanted = {*persons, *(self._delegate(each, today) for each in persons)}
        found = [person for person in self._inside if person.id in wanted]
        homes = [home for person in found for home in self._homes(person)]
        # Who is in a Slack group, and not in the file, is reached at their account.
        accounts = [each for each in persons if each.startswith(f"slack:{self._accounts}")]
        accounts = accounts[:MOST_MEMBERS]
        return list(dict.fromkeys((*homes, *(accounts if "slack" in self.platforms else ()))))

    def standing(self, principal: Principal, card: Card | None, today: date) -> Principal:
        """The person with those whose seat they may take, on this card or on any, as these are now.

        Those for whom they are the standing delegate today, and those who handed this card to them.
        A delegate's own delegate stands in for nobody but the delegate.
        """
        if card is not None and (here := self.about(card.conversation)) is not self:
            return here.standing(principal, card, today)
        principal = self.known(principal)
        given = card.handed if card else ()
        handed = {each.by for each in given if each.to in principal.ids}
        lent = [p for p in self._inside if self._delegate(p.id, today) == principal.id]
        givers = handed | {person.id for person in lent}
        if not givers:
            return principal
        found = self.holders(card.review.roles) if card else map(self._principal, lent)
        stands_for = tuple(each for each in found if not each.ids.isdisjoint(givers))
        return principal.model_copy(update={"stands_for": stands_for})

    def counted(self, card: Card, now: datetime) -> Card:
        """The card with those votes alone that count by the roles held now."""
        if not card.votes:
            return card
        holders = self.about(card.conversation).holders(card.review.roles)
        people = [self._principal(person) for person in self.people]
        return counted(card, holders=holders, people=people, now=now)

    def voter(self, principal: Principal, today: date) -> Voter:
        """The person as they may act today, on one card or another."""
        return lambda card: self.standing(principal, card, today)

    @property
    def everybody(self) -> Sequence[Principal]:
        """All the people there are."""
        return [self._principal(person) for person in self._inside]

    def _delegate(self, person: str, today: date) -> str:
        """The delegate of a person today, "" for none."""
        found = next((each.delegate for each in self._inside if each.id == person), None)
        if found is None or (found.until is not None and today > found.until):
            return ""
        return found.person

    def admins(self) -> Sequence[tuple[str, Lang]]:
        """Where everybody with the role admin is reached, and the language they read."""
        found: dict[str, Lang] = {}
        for person in self.people:
            admin = ADMIN in self._principal(person).roles
            for home in self._homes(person) if admin else ():
                found.setdefault(home, person.language or detect(person.name))
        return list(found.items())

    def private(self, actor: Actor, conversation: str) -> str:
        """Where only this person reads what is said: there, or their direct chat with the bot.

        "" where there is none: where visitors choose who they are, shared rooms are everybody's.
        """
        return self.rules_of(conversation).private(actor, conversation, self.platforms)

    def readable(self, card: Card, conversation: str) -> bool:
        """Whether all who read this conversation may see the card anyway."""
        if conversation == card.conversation:
            return True
        if card.review.roles and conversation in self.about(card.conversation).homes(card.review):
            return True
        return all(self.rules_of(c).is_public(c) for c in (conversation, card.conversation))

    def owner_at(self, conversation: str) -> Person | None:
        """The person in the file whose direct chat this is; None for any other place."""
        return self._owners.get(self.rules_of(conversation).owner_id(conversation))

    def rules_of(self, place: str) -> AccountRules:
        """The rules of the platform of a conversation, or of that name."""
        platform = place.partition(":")[0]
        return self.rules.get(platform) or AccountRules(platform)

    def place_name(self, conversation: str, lang: Lang) -> str:
        """How people call the place of a conversation."""
        return self.rules_of(conversation).place_name(conversation, lang)

    def accounts_of(self, person: Person) -> tuple[str, ...]:
        """`platform:...` of each of the person's accounts."""
        return account_ids(person, self.rules)

    def is_within(self, place: str, conversation: str) -> bool:
        """Whether a place is that conversation, or a thread in it."""
        is_direct = self.rules_of(conversation).is_direct(conversation)
        return place == conversation or (is_direct and place.startswith(f"{conversation}:"))

    def language_at(self, home: str) -> Lang | None:
        """The language of the person whose direct chat this is; None for any other place."""
        owner = self.owner_at(home)
        return owner.language if owner else None

    def own(self, actor: Actor) -> str:
        """The direct chat of an account, named by the account where the platform takes that."""
        return f"{actor.platform}:{actor.workspace}:{actor.user}"

    def role_name(self, role: str, lang: str) -> str:
        """The role as people call it."""
        found = next((each for each in self.file.roles if each.id == role), None)
        if found is None:
            return role
        return found.zh if lang == "zh" else found.en

    @cached_property
    def _owners(self) -> dict[str, Person]:
        return {account: person for person in self._inside for account in self.accounts_of(person)}

    @cached_property
    def _by_id(self) -> dict[str, Person]:
        return {person.id: person for person in self._inside}

    @cached_property
    def _walled(self) -> dict[str, "Directory"]:
        """The same people behind walls that were asked for."""
        return {}

    @cached_property
    def _inside(self) -> tuple[Person, ...]:
        """The people of this side of the wall."""
        return tuple(p for p in self.file.people if not self.wall or self._slack(p))

    @property
    def _accounts(self) -> str:
        """What Slack accounts and groups begin with on this side of the wall."""
        return f"{self.wall}:" if self.wall else ""

    def _slack(self, person: Person) -> list[str]:
        return [each for each in person.on("slack") if each.startswith(self._accounts)]

    def _principal(self, person: Person) -> Principal:
        roles = (*person.roles, *self._by_group(self.accounts_of(person)))
        return Principal(
            id=person.id,
            name=person.name,
            roles=tuple(dict.fromkeys(roles)),
            lang=person.language,
            zone=person.zone,
            accounts=self.accounts_of(person),
        )

    def _by_group(self, accounts: Sequence[str]) -> tuple[str, ...]:
        """The roles that these accounts hold through Slack groups."""
        behind = f"slack:{self._accounts}"
        slack = {each.removeprefix("slack:") for each in accounts if each.startswith(behind)}
        return tuple(
            role.id
            for role in self.file.roles
            if role.slack_group
            and role.slack_group.startswith(self._accounts)
            and slack & self.members(role.slack_group)
        )

    def _strangers(self, roles: Sequence[str]) -> Iterator[Principal]:
        """Members of the roles' groups who are not in the file."""
        groups = (role.slack_group for role in self.file.roles if role.id in roles)
        members = {member for group in groups if group for member in self.members(group)}
        for member in sorted(each for each in members if each.startswith(self._accounts)):
            account = f"slack:{member}"
            if account not in self._owners:
                name = member.partition(":")[2]
                roles = self._by_group((account,))
                yield Principal(id=account, name=name, roles=roles, accounts=(account,))

    def _homes(self, person: Person) -> list[str]:
        homes = [
            rules.home(written, self.platforms)
            for name, rules in self.rules.items()
            for written in (self._slack(person) if name == "slack" else person.on(name))
        ]
        return list(filter(None, homes))


def _together(*names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in names for name in each))


def load_people(path: Path, rules: Mapping[str, AccountRules]) -> Directory:
    """The directory of a people.yaml; raises DefinitionError with every problem."""
    return Directory(read_people(path, rules), rules)

"""Who is who: people.yaml as a directory of principals, roles and places (design §7)."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from pathlib import Path

from bot.people_file import PeopleFile, Person, read_people
from cards.lapsed import counted
from cards.model import Card, Lang, Principal, Review
from engine.commands import ADMIN
from engine.events import Actor
from engine.language import detect
from engine.waiting import Voter

WEB_ROOM = "web:local:main"
MOST_MEMBERS = 50
"""So many members of Slack groups who are not in people.yaml are told of a review themselves."""

Members = Callable[[str], frozenset[str]]
"""The Slack accounts ("TEAM:USER") in a Slack group, as far as they are known now."""


def nobody(group: str) -> frozenset[str]:
    """The members of any group while none is resolved."""
    return frozenset()


@dataclass(frozen=True)
class Directory:
    """The people of one file; `platforms` are the connected platforms, with Telegram's bot id.

    Whoever is in a role's Slack group holds the role, also who is not in the file.
    """

    file: PeopleFile
    platforms: Collection[str] = ()
    members: Members = nobody

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

    def resolved(self, members: Members) -> "Directory":
        """The same people, with the Slack groups' members from there."""
        return replace(self, members=members)

    def person(self, person_id: str) -> Principal | None:
        """The person of that id in the file, with the roles held now."""
        found = next((person for person in self.people if person.id == person_id), None)
        return self._principal(found) if found else None

    def principal(self, actor: Actor) -> Principal:
        """The person behind an account; a stranger is somebody of their own.

        A stranger's only roles are those of Slack groups.
        """
        account = f"{actor.platform}:{actor.workspace}:{actor.user}"
        if actor.platform == "telegram":
            account = f"telegram:{actor.user}"
        person = self._owners.get(account)
        if person is None:
            name = actor.name or actor.user
            return Principal(id=account, name=name, roles=self._by_group((account,)))
        return self._principal(person)

    def holders(self, roles: Sequence[str]) -> Sequence[Principal]:
        """Everybody who holds one of the roles."""
        listed = [self._principal(person) for person in self.people]
        held = [principal for principal in listed if set(roles) & set(principal.roles)]
        return [*held, *self._strangers(roles)]

    def homes(self, review: Review) -> Sequence[str]:
        """Where those who may decide are reached, on connected platforms."""
        holders = {principal.id for principal in self.holders(review.roles)}
        deciders = [p for p in self.people if p.id in holders or p.id in review.persons]
        homes = [home for person in deciders for home in self._homes(person)]
        if "slack" in self.platforms:
            homes += [stranger.id for stranger in self._strangers(review.roles)][:MOST_MEMBERS]
        return list(dict.fromkeys(homes))

    def reached(self, persons: Sequence[str], today: date) -> Sequence[str]:
        """Where these persons and their delegates of today are reached, on connected platforms."""
        wanted = {*persons, *(self._delegate(each, today) for each in persons)}
        found = [person for person in self.people if person.id in wanted]
        homes = [home for person in found for home in self._homes(person)]
        # Who is in a Slack group, and not in the file, is reached at their account.
        accounts = [each for each in persons if each.startswith("slack:")][:MOST_MEMBERS]
        return list(dict.fromkeys((*homes, *(accounts if "slack" in self.platforms else ()))))

    def standing(self, principal: Principal, card: Card | None, today: date) -> Principal:
        """The person with those whose seat they may take, on this card or on any, as these are now.

        Those for whom they are the standing delegate today, and those who handed this card to them.
        A delegate's own delegate stands in for nobody but the delegate.
        """
        handed = {each.by for each in card.handed if each.to == principal.id} if card else set()
        lent = [p for p in self.people if self._delegate(p.id, today) == principal.id]
        givers = handed | {person.id for person in lent}
        if not givers:
            return principal
        found = self.holders(card.review.roles) if card else map(self._principal, lent)
        stands_for = tuple(each for each in found if each.id in givers)
        return principal.model_copy(update={"stands_for": stands_for})

    def counted(self, card: Card, now: datetime) -> Card:
        """The card with those votes alone that count by the roles held now."""
        held = {each.id for each in self.holders(card.review.roles)}
        return counted(card, held=held, known={each.id for each in self.people}, now=now)

    def voter(self, principal: Principal, today: date) -> Voter:
        """The person as they may act today, on one card or another."""
        return lambda card: self.standing(principal, card, today)

    @property
    def everybody(self) -> Sequence[Principal]:
        """All the people there are."""
        return [self._principal(person) for person in self.people]

    def _delegate(self, person: str, today: date) -> str:
        """The delegate of a person today, "" for none."""
        found = next((each.delegate for each in self.people if each.id == person), None)
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

        "" where there is none: a room of the web chat is everybody's.
        """
        platform, _, rest = conversation.partition(":")
        workspace, _, place = rest.partition(":")
        own = f"{platform}:{workspace}:{actor.user}"
        if platform == "slack":
            return conversation if place.startswith("D") else own
        return own if platform == "telegram" else ""

    def readable(self, card: Card, conversation: str) -> bool:
        """Whether all who read this conversation may see the card anyway."""
        if conversation == card.conversation:
            return True
        if card.review.roles and conversation in self.homes(card.review):
            return True
        return conversation.startswith("web:") and card.conversation.startswith("web:")

    def zone_at(self, conversation: str) -> str:
        """The time zone of the person whose direct chat this is; "" for any other place."""
        platform, _, rest = conversation.partition(":")
        account = f"telegram:{rest.partition(':')[2]}" if platform == "telegram" else conversation
        owner = self._owners.get(account) if platform != "web" else None
        return owner.zone if owner else ""

    def role_name(self, role: str, lang: str) -> str:
        """The role as people call it."""
        found = next((each for each in self.file.roles if each.id == role), None)
        if found is None:
            return role
        return found.zh if lang == "zh" else found.en

    @cached_property
    def _owners(self) -> dict[str, Person]:
        return {account: person for person in self.people for account in person.accounts()}

    def _principal(self, person: Person) -> Principal:
        roles = (*person.roles, *self._by_group(person.accounts()))
        return Principal(
            id=person.id,
            name=person.name,
            roles=tuple(dict.fromkeys(roles)),
            lang=person.language,
            zone=person.zone,
        )

    def _by_group(self, accounts: Sequence[str]) -> tuple[str, ...]:
        """The roles that these accounts hold through Slack groups."""
        slack = {account.removeprefix("slack:") for account in accounts if account[:6] == "slack:"}
        return tuple(
            role.id
            for role in self.file.roles
            if role.slack_group and slack & self.members(role.slack_group)
        )

    def _strangers(self, roles: Sequence[str]) -> Iterator[Principal]:
        """Members of the roles' groups who are not in the file."""
        groups = (role.slack_group for role in self.file.roles if role.id in roles)
        members = {member for group in groups if group for member in self.members(group)}
        for member in sorted(members):
            account = f"slack:{member}"
            if account not in self._owners:
                name = member.partition(":")[2]
                yield Principal(id=account, name=name, roles=self._by_group((account,)))

    def _homes(self, person: Person) -> list[str]:
        homes = []
        if person.web and "web" in self.platforms:
            homes.append(WEB_ROOM)
        if "slack" in self.platforms:
            homes += [f"slack:{account}" for account in person.slack]
        bot = next((p for p in self.platforms if p.startswith("telegram:")), None)
        if bot:
            # A private chat has the id of its person.
            homes += [f"{bot}:{user}" for user in person.telegram]
        return homes


def load_people(path: Path) -> Directory:
    """The directory of a people.yaml; raises DefinitionError with every problem."""
    return Directory(read_people(path))

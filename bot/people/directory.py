"""people.yaml as the service sees it: who may ask, and where people are reached (design §7)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bot.people.file import Person, read_people
from bot.people.roster import PeopleSource, Roster
from cards.model import ADMIN, Card, Lang, Principal, Review
from engine.events import Actor
from engine.ports.accounts import AccountRules
from engine.text.language import detect_language

NOBODY_MAY_ASK = (
    "nobody may ask there: people.yaml has no account of this platform; list people's accounts, or"
    " say under `admit` who else may ask"
)

MOST_MEMBERS = 50
"""So many members of Slack groups who are not in people.yaml are sent a review themselves."""


@dataclass(frozen=True)
class Directory(Roster):
    """The people of one file, who else may ask, and the places where they read and write.

    `platforms` are what people's direct chats begin with on the connected ones. `is_entrant` says
    whether an admin let in an account that is not in the file.
    """

    platforms: Collection[str] = ()
    is_entrant: Callable[[str], bool] = lambda account: False

    def is_admitted(self, principal: Principal) -> bool:
        """Whether the person may ask and start: in the file, or admitted by it or by an admin."""
        admit = self.file.admit
        return (
            self.is_listed(principal) or admit.includes(principal) or self.is_entrant(principal.id)
        )

    def closed_platforms(self, platforms: Collection[str]) -> tuple[str, ...]:
        """Those of these platforms on which nobody at all may ask."""
        admit = self.file.admit
        listed = {name for name in self.rules for person in self.people if person.accounts_on(name)}
        is_open = {*admit.platforms, *listed}
        if admit.workspaces or admit.roles:
            is_open.add("slack")
        return tuple(name for name in platforms if name not in is_open)

    def stranger_text(self, principal: Principal, lang: Lang) -> str:
        """What somebody reads who is not admitted: their account, and whom to ask."""
        return self.file.admit.refusal_text(principal.id, lang)

    def reviewer_homes(self, review: Review) -> Sequence[str]:
        """Where those who may decide are reached, on connected platforms."""
        holders = {principal.id for principal in self.holders(review.roles)}
        deciders = [p for p in self._visible_now if p.id in holders or p.id in review.persons]
        homes = [home for person in deciders for home in self._homes(person)]
        if "slack" in self.platforms:
            homes += [each.id for each in self.unlisted_holders(review.roles)][:MOST_MEMBERS]
        return list(dict.fromkeys(homes))

    def person_homes(self, persons: Sequence[str], today: date) -> Sequence[str]:
        """Where these persons and their delegates of today are reached, on connected platforms."""
        wanted = {*persons, *(self.delegate_of(each, today) for each in persons)}
        homes = [home for p in self._visible_now if p.id in wanted for home in self._homes(p)]
        if "slack" in self.platforms:
            # Members of a Slack group who are not in the file are reached at their account.
            accounts = [each for each in persons if each.startswith(f"slack:{self.slack_prefix}")]
            able = [each for each in accounts if self._sees(self._stranger(each, each))]
            homes += able[:MOST_MEMBERS]
        return list(dict.fromkeys(homes))

    def web_account(self, person_id: str) -> tuple[Actor, str] | None:
        """The web account of a person in the file, and the room where they are reached.

        None where there is none, or no web chat.
        """
        person = next((each for each in self.visible if each.id == person_id), None)
        if person is None or not person.web:
            return None
        rules = self.rules_of("web")
        _, workspace, user = rules.account_id(person.web).split(":", 2)
        room = rules.home(person.web, self.platforms)
        actor = Actor(platform="web", workspace=workspace, user=user, name=person.name)
        return (actor, room) if room else None

    def admins(self) -> Sequence[tuple[str, Lang]]:
        """Where everybody with the role admin is reached, and the language they read."""
        found: dict[str, Lang] = {}
        for person in self.people:
            is_admin = ADMIN in self.principal_of(person).roles
            for home in self._homes(person) if is_admin else ():
                lang = person.language or self.lang or detect_language(person.name)
                found.setdefault(home, lang)
        return list(found.items())

    def private_place(self, actor: Actor, conversation: str) -> str:
        """Where only this person reads what is said: there, or their direct chat with the bot.

        "" where there is none: where visitors choose who they are, shared rooms are everybody's.
        """
        return self.rules_of(conversation).private_place(actor, conversation, self.platforms)

    def is_visible_in(self, card: Card, conversation: str) -> bool:
        """Whether all who read this conversation may see the card anyway."""
        project = card.project or self.project_of(card.conversation)
        homes = self.scope_of(card).reviewer_homes(card.review) if card.review.by_policy else ()
        if conversation in homes:
            return True
        return self.is_open_to(card.conversation, conversation, project)

    def is_open_to(self, conversation: str, place: str, project: str) -> bool:
        """Whether all who read at this place may read what is the project's in a conversation."""
        if conversation == place and project in ("", self.project_of(place)):
            return True
        both = (conversation, place)
        return self.is_open(project) and all(self.rules_of(each).is_public(each) for each in both)

    def owner_of(self, conversation: str) -> Person | None:
        """The person in the file whose direct chat this is; None for any other place."""
        return self.owners.get(self.rules_of(conversation).owner_id(conversation))

    def language_at(self, conversation: str) -> Lang | None:
        """The language of the person whose direct chat this is; None for any other place."""
        owner = self.owner_of(conversation)
        return owner.language if owner else None

    def room_of(self, conversation: str) -> str:
        """The place that people take a conversation for: itself, or the room of its thread."""
        return self.rules_of(conversation).room_of(conversation)

    def place_name(self, conversation: str, lang: Lang) -> str:
        """How people call the place of a conversation."""
        return self.rules_of(conversation).place_name(conversation, lang)

    def is_within(self, place: str, conversation: str) -> bool:
        """Whether a place is that conversation, or a thread in it."""
        is_direct = self.rules_of(conversation).is_direct(conversation)
        return place == conversation or (is_direct and place.startswith(f"{conversation}:"))

    @property
    def _visible_now(self) -> Sequence[Person]:
        """The people who are visible here, by the roles held now."""
        return [p for p in self.visible if self.access is None or self._sees(self.principal_of(p))]

    def _homes(self, person: Person) -> list[str]:
        homes = [
            rules.home(written, self.platforms)
            for name, rules in self.rules.items()
            for written in (
                self.slack_accounts(person) if name == "slack" else person.accounts_on(name)
            )
        ]
        return list(filter(None, homes))


def load_people(path: Path, rules: Mapping[str, AccountRules]) -> Directory:
    """The directory of a people.yaml; raises DefinitionError with every problem."""
    return Directory(PeopleSource(read_people(path, rules)), rules)

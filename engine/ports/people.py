"""Who people are, what they may do, and where they are reached."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Protocol

from cards.model import Card, Lang, Principal, Review
from engine.events import Actor


class People(Protocol):
    """Who holds a role, and where to find them."""

    def holders(self, roles: Sequence[str]) -> Sequence[Principal]:
        """Everybody who holds one of the roles."""
        ...

    def deciders(self, review: Review) -> Sequence[Principal]:
        """Everybody who may decide by a policy now: holders of its roles, and whom it names."""
        ...

    def find_listed(self, handle: str) -> Principal | None:
        """The person of this id or account; None where that is nobody, or several."""
        ...

    def manager_of(self, principal: Principal) -> Principal | None:
        """The person's manager; None where they have none, or may have nothing to do with us."""
        ...

    @property
    def everybody(self) -> Sequence[Principal]:
        """All the people there are."""
        ...

    def reviewer_homes(self, review: Review) -> Sequence[str]:
        """Conversations in which those who may decide are reached, on connected platforms."""
        ...

    def person_homes(self, persons: Sequence[str], today: date) -> Sequence[str]:
        """Where these persons, and who stands in for them today, are reached (principal ids)."""
        ...

    def as_voter(self, principal: Principal, card: Card | None, today: date) -> Principal:
        """The person with those whose seat they may take on this card, or on any, today."""
        ...

    def scope_to(self, conversation: str, project: str | None = None) -> "People":
        """The same, with only those visible who may have to do with that conversation.

        They may see its project, or the one that is given; "" for any.
        """
        ...

    def scope_of(self, card: Card) -> "People":
        """The same, with only those visible who may have to do with that card."""
        ...

    def may_see(self, principal: Principal, project: str) -> bool:
        """Whether the person may see what is the project's; "" for what is of none."""
        ...

    def is_open(self, project: str) -> bool:
        """Whether nobody who may ask is kept from the project."""
        ...

    def room_of(self, conversation: str) -> str:
        """The place that people take a conversation for: itself, or the room of its thread."""
        ...

    def refresh(self, principal: Principal) -> Principal:
        """The person with the roles held now; without any where they are none of these people."""
        ...

    def is_admitted(self, principal: Principal) -> bool:
        """Whether the person may ask and start anything."""
        ...

    def admins(self) -> Sequence[tuple[str, Lang]]:
        """Where everybody with the role admin is reached, and the language they read."""
        ...

    def stranger_text(self, principal: Principal, lang: Lang) -> str:
        """What somebody reads who may not: their account, and whom to ask."""
        ...

    def with_valid_votes(self, card: Card, now: datetime) -> Card:
        """The card with those votes alone that count by the roles held now."""
        ...

    def role_name(self, role: str, lang: str) -> str:
        """The role as people call it."""
        ...

    def principal(self, actor: Actor) -> Principal:
        """The person behind an account, with the roles held now."""
        ...

    def private_place(self, actor: Actor, conversation: str) -> str:
        """Where only this person reads what is said, here or beside it; "" for nowhere."""
        ...

    def is_visible_in(self, card: Card, conversation: str) -> bool:
        """Whether all who read this conversation may see the card anyway."""
        ...

    def is_open_to(self, conversation: str, place: str, project: str) -> bool:
        """Whether all who read at this place may read what is the project's in a conversation."""
        ...

    def language_at(self, home: str) -> Lang | None:
        """The language of the person whose direct chat this is; None for any other place."""
        ...

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

    @property
    def everybody(self) -> Sequence[Principal]:
        """All the people there are."""
        ...

    def homes(self, review: Review) -> Sequence[str]:
        """Conversations in which those who may decide are reached, on connected platforms."""
        ...

    def reached(self, persons: Sequence[str], today: date) -> Sequence[str]:
        """Where these persons, and who stands in for them today, are reached (principal ids)."""
        ...

    def standing(self, principal: Principal, card: Card | None, today: date) -> Principal:
        """The person with those whose seat they may take on this card, or on any, today."""
        ...

    def about(self, conversation: str) -> "People":
        """Those who may have to do with what belongs to that conversation."""
        ...

    def known(self, principal: Principal) -> Principal:
        """The person as who they are among these: one of no roles who is none of them."""
        ...

    def admits(self, principal: Principal) -> bool:
        """Whether the person may ask and start anything."""
        ...

    def admins(self) -> Sequence[tuple[str, Lang]]:
        """Where everybody with the role admin is reached, and the language they read."""
        ...

    def stranger_text(self, principal: Principal, lang: Lang) -> str:
        """What somebody reads who may not: their account, and whom to ask."""
        ...

    def counted(self, card: Card, now: datetime) -> Card:
        """The card with those votes alone that count by the roles held now."""
        ...

    def role_name(self, role: str, lang: str) -> str:
        """The role as people call it."""
        ...

    def principal(self, actor: Actor) -> Principal:
        """The person behind an account, with the roles held now."""
        ...

    def private(self, actor: Actor, conversation: str) -> str:
        """Where only this person reads what is said, here or beside it; "" for nowhere."""
        ...

    def readable(self, card: Card, conversation: str) -> bool:
        """Whether all who read this conversation may see the card anyway."""
        ...

    def language_at(self, home: str) -> Lang | None:
        """The language of the person whose direct chat this is; None for any other place."""
        ...

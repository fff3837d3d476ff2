"""How the people of a platform are named, and what is asked of it about them."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.events import Actor


@dataclass(frozen=True, slots=True)
class AccountRules:
    """The accounts of one platform: ids are `platform:...`, in people.yaml without the platform.

    `form` is a regular expression of an account in people.yaml, "" where no account stands there;
    whoever writes another text is told that it `is_no` account.
    """

    platform: str
    form: str = ""
    is_no: str = ""

    def fault(self, written: str) -> str:
        """Why what people.yaml says is no account here, "" when it is one."""
        return "" if re.fullmatch(self.form, written) else self.is_no

    def account_id(self, written: str) -> str:
        """The id of an account that people.yaml names."""
        return f"{self.platform}:{written}"

    def actor_id(self, actor: Actor) -> str:
        """The id of the account that somebody acts with."""
        return f"{actor.platform}:{actor.workspace}:{actor.user}"

    def owner_id(self, conversation: str) -> str:
        """The id of the account whose direct chat this is; of no account for any other place."""
        return conversation

    def is_own(self, conversation: str, account: str) -> bool:
        """Whether a conversation is that account's alone, as its name says."""
        return self.owner_id(conversation) == account

    def home(self, written: str, places: Collection[str]) -> str:
        """The direct chat of an account, "" where none of the connected `places` has one."""
        start = next((p for p in places if p.partition(":")[0] == self.platform), "")
        return f"{start}:{written}" if start else ""

    def private_place(self, actor: Actor, conversation: str, places: Collection[str]) -> str:
        """Where only this person reads what is said: there or their direct chat; "" for nowhere."""
        return ""

    def is_direct(self, conversation: str) -> bool:
        """Whether these are direct messages that are named by themselves, not by their person."""
        return False

    def room_of(self, conversation: str) -> str:
        """The place that people take it for: itself, or the room that it is a thread of."""
        return conversation

    def is_public(self, conversation: str) -> bool:
        """Whether all people of the platform read what stands there."""
        return False

    @property
    def zone(self) -> str:
        """The zone in which each reader sees times here, "" where all see the same."""
        return ""

    def place_name(self, conversation: str, lang: Lang) -> str:
        """How people call the place: the platform, and the room where others may enter it."""
        room = conversation.rpartition(":")[2]
        return say(f"place.{self.platform}", lang, name=literal(room))


class AccountSource(Protocol):
    """A platform that can be asked about accounts."""

    async def account(self, account: str) -> str:
        """What the person of an account, as people.yaml writes it, is called there.

        Raises Gone for one that is nobody's, PlatformError.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@runtime_checkable
class GroupSource(AccountSource, Protocol):
    """A platform that has groups of accounts."""

    async def members(self, group: str) -> Sequence[str]:
        """The accounts in a group. Raises Gone for one that is not, PlatformError."""
        ...

"""The web chat's conversations: what each showed, and which ones a person has."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message as it is now; `number` counts the conversation's messages from 1."""

    number: int
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatPage:
    """Messages as of the entry `seq`, oldest first; `more` if there are older ones."""

    messages: tuple[ChatMessage, ...]
    seq: str
    more: bool


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """One change of a web conversation: a message posted or edited, in order of `seq`.

    `seq` is "" for a draft, which is not kept and reaches only those who read now.
    """

    seq: str
    body: Mapping[str, Any]


@dataclass(slots=True)
class Cursor:
    """How far a reader of a web conversation has come in its drafts."""

    at: str = ""


@dataclass(frozen=True, slots=True)
class ListedFor:
    """The person in whose list a message puts its conversation first, and its first title there."""

    person: str
    title: str


class ChatLog(Protocol):
    """What each web conversation showed, in order; kept by the store."""

    async def append(
        self, conversation: str, body: Mapping[str, Any], *, listed: ListedFor | None = None
    ) -> str:
        """Add an entry (a JSON object); returns its `seq`. Raises StoreUnavailable.

        With `listed`, the conversation then comes first in that person's list, all of it seen.
        """
        ...

    async def draft(self, conversation: str, body: Mapping[str, Any]) -> None:
        """Send an entry to those who read now, without keeping it. Raises StoreUnavailable."""
        ...

    def reply_id(self, conversation: str, update_id: str) -> str:
        """The id of the message that will answer an update, once it is shown."""
        ...

    async def read(
        self, conversation: str, after: str, *, wait_s: float, drafts: Cursor | None = None
    ) -> Sequence[ChatEntry]:
        """Entries after `after` ("0": all kept), waiting up to `wait_s` seconds for the first.

        With `drafts`, the drafts since its last use stand before them.
        """
        ...

    async def page(self, conversation: str, *, before: int | None, count: int) -> ChatPage:
        """The newest `count` messages before that number (None: of all), as they are now."""
        ...

    async def newest(self, conversations: Sequence[str]) -> Sequence[int]:
        """The number of the newest message of each, 0 where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class ConversationEntry:
    """A conversation of a person: something was last said in it at `at_us`, in microseconds of the
    epoch; `seen` is the number of the newest message that the person saw.
    """

    conversation: str
    title: str
    at_us: int
    seen: int


class Conversations(Protocol):
    """Each person's conversations, the newest first. Raises StoreUnavailable."""

    async def list_newest(
        self,
        person: str,
        *,
        before_us: int | None,
        count: int,
        matches: Callable[[str, str], bool] | None = None,
    ) -> Sequence[ConversationEntry]:
        """Up to `count` of them, last spoken in before that moment (None: up to now).

        With `matches`, only those for which it holds, given conversation and title.
        """
        ...

    async def note_message(self, person: str, conversation: str, title: str) -> None:
        """Something was said in it just now: it comes first. Its first title stays ("": none)."""
        ...

    async def mark_read(self, person: str, conversation: str, number: int) -> None:
        """The person saw its messages up to this number."""
        ...

    async def last_read(self, person: str, conversation: str) -> int:
        """The number of the newest message that the person saw, 0 for none."""
        ...

    async def rename(self, person: str, conversation: str, title: str) -> bool:
        """Give it this title in the person's list; False when it is not there."""
        ...

    async def forget(self, person: str, conversation: str, *, whole: bool) -> bool:
        """Take it off the person's list; with `whole`, also delete for good what was said there.

        False, and nothing is done, when that should be deleted in which something is unfinished:
        an open card, an active run, or a message that is being answered.
        """
        ...

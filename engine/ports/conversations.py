"""The web chat's conversations: what each showed, and which of them are a person's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message as its last entry has it; `number` counts the conversation's messages from 1."""

    number: int
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatPage:
    """Messages, oldest first, as they are after the entry `seq`; `more` if there are older."""

    messages: tuple[ChatMessage, ...]
    seq: str
    more: bool


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

    async def listed(
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

    async def spoken(self, person: str, conversation: str, title: str) -> None:
        """Something was said in it just now: it comes first. Its first title stays ("": none)."""
        ...

    async def saw(self, person: str, conversation: str, number: int) -> None:
        """The person saw its messages up to this number."""
        ...

    async def seen(self, person: str, conversation: str) -> int:
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

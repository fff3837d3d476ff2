"""The web chat's conversations: what each showed, and which of them are a person's."""

from collections.abc import Mapping, Sequence
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
class Listed:
    """A conversation of a person: something was last said in it at `at_us`, in microseconds of the
    epoch; `seen` is the number of the newest message that the person saw.
    """

    conversation: str
    title: str
    at_us: int
    seen: int


class Conversations(Protocol):
    """Each person's conversations, the newest first. Raises StoreUnavailable."""

    async def listed(self, person: str, *, before_us: int | None, count: int) -> Sequence[Listed]:
        """Up to `count` of them, last spoken in before that moment (None: up to now)."""
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

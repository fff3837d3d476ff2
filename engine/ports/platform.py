"""A chat platform: what comes in goes to an Intake, what goes out through a Platform."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from cards.showing.view import MessageView
from engine.events import Outcome, Update
from engine.ports.conversations import ChatPage
from engine.ports.meter import Meter

Intake = Callable[[Update], Awaitable[Outcome]]
"""Hands a verified update to the service. It does not raise when the store is away: it answers
NotRecorded. An adapter acknowledges to its platform only after this has answered."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a place may be written to: one message per `every_s`, `burst` at once."""

    every_s: float = 0.0
    burst: int = 1


class Rate(Protocol):
    """Shared by all processes: how much of a pace is used up."""

    async def ask(self, name: str, pace: Pace, count: int) -> float:
        """Take `count` messages of the pace called `name` and answer 0, or the seconds to wait.

        Raises StoreUnavailable.
        """
        ...


class Lease(Protocol):
    """Sees to it that one process at a time does something."""

    async def hold(self, name: str) -> bool:
        """True while this process holds or renews the named lease. May raise StoreError."""
        ...


class Platform(Protocol):
    """The outgoing side of a platform. Raises PlatformError; `Unavailable` may mean "was shown".

    What is too long for one message goes on in others, or comes as a file: nothing is left out.
    `overall` is how often it may be written to, all places together.
    """

    name: str
    overall: Pace

    async def send(self, conversation: str, view: MessageView, *, key: str) -> str:
        """Show a new message; returns the id under which `edit` finds it. `key` names it for us."""
        ...

    async def edit(self, conversation: str, message_id: str, view: MessageView) -> str:
        """Show `view` in place of what the message showed; the same content again is success.

        Returns the id under which it is found from now on: what got longer may need more messages.
        """
        ...

    def pace(self, conversation: str) -> Pace:
        """How often this conversation may be written to, posts and edits together."""
        ...

    async def link(self, conversation: str, message_id: str) -> str:
        """The address of the conversation, at that message if it is not "", for others to open.

        "" where there is none, as for a direct message, or none can be had now; never raises.
        """
        ...

    async def typing(self, conversation: str) -> None:
        """Show that work goes on, where the platform can; best effort, never raises."""
        ...


@runtime_checkable
class SupportsProbe(Protocol):
    """A platform that can be asked how this process stands with it."""

    async def probe(self) -> str:
        """What is wrong, in our words; "" when the token is taken and updates can come in.

        Raises PlatformError.
        """
        ...


@runtime_checkable
class SupportsRecall(Protocol):
    """A platform that can look for what was posted when nobody heard that it was."""

    async def recall(self, conversation: str, message_id: str, *, key: str, since: datetime) -> str:
        """The id of what a `send` under `key`, or an `edit` of that message, has posted since then.

        The same id, "" for none, when nothing more is found. Raises PlatformError.
        """
        ...


@runtime_checkable
class SupportsListening(Protocol):
    """A platform that fetches what comes in, over a connection of its own."""

    async def is_listening(self) -> bool:
        """Whether what is said to the bot comes in now; so it does where no connection is needed.

        Asks nobody, and never raises.
        """
        ...


@runtime_checkable
class SupportsCardLinks(Protocol):
    """A platform whose bot can be opened at a card: each reader in a chat of their own."""

    async def opening(self, card: str) -> str:
        """The address that shows the card of this token to who may see it, or ""; never raises."""
        ...


@runtime_checkable
class SupportsAddressing(Protocol):
    """A platform that does not hear every text in every conversation."""

    async def heard(self, conversation: str) -> str:
        """What a text has to begin with to be heard there, "" for nothing; never raises."""
        ...


@runtime_checkable
class SupportsMetering(Protocol):
    """A platform that counts what nobody else sees of it."""

    def count_in(self, meter: Meter) -> None:
        """Count there from now on."""
        ...


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """One change of a web conversation: a message posted or edited, in order of `seq`.

    `seq` is "" for what is not kept: only who waits when it comes is told.
    """

    seq: str
    body: Mapping[str, Any]


@dataclass(slots=True)
class Cursor:
    """How far a reader of a web conversation has come in what is not kept."""

    at: str = ""


class ChatLog(Protocol):
    """What a web conversation showed, in order; kept by the store."""

    async def append(self, conversation: str, body: Mapping[str, Any]) -> str:
        """Add an entry (a JSON object); returns its `seq`. Raises StoreUnavailable."""
        ...

    async def draft(self, conversation: str, body: Mapping[str, Any]) -> None:
        """Tell who reads now, and keep nothing of it. Raises StoreUnavailable."""
        ...

    def reply_id(self, conversation: str, update_id: str) -> str:
        """The id of the message that will answer an update, once it is shown."""
        ...

    async def read(
        self, conversation: str, after: str, *, wait_s: float, drafts: Cursor | None = None
    ) -> Sequence[ChatEntry]:
        """Entries after `after` ("0": all kept), waiting up to `wait_s` seconds for the first.

        With `drafts`, what was told since its last use stands before them.
        """
        ...

    async def page(self, conversation: str, *, before: int | None, count: int) -> ChatPage:
        """The newest `count` messages before that number (None: of all), as they are now."""
        ...

    async def newest(self, conversations: Sequence[str]) -> Sequence[int]:
        """The number of the newest message of each, 0 where there is none."""
        ...

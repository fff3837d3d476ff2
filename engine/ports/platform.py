"""A chat platform: what comes in goes to an Intake, what goes out through a Platform.

What only some platforms can do is a protocol `Supports...` of its own.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from cards.model import Lang
from cards.showing.view import MessageView
from engine.events import Actor, FormSubmitted, Outcome, Update
from engine.ports.meter import Meter
from engine.ports.pages import PanelFeed

Intake = Callable[[Update], Awaitable[Outcome]]
"""Hands a verified update to the service; the answer is NotRecorded when the store is away. An
adapter acknowledges to its platform only after it has the answer."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a place may be written to: one message per `every_s`, `burst` at once."""

    every_s: float = 0.0
    burst: int = 1


class Rate(Protocol):
    """How much of a pace is used up, over all processes."""

    async def ask(self, name: str, pace: Pace, count: int) -> float:
        """Take `count` messages of the pace called `name` and answer 0, or the seconds to wait.

        Raises StoreUnavailable.
        """
        ...


class Lease(Protocol):
    """Leases by name, each held by one process at a time."""

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
        """Show that an answer is being worked on; best effort, never raises."""
        ...


@runtime_checkable
class SupportsProbe(Protocol):
    """A platform that can be asked whether this process can use it."""

    async def probe(self) -> str:
        """What is wrong, in our words; "" when the token is taken and updates can come in.

        Raises PlatformError.
        """
        ...


@runtime_checkable
class SupportsRecall(Protocol):
    """A platform that can look for a message whose posting was never confirmed."""

    async def recall(self, conversation: str, message_id: str, *, key: str, since: datetime) -> str:
        """The id of what a `send` under `key`, or an `edit` of that message, has posted since then.

        The same id, "" for none, when nothing more is found. Raises PlatformError.
        """
        ...


@runtime_checkable
class SupportsListening(Protocol):
    """A platform that receives updates over a connection of its own."""

    async def is_listening(self) -> bool:
        """Whether updates come in now; True where no connection is needed. Never raises."""
        ...


@runtime_checkable
class SupportsCardLinks(Protocol):
    """A platform with links that open a card in each reader's own chat with the bot."""

    async def opening(self, card: str) -> str:
        """The link that shows the card to whoever may see it, "" for none; never raises."""
        ...


@runtime_checkable
class SupportsRunLinks(Protocol):
    """A platform with links that tell of a run in each reader's own chat with the bot."""

    async def run_opening(self, run: str) -> str:
        """The link that tells of the run to whoever may see it, "" for none; never raises."""
        ...


@runtime_checkable
class SupportsPlaces(Protocol):
    """A platform whose own page leads from one conversation to another."""

    def place(self, conversation: str) -> str:
        """Where the conversation is on the page that its reader is on."""
        ...


@runtime_checkable
class SupportsAddressing(Protocol):
    """A platform where some conversations only pass on texts that address the bot."""

    async def address_prefix(self, conversation: str) -> str:
        """What a text there has to begin with, "" for nothing; never raises."""
        ...


ExamplesOf = Callable[[Actor, Lang], Sequence[str]]
"""What a person may ask and start, in a language."""

CheckFields = Callable[[FormSubmitted], Awaitable[Mapping[str, str]]]
"""Of a form that is given in part: a sentence for each field of it that is wrong."""


@runtime_checkable
class SupportsExamples(Protocol):
    """A platform whose page shows what can be asked."""

    def suggest_from(self, examples: ExamplesOf) -> None:
        """Show such examples from now on."""
        ...


@runtime_checkable
class SupportsFieldChecks(Protocol):
    """A platform that asks a form's fields one by one, and has each judged where it is given."""

    def check_fields_by(self, check: CheckFields) -> None:
        """Have them judged so from now on."""
        ...


@runtime_checkable
class SupportsPanel(Protocol):
    """A platform whose page can have a panel beside a conversation."""

    def show_panel(self, feed: PanelFeed) -> bool:
        """Show it from now on; False where not everybody there may see everything."""
        ...


@runtime_checkable
class SupportsMetering(Protocol):
    """A platform that has counts of its own."""

    def count_in(self, meter: Meter) -> None:
        """Count in this meter from now on."""
        ...

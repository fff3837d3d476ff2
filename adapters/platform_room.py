"""What the room of a platform gives to the service, and what it is given to work with."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from aiohttp import web

from cards.model import Card, Lang
from engine.events import Actor
from engine.ports.accounts import AccountSource
from engine.ports.clock import Clock
from engine.ports.conversations import ChatLog, Conversations
from engine.ports.doctor import Doctor
from engine.ports.identity import IdentityProvider
from engine.ports.pages import FindReplyCards, HomePage, InboxPage, NamedPerson, RunsPage
from engine.ports.platform import Intake, Lease, Platform
from engine.ports.settings import PlatformSettings, ServiceSettings
from engine.ports.storage.logins import Logins
from engine.ports.storage.platform_texts import ExpiringTexts, PlatformTexts

SettingsT = TypeVar("SettingsT", bound=PlatformSettings)


class Adapter(Platform, Protocol):
    """A platform with its way in: routes of the web process, and a listener beside them."""

    def routes(self, intake: Intake) -> Sequence[web.AbstractRouteDef]:
        """What the web process serves for it."""
        ...

    async def listen(self, intake: Intake) -> None:
        """Receive over sockets or by polling until cancelled, or return at once."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, slots=True)
class PlatformContext:
    """The store's ports, and the people, as a platform sees them.

    `read_card` returns the card of a token as a place shows it; `language_of` the language that a
    person wants to read, None where they chose none; `may_read` whether they may see the project of
    a conversation. `identity` is where people sign in, if that is so.
    """

    service: ServiceSettings
    clock: Clock
    chat_log: ChatLog
    conversations: Conversations
    texts: PlatformTexts
    lease: Lease
    logins: Logins
    expiring_texts: ExpiringTexts
    read_card: Callable[[str, str], Awaitable[Card | None]]
    home: Callable[[Actor], Awaitable[HomePage]]
    inbox: Callable[[Actor, int], Awaitable[InboxPage]]
    reply_cards: FindReplyCards
    runs: Callable[[Actor, Lang | None, int], Awaitable[RunsPage]]
    persons: Callable[[], Sequence[NamedPerson]]
    language_of: Callable[[Actor], Lang | None]
    may_read: Callable[[Actor, str], Awaitable[bool]]
    identity: IdentityProvider | None = None


@dataclass(frozen=True, slots=True)
class ProbeContext:
    """What a look at the platform needs; the store is asked only where it has to be."""

    service: ServiceSettings
    clock: Clock
    texts: PlatformTexts


@dataclass(frozen=True, slots=True)
class PlatformRoom(Generic[SettingsT]):
    """A platform, whole: its settings, and how it is opened, looked at, and asked about accounts.

    These are called only while the settings have it on. A room is loaded by every command: what
    opens a connection loads what it needs by itself.
    """

    settings: type[SettingsT]
    open: Callable[[SettingsT, PlatformContext], Adapter]
    doctor: Callable[[SettingsT, ProbeContext], Doctor] | None = None
    accounts: Callable[[SettingsT, ProbeContext], AccountSource] | None = None
    loads: tuple[str, ...] = ()
    """The modules that `open` needs, for a process that loads them before copies of it open it."""

    @property
    def name(self) -> str:
        """What ids of its conversations begin with."""
        return self.settings.platform

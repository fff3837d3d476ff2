"""What a platform shows a person of what waits for them, without their asking."""

from dataclasses import dataclass
from typing import Any, Protocol

from cards.model import Lang
from cards.showing.view import CardView


@dataclass(frozen=True, slots=True)
class RunsPage:
    """A page of what a person asked for within so many days, as cards; `more` on the next page."""

    lang: Lang
    runs: tuple[CardView, ...] = ()
    days: float = 0.0
    more: bool = False


@dataclass(frozen=True, slots=True)
class HomePage:
    """What a person's tab shows: open cards in the languages they are in, and their own runs.

    `more` when not all cards are here. A `note` stands there alone.
    """

    lang: Lang
    cards: tuple[tuple[CardView, Lang], ...] = ()
    runs: tuple[CardView, ...] = ()
    more: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class InboxPage:
    """Cards that wait for a person, in the languages they are in; `more` when others follow."""

    cards: tuple[tuple[CardView, Lang], ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class ReplyCardsPage:
    """The open cards that a reply is about, whoever decides them, in their languages.

    Where its message answered a card that another reply asked, `goes_on` is the other reply, whose
    cards are among these, and `states` those of its parts. It is `settled` once what was answered
    has come to something.
    """

    cards: tuple[tuple[CardView, Lang], ...] = ()
    goes_on: str = ""
    states: tuple[str, ...] = ()
    settled: bool = True


class FindReplyCards(Protocol):
    """Finds the open cards that a reply is about."""

    async def __call__(self, reply: str, conversation: str) -> ReplyCardsPage:
        """The cards, oldest first; none of a reply that is not there. Raises StoreUnavailable."""
        ...


async def no_reply_cards(reply: str, conversation: str) -> ReplyCardsPage:
    """Where nothing is stored."""
    return ReplyCardsPage()


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """A person of people.yaml who has a name in the web chat, and what they are there."""

    id: str
    name: str
    web: str
    label: dict[Lang, str]
    email: str = ""


class FindRunLink(Protocol):
    """Finds where a run answers."""

    async def __call__(self, run: str, conversation: str, message_id: str, *, reader: str) -> str:
        """The address, for a reader on that platform; "" where there is none. Never raises."""
        ...


async def no_run_link(run: str, conversation: str, message_id: str, *, reader: str) -> str:
    """Where no platform has addresses."""
    return ""


class PanelFeed(Protocol):
    """What a panel beside a conversation shows; `version` differs after each change."""

    version: int

    def page(self, conversation: str, lang: Lang) -> dict[str, Any]:
        """What it shows beside this conversation now, as JSON."""
        ...

"""Runs and open cards of all conversations, for operators; a page costs the same however many."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from cards.model import Card
from engine.ports.storage.archive import History


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list; what is empty leaves nothing out.

    `who`, `conversation` and `text` are parts of what is there, in any case of ASCII letters;
    `text` is looked for in all that a run holds. Child runs only with `children`.
    """

    statuses: frozenset[str] = frozenset()
    playbook: str = ""
    who: str = ""
    conversation: str = ""
    text: str = ""
    children: bool = False


@dataclass(frozen=True, slots=True)
class RunPage:
    """Runs with how they stand, without their audit, the newest first.

    `older` is where to go on, "" at the end. `looked` runs were looked at; when `cut`, that was as
    many as one page may, and there may be more than are listed.
    """

    runs: Sequence[tuple[str, History]]
    older: str
    looked: int
    cut: bool


@dataclass(frozen=True, slots=True)
class OpenCard:
    """An open card, and since when it is open."""

    card: Card
    since: datetime


class Listing(Protocol):
    """What operators list. Raises StoreError."""

    async def runs(self, wanted: RunFilter, *, after: str, limit: int) -> RunPage:
        """A page of runs, from the newest on, or from where another page said to go on."""
        ...

    async def mark(self, run: str = "") -> str:
        """What is another after each change of a run, or, without one, soon after any change."""
        ...

    async def open_cards(self, limit: int) -> tuple[Sequence[OpenCard], int]:
        """The open cards, the oldest first, at most `limit`; and how many there are in all."""
        ...

    async def cards(self, tokens: Sequence[str]) -> Sequence[Card]:
        """The cards of these tokens, in that order, without those that are not kept any more."""
        ...

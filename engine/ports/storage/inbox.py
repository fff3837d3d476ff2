"""Open cards by the roles and persons that they wait for (design §3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cards.model import Card


@dataclass(frozen=True, slots=True)
class OpenCardTokens:
    """Tokens of open cards, the oldest first, out of `total` (a card under two names counts twice).

    Only so many of each partition are listed.
    """

    tokens: tuple[str, ...] = ()
    total: int = 0


class Inbox(Protocol):
    """Open cards of all partitions. Raises StoreError."""

    async def find_tokens(self, names: Sequence[str]) -> OpenCardTokens:
        """Cards that wait for any of the names (cards.deciding.inbox), the oldest first."""
        ...

    async def cards(self, tokens: Sequence[str]) -> Sequence[Card]:
        """Those of the cards that are open, in this order."""
        ...

    async def unreadable(self, tokens: Sequence[str]) -> int:
        """How many of the cards are open, and of another version, which `cards` leaves out."""
        ...

    async def show(self, token: str, *, row: str, place: str, due_s: float = 0.0) -> bool:
        """Show an open card at a place under this row's name; the same row again changes nothing.

        False when the card is not open.
        """
        ...

    async def repair(self) -> int:
        """List open cards that earlier versions did not list; returns how many."""
        ...

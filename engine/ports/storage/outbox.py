"""What is to be shown: rows of the outbox, leased to whoever delivers them (design §3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Protocol

from cards.model import Card
from engine.ports.platform import Pace
from engine.ports.storage.store import RowKind


# It is shown in several places, and anew whenever something beside it changes.
@lru_cache(maxsize=64)
def _read_card(body: str) -> Card:
    return Card.model_validate_json(body)


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A card's body, still to be read, and what scripts changed since it was written."""

    body: str
    status: str
    version: int

    def read(self) -> Card:
        """The card; raises pydantic's ValidationError for what another version wrote."""
        return _read_card(self.body).model_copy(
            update={"status": self.status, "version": self.version}
        )


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A leased row to show: `head`, `parts` and `card` are the current state of what it shows.

    `partition` is where the row lies (its run's), which may differ from its conversation's.
    `message_id` is "" until it was posted. `attempts` counts failed tries. `answer_id` is the
    message in which a card's run answers, or under which cards are shown again, "" until that was
    posted. `tried` is when showing it was first tried, if nobody knows what became of that.
    """

    partition: int
    conversation: str
    fence: int
    row: str
    revision: int
    kind: RowKind
    ref: str
    message_id: str
    attempts: int
    body: str = ""
    head: str = ""
    parts: tuple[str, ...] = ()
    card: StoredCard | None = None
    answer_id: str = ""
    tried: datetime | None = None


Following = OutboxRow | float | None
"""A destination's next due row, leased; or in how many seconds it has one; None for never."""


class Outbox(Protocol):
    """Platform messages to post or edit, in order per destination. Raises StoreUnavailable."""

    async def take_rows(self, limit: int) -> tuple[Sequence[OutboxRow], float]:
        """Lease up to `limit` destinations, one due row each; and seconds until the next is due."""
        ...

    async def sent(self, row: OutboxRow, message_id: str, *, pace: Pace = ...) -> Following:
        """The row was shown as of its revision; the destination rests first when `pace` wants."""
        ...

    async def later(self, row: OutboxRow, *, in_s: float) -> Following:
        """The row is not to be shown yet."""
        ...

    async def retry(self, row: OutboxRow, *, in_s: float, unsure: bool = True) -> Following:
        """Hold this destination for `in_s` seconds; the row stays.

        Not `unsure` when nothing of it can have been shown this time.
        """
        ...

    async def drop(self, row: OutboxRow, reason: str) -> Following:
        """The row can never be shown; keep the reason."""
        ...

"""What operators see and mend: mail set aside, blocked runs, and how much waits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

CARD_AGES_S: Final = (3600, 8 * 3600, 24 * 3600, 7 * 24 * 3600)


@dataclass(frozen=True, slots=True)
class MailAside:
    """Mail that was set aside, under the name by which it is retried."""

    name: str
    lane: str
    mail: str
    why: str
    at: datetime


@dataclass(frozen=True, slots=True)
class BlockedRun:
    """A run that waits for an operator: its id, by which it is retried, and its state."""

    name: str
    body: str


@dataclass(frozen=True, slots=True)
class Retried:
    """Mail that somebody had handled again: who, from where, and why it had been set aside."""

    at: datetime
    by: str
    via: str
    lane: str
    why: str


@dataclass(frozen=True, slots=True)
class Backlog:
    """How much waits in all partitions, and how old the oldest is.

    `cards` are open cards by age: up to each of CARD_AGES_S, then the older ones. `workers` is how
    many lately reported that they take mail.
    """

    lanes: int
    destinations: int
    timers: int
    aside: int
    blocked: int
    mailbox_age_s: float
    outbox_age_s: float
    cards: tuple[int, ...]
    workers: int = 0


@dataclass(frozen=True, slots=True)
class StoreState:
    """What a server is at the moment: in words for people, and what would lose state.

    `identity` is another for each data set; `server_s` is its time in seconds since 1970, 0.0
    where it does not say.
    """

    durability: str
    faults: tuple[str, ...]
    identity: str
    server_s: float


class Operations(Protocol):
    """What an operator sees and does. Raises StoreUnavailable."""

    async def waiting(self) -> Sequence[MailAside | BlockedRun]:
        """Mail set aside, oldest first, then blocked runs."""
        ...

    async def retry(self, name: str, resumed: str, *, by: str = "", via: str = "") -> bool:
        """Put mail back in its lane, or `resumed` before all other mail of a blocked run.

        False when nothing waits under that name. `by` whom and from where (`via`) is kept.
        """
        ...

    async def retried(self, limit: int) -> Sequence[Retried]:
        """Mail that was put back, the newest first; a run's log has its own."""
        ...

    async def backlog(self) -> Backlog:
        """The numbers of what waits now."""
        ...

    async def attend(self, holder: str, *, for_s: float) -> None:
        """Count the holder of lanes among the workers for so long, 0 for no longer."""
        ...

    async def forfeit(
        self, holder: str, *, charged: Sequence[str] = (), extra: int = 0, retry_in_s: float = 0.0
    ) -> Sequence[str]:
        """Free all lanes of a holder that has ended, at once; returns them. So what it was showing.

        What was attempted there does not count, but at the mail of `charged` lanes, where it counts
        for one and `extra` more; these are tried again after `retry_in_s`.
        """
        ...

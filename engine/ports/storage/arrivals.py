"""Messages of people that arrived before: whether one did, and how it is edited (design §3)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, Protocol

EditOutcome = Literal["replaced", "unchanged", "taken", "unknown"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message under the `name` that edits of it carry, and a `digest` of what it says."""

    name: str
    digest: str


class Arrivals(Protocol):
    """What is known of messages for a day or two after they came. Raises StoreUnavailable."""

    async def has(self, lane: str, *, update_id: str) -> bool:
        """Whether the update was put before; the lane is woken again if it has mail."""
        ...

    async def digest(self, lane: str, *, update_id: str) -> str:
        """The digest of an update that was put before, "" where it is not known."""
        ...

    async def edit(self, lane: str, mail: str, arrival: Arrival, *, at: str) -> EditOutcome:
        """Put `mail` in the place of the message's own, if nobody has begun with that.

        `taken` when somebody has, or when there is nothing to put (""); `unknown` when no such
        message is known; `unchanged` when it says what it said, or an edit as late as `at` came
        before. `at` is a text of digits whose order is that of a message's edits.
        """
        ...

    async def waiting(self, lane: str) -> tuple[str, ...]:
        """The mail of the lane that is not handled to its end, in its order."""
        ...


FindWaiting = Callable[[str], Awaitable[tuple[str, ...]]]
"""Of a lane, the mail that is not handled to its end."""


async def nothing_waits(lane: str) -> tuple[str, ...]:
    """Where no mail is kept."""
    return ()

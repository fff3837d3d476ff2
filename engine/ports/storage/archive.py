"""What operators and developers read of the store: traces, runs with their audit, open cards."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from cards.model import Card
from engine.ports.storage.store import TraceWrite


@dataclass(frozen=True, slots=True)
class History:
    """A run as it stands, its terminal status ("" while it lives), and its audit, oldest first."""

    body: str
    ended: str
    entries: tuple[str, ...]


class Archive(Protocol):
    """What developers and operators read. Raises StoreUnavailable."""

    async def traces(self, limit: int, *, after: str = "") -> Sequence[tuple[str, str]]:
        """Ids and JSON of the newest traces, the newest first; older than `after`, with one."""
        ...

    async def trace(self, trace_id: str) -> str | None:
        """The JSON of a trace that is still kept."""
        ...

    async def runs(self, limit: int) -> Sequence[tuple[str, History]]:
        """Ids of the newest runs with how they stand, without their audit, the newest first."""
        ...

    async def history(self, run_id: str) -> History | None:
        """A run and everything that its audit says of it; None when it is not kept."""
        ...

    async def keep(self, trace: TraceWrite) -> None:
        """Keep the trace of what no lane handles; its id is one of ours."""
        ...


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
    """Runs and open cards of all conversations. Raises StoreError.

    A page costs the same however many there are.
    """

    async def runs(self, wanted: RunFilter, *, after: str, limit: int) -> RunPage:
        """A page of runs, from the newest on, or from where another page said to go on."""
        ...

    async def mark(self, run: str = "") -> str:
        """A mark that differs after each change of the run, or, for "", soon after any change."""
        ...

    async def open_cards(self, limit: int) -> tuple[Sequence[OpenCard], int]:
        """The open cards, the oldest first, at most `limit`; and how many there are in all."""
        ...

    async def cards(self, tokens: Sequence[str]) -> Sequence[Card]:
        """The cards of these tokens, in that order, without those that are not kept any more."""
        ...

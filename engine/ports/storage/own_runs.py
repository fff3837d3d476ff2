"""The runs of a person: those that they asked for, and those on whose cards they voted (§12)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from cards.model import Card


@dataclass(frozen=True, slots=True)
class OwnRunIds:
    """Ids of runs: `living` by their start, `ended` by their end, `voted` by the vote.

    The newest come first, at most as many of each as was asked for.
    """

    living: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    voted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run as it is stored, its terminal status ("" while it lives), when it ended, its cards.

    `message_id` is the message in which it answers, "" while none was posted; `entries` are the
    newest of its log.
    """

    id: str
    body: str
    ended: str = ""
    ended_at: datetime | None = None
    message_id: str = ""
    entries: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()


class OwnRuns(Protocol):
    """Runs of all partitions by whom they belong to. Raises StoreError."""

    async def find(self, names: Sequence[str], *, limit: int) -> OwnRunIds:
        """The runs of a person under any of these ids of theirs, without child runs."""
        ...

    async def read(self, runs: Sequence[str]) -> Sequence[KeptRun]:
        """Those of the runs that are kept, in this order."""
        ...

    async def log(self, run: str) -> Sequence[str]:
        """All entries of a run's log (JSON), the oldest first; none for one that is not kept."""
        ...

    async def repair(self) -> int:
        """List runs that earlier versions did not list; returns how many."""
        ...


class _NoOwnRuns:
    async def find(self, names: Sequence[str], *, limit: int) -> OwnRunIds:
        return OwnRunIds()

    async def read(self, runs: Sequence[str]) -> Sequence[KeptRun]:
        return ()

    async def log(self, run: str) -> Sequence[str]:
        return ()

    async def repair(self) -> int:
        return 0


NO_OWN_RUNS: OwnRuns = _NoOwnRuns()
"""Where no runs are listed."""

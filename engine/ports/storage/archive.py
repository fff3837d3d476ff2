"""What is kept of what was done: traces, and runs with their audit (design §3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

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

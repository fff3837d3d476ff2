"""Cases as they are stored: what runs of one thing share."""

from collections.abc import Sequence
from typing import Protocol


class Cases(Protocol):
    """Bodies are opaque JSON texts to the store. Raises StoreUnavailable."""

    async def read(self, case: str) -> str:
        """The body of the case of that id, "" where there is none."""
        ...

    async def ids(self) -> Sequence[str]:
        """The ids of all cases, those that changed last first."""
        ...


class NoCases:
    """Knows none."""

    async def read(self, case: str) -> str:
        """There is none."""
        return ""

    async def ids(self) -> Sequence[str]:
        """There are none."""
        return ()


NO_CASES = NoCases()

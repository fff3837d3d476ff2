"""What a platform keeps for itself in the store."""

from collections.abc import Sequence
from typing import Protocol


class ExpiringTexts(Protocol):
    """Texts by name, each for a while, as of half-filled forms. Raises StoreUnavailable."""

    async def read(self, name: str) -> str:
        """The text under this name, "" for none or when its time is over."""
        ...

    async def write(self, name: str, text: str, *, was: str, keep_s: float) -> bool:
        """Put `text` where `was` stands ("" for nothing), for so long; "" takes it away.

        False, and nothing changes, when something else stands there.
        """
        ...


class PlatformTexts(Protocol):
    """Texts by kind and name, and lists of names; each platform has its own.

    Raises StoreUnavailable.
    """

    async def get(self, kind: str, name: str) -> str:
        """The text, "" for none."""
        ...

    async def put(self, kind: str, name: str, text: str, *, keep_s: float | None = None) -> None:
        """Keep a text in place of the last one of that name, for so long or for good."""
        ...

    async def drop(self, kind: str, name: str) -> bool:
        """Forget the text; whether there was one."""
        ...

    async def enlist(self, kind: str, name: str) -> None:
        """Put a name on the list of that kind."""
        ...

    async def delist(self, kind: str, name: str) -> None:
        """Take a name off the list."""
        ...

    async def names(self, kind: str) -> Sequence[str]:
        """Every name on the list, in order."""
        ...

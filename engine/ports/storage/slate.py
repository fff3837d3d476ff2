"""Small texts that a platform keeps by name, each for a while: half-filled forms, aliases."""

from typing import Protocol


class Slate(Protocol):
    """Shared by all processes. Raises StoreUnavailable."""

    async def read(self, name: str) -> str:
        """The text under this name, or "" when none stands there any more."""
        ...

    async def write(self, name: str, text: str, *, was: str, keep_s: float) -> bool:
        """Put `text` where `was` stands ("" for nothing), for so long; "" takes it away.

        False, and nothing changes, when something else stands there.
        """
        ...

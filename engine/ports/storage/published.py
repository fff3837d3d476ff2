"""Definitions that all processes of a service share (design §5)."""

from typing import Protocol


class Published(Protocol):
    """Bodies by content digest, and one pointer to those that are current.

    Raises StoreUnavailable.
    """

    async def publish(self, digest: str, body: str) -> None:
        """Keep a body; the same digest is written once."""
        ...

    async def load(self, digest: str) -> str | None:
        """The body, or None when it was never published."""
        ...

    async def point(self, pointer: str) -> None:
        """Say for all processes what is current."""
        ...

    async def pointer(self) -> str | None:
        """What is current, or None before the first `point`."""
        ...

    async def save_learned(self, digest: str, body: bytes) -> None:
        """Keep what was learned from that digest's examples, until nobody reads it any more."""
        ...

    async def load_learned(self, digest: str) -> bytes | None:
        """What was learned, or None when it is not kept (any more)."""
        ...

"""Who is signed in to the admin pages, for all web processes."""

from typing import Protocol


class Sessions(Protocol):
    """Texts under names that nobody can guess, which vanish by themselves. Raises StoreError."""

    async def begin(self, name: str, body: str, *, keep_s: int) -> None:
        """Keep the text for so many seconds."""
        ...

    async def find(self, name: str) -> str | None:
        """The text, or None once it is gone."""
        ...

    async def end(self, name: str) -> None:
        """Forget it now."""
        ...

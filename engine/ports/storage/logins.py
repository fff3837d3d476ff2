"""Who is signed in to the web chat: one-time links and sessions (design §9)."""

from typing import Protocol


class Logins(Protocol):
    """Secrets are random and kept as digests only. Persons are ids. Raises StoreUnavailable."""

    async def link(self, person: str, *, keep_s: float) -> str:
        """The secret of a new link, which signs this person in once within `keep_s` seconds."""
        ...

    async def enter(self, link: str, *, keep_s: float) -> str | None:
        """Spend a link: the secret of a new session of `keep_s` seconds; None for no such link."""
        ...

    async def person(self, session: str) -> str | None:
        """Whose session it is; None when it ended."""
        ...

    async def leave(self, session: str) -> None:
        """End a session."""
        ...

    async def leave_everywhere(self, person: str) -> None:
        """End all sessions of a person, and make their links worthless."""
        ...

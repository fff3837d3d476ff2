"""Who is signed in: to the web chat by one-time links, and to the admin pages (design §9)."""

from typing import Protocol


class Sessions(Protocol):
    """Sessions of the admin pages: texts under names that nobody can guess. Raises StoreError."""

    async def begin(self, name: str, body: str, *, keep_s: int) -> None:
        """Keep the text for so many seconds."""
        ...

    async def find(self, name: str) -> str | None:
        """The text, or None once it is gone."""
        ...

    async def end(self, name: str) -> None:
        """Forget it now."""
        ...


class Logins(Protocol):
    """Links and sessions of the web chat, kept as digests of random secrets.

    Persons are principal ids. Raises StoreUnavailable.
    """

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

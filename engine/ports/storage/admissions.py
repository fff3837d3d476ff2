"""Accounts that an admin let in, beside those of people.yaml."""

from datetime import datetime
from typing import Protocol

from cards.frozen import Frozen


class Entrant(Frozen):
    """An account that may ask and start, with no role; who let it in (principal id), and when."""

    account: str
    name: str = ""
    by: str = ""
    at: datetime | None = None


class Admissions(Protocol):
    """Kept for good, until it is revoked. Raises StoreUnavailable."""

    async def everybody(self) -> tuple[Entrant, ...]:
        """All who were let in, by account."""
        ...

    async def admit(self, entrant: Entrant) -> None:
        """Let the account in; once more changes nothing but by whom and when."""
        ...

    async def revoke(self, account: str) -> bool:
        """Let it in no more; False when it was not."""
        ...


class NoAdmissions:
    """Lets nobody in."""

    async def everybody(self) -> tuple[Entrant, ...]:
        """Nobody."""
        return ()

    async def admit(self, entrant: Entrant) -> None:
        """Nothing is kept."""

    async def revoke(self, account: str) -> bool:
        """Nobody was."""
        return False


NO_ADMISSIONS = NoAdmissions()

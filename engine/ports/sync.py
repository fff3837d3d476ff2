"""The system of record: where what a run learns is copied to, change by change (spec 003, Sync)."""

from datetime import datetime
from typing import Any, Protocol

from cards.frozen import Frozen


class Change(Frozen):
    """Fields that a skill changed, for the system of record that the playbook names.

    `to` is `sample` or an http(s) address. `number` counts a run's changes from 1; a change is sent
    only after the one before it was taken. `attempt` counts how often an operator had it sent
    again. `fields` holds JSON values by path (`profile.x`, `decisions.x`, `name`), None for one
    that was cleared; `by` is the skill or person that changed them.
    """

    run: str
    playbook: str
    conversation: str
    requester: str
    to: str
    number: int
    attempt: int = 1
    by: str
    at: datetime
    fields: dict[str, Any]

    @property
    def key(self) -> str:
        """The idempotency key: the same for every repeat of this change."""
        return f"{self.run}:sync:{self.number}"

    @property
    def row(self) -> str:
        """The outbox row that carries it."""
        return f"{self.run}/sync/{self.number}.{self.attempt}"


class SystemOfRecord(Protocol):
    """Takes changes, at least once each, in order per run."""

    async def take(self, change: Change) -> None:
        """Keep the change; a repeat of its key changes nothing.

        Raises SyncRefused when trying again cannot help, RateLimited or Unavailable when it may.
        """
        ...

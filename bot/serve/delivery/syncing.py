"""A run's changes on their way to the system of record, and word of it to the run (spec 003)."""

import asyncio
import re

import structlog

from bot.serve.delivery.backoff import backoff_s
from engine.errors import Overloaded, RateLimited, SyncRefused, Unavailable
from engine.mail import ChangeSynced, SyncFailed
from engine.ports.storage.outbox import Following, Outbox, OutboxRow
from engine.ports.storage.store import Mailbox
from engine.ports.sync import Change, SystemOfRecord

log = structlog.get_logger()
# Slow endpoints must leave places for the messages that people wait for.
AT_ONCE = 8
# How long a change waits that found no place.
FULL_S = 1.0
_DESTINATION = "sync:"
_ROW = re.compile(r"(?P<run>.+)/sync/(?P<number>[0-9]{1,9})\.(?P<attempt>[0-9]{1,9})")


class Syncing:
    """Hands changes over until they are taken or refused; the run is told before the row goes.

    A worker that ends in between leaves the row: it is handed over again under the same key, and
    the same mail is put once.
    """

    def __init__(
        self, outbox: Outbox, mailbox: Mailbox, record: SystemOfRecord, *, lease_s: float
    ) -> None:
        self._outbox = outbox
        self._mailbox = mailbox
        self._record = record
        # Whoever takes longer than the lease would be repeated by another.
        self._patience_s = lease_s * 2 / 3
        self._busy = 0

    def carries(self, row: OutboxRow) -> bool:
        """Whether the row is a change; also one that expired and has lost its kind."""
        return row.conversation.startswith(_DESTINATION)

    async def carry(self, row: OutboxRow) -> Following:
        """Hand the row's change over; a fault of ours is raised. Raises StoreUnavailable."""
        if self._busy >= AT_ONCE:
            return await self._outbox.retry(row, in_s=FULL_S)
        self._busy += 1
        try:
            return await self._settled(row)
        except RateLimited as error:
            log.warning("change_failed", row=row.row, error=str(error))
            return await self._outbox.retry(row, in_s=error.retry_after_s)
        except (Unavailable, Overloaded) as error:
            # A run that stands still takes no word of it: no reason to send without a pause.
            log.warning("change_failed", row=row.row, error=str(error))
            return await self._outbox.retry(row, in_s=backoff_s(row.attempts))
        finally:
            self._busy -= 1

    async def give_up(self, row: OutboxRow, reason: str) -> Following:
        """Tell the run that its change is not taken, and drop the row. Raises StoreUnavailable."""
        log.error("change_refused", row=row.row, reason=reason)
        try:
            await self._tell_refused(row.row, reason)
        except ValueError:
            log.error("change_of_nobody", row=row.row)
        return await self._outbox.drop(row, reason)

    async def _settled(self, row: OutboxRow) -> Following:
        if row.kind != "sync":
            return await self.give_up(row, "could not be handed over for as long as it was kept")
        change = Change.model_validate_json(row.body)
        try:
            await self._handed_over(change)
        except SyncRefused as error:
            return await self.give_up(row, str(error))
        await self._put(change.run, ChangeSynced(number=change.number), f"{change.key}:taken")
        return await self._outbox.sent(row, "taken")

    async def _handed_over(self, change: Change) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                await self._record.take(change)
        except TimeoutError as error:
            raise Unavailable(f"no answer within {self._patience_s:g} s") from error

    async def _tell_refused(self, row: str, reason: str) -> None:
        """Mail to the run that the row's name names, for its body may be what cannot be read.

        Raises ValueError when that is no run of ours.
        """
        named = _ROW.fullmatch(row)
        if named is None:
            raise ValueError("not a change's row")
        number, attempt = int(named["number"]), int(named["attempt"])
        mail = SyncFailed(number=number, attempt=attempt, reason=reason)
        update_id = f"{named['run']}:sync:{number}:refused:{attempt}"
        await self._put(named["run"], mail, update_id)

    async def _put(self, run: str, mail: ChangeSynced | SyncFailed, update_id: str) -> None:
        await self._mailbox.put(f"run:{run}", mail.stored(), update_id=update_id)

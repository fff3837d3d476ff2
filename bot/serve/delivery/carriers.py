"""Rows of the outbox that no platform shows: changes, letters, findings, cards shown again."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence

import structlog

from bot.people.directory import Directory
from bot.serve.delivery.pacing import LONGEST_S, backoff_s
from cards.deciding.inbox import is_waiting_for
from engine.errors import Overloaded, RateLimited, SyncRefused, Unavailable
from engine.mail import ChangeSynced, SyncFailed
from engine.ports.storage.findings import Check, CheckReport, Findings
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.outbox import Following, Outbox, OutboxRow
from engine.ports.storage.store import Decisions, Mailbox
from engine.ports.systems.sync import Change, SystemOfRecord
from engine.talk.pending import CardRepost

log = structlog.get_logger()
# Slow endpoints leave places for messages that people wait for.
AT_ONCE = 8
# How long a change waits for a place.
FULL_S = 1.0
_CHANGES = "sync:"
_ROW = re.compile(r"(?P<run>.+)/sync/(?P<number>[0-9]{1,9})\.(?P<attempt>[0-9]{1,9})")
_CHECKS = "checks:"
_LANES = "lane:"
_CARDS = "cards:"
# How soon the cards are tried again while their list is not posted yet; ever later.
_LOOK_S = 0.2
_LATER = 1.5
# The pause between cards of one list, which keeps their order.
_APART_S = 0.02


class ChangeCarrier:
    """Hands changes to the system of record until they are taken or refused (spec 003).

    The run gets mail before the row goes. If a worker ends in between, the change is handed
    over again under the same key, and the same mail is put once.
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
        """Whether the row is a change, also one that has expired and lost its kind."""
        return row.conversation.startswith(_CHANGES)

    async def carry(self, row: OutboxRow) -> Following:
        """Hand the row's change over. Raises StoreUnavailable."""
        if self._busy >= AT_ONCE:
            return await self._outbox.retry(row, in_s=FULL_S)
        self._busy += 1
        try:
            return await self._hand_over_and_mail(row)
        except RateLimited as error:
            log.warning("change_failed", row=row.row, error=str(error))
            return await self._outbox.retry(row, in_s=error.retry_after_s)
        except (Unavailable, Overloaded) as error:
            # Sent after a pause, however long the run waits for it.
            log.warning("change_failed", row=row.row, error=str(error))
            return await self._outbox.retry(row, in_s=backoff_s(row.attempts))
        finally:
            self._busy -= 1

    async def give_up(self, row: OutboxRow, reason: str) -> Following:
        """Tell the run that its change is not taken, and drop the row. Raises StoreUnavailable."""
        log.error("change_refused", row=row.row, reason=reason)
        try:
            await self._mail_refusal(row.row, reason)
        except ValueError:
            log.error("change_of_nobody", row=row.row)
        return await self._outbox.drop(row, reason)

    async def _hand_over_and_mail(self, row: OutboxRow) -> Following:
        if row.kind != "sync":
            return await self.give_up(row, "could not be handed over for as long as it was kept")
        change = Change.model_validate_json(row.body)
        try:
            await self._hand_over(change)
        except SyncRefused as error:
            return await self.give_up(row, str(error))
        await self._put(change.run, ChangeSynced(number=change.number), f"{change.key}:taken")
        return await self._outbox.sent(row, "taken")

    async def _hand_over(self, change: Change) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                await self._record.take(change)
        except TimeoutError as error:
            raise Unavailable(f"no answer within {self._patience_s:g} s") from error

    async def _mail_refusal(self, row: str, reason: str) -> None:
        """Mail the refusal to the run that the row's name has, since its body may be unreadable.

        Raises ValueError when the name is not of a change.
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


class LetterCarrier:
    """Takes mail to lanes of other partitions, each once (design §12).

    A worker that ends in between leaves the row for another, which puts the same mail once.
    """

    def __init__(self, outbox: Outbox, mailbox: Mailbox) -> None:
        self._outbox = outbox
        self._mailbox = mailbox

    def carries(self, row: OutboxRow) -> bool:
        """Whether the row is mail, also one that has expired and lost its kind."""
        return row.conversation.startswith(_LANES)

    async def carry(self, row: OutboxRow) -> Following:
        """Put the row's mail into its lane. Raises StoreUnavailable."""
        if row.kind != "letter":
            return await self.give_up(row, "could not be delivered for as long as it was kept")
        letter = json.loads(row.body)
        try:
            await self._mailbox.put(letter["lane"], letter["mail"], update_id=letter["key"])
        except Overloaded as error:
            log.warning("letter_waits", row=row.row, error=str(error))
            return await self._outbox.retry(row, in_s=backoff_s(row.attempts))
        return await self._outbox.sent(row, "delivered")

    async def give_up(self, row: OutboxRow, reason: str) -> Following:
        """Drop the row, and say so. Raises StoreUnavailable."""
        log.error("letter_lost", row=row.row, to=row.conversation, reason=reason)
        return await self._outbox.drop(row, reason)


class FindingsCarrier:
    """Keeps what a step's checks found among the findings of its project (spec 001 §4.3).

    A worker that ends in between leaves the row for another.
    """

    def __init__(
        self, outbox: Outbox, findings: Findings, former_project: Callable[[Check], str]
    ) -> None:
        self._outbox = outbox
        self._findings = findings
        self._former_project = former_project

    def carries(self, row: OutboxRow) -> bool:
        """Whether the row is a step's checks, also one that has expired and lost its kind."""
        return row.conversation.startswith(_CHECKS)

    async def carry(self, row: OutboxRow) -> Following:
        """Keep all checks of the row. Raises StoreError."""
        if row.kind != "check":
            return await self.give_up(row, "could not be kept for as long as it waited")
        report = CheckReport.model_validate_json(row.body)
        if dropped := await self._findings.keep(*report.checks, *self._close_former(report.checks)):
            log.warning("findings_dropped", project=report.checks[0].project, findings=dropped)
        if report.withdrawn is not None:
            await self._findings.withdraw(report.withdrawn)
        return await self._outbox.sent(row, "kept")

    def _close_former(self, checks: Sequence[Check]) -> list[Check]:
        """Empty checks that close the same ones where earlier versions kept them."""
        found = [(check, self._former_project(check)) for check in checks]
        return [
            check.model_copy(update={"project": former, "findings": (), "found": 0})
            for check, former in found
            if former != check.project
        ]

    async def give_up(self, row: OutboxRow, reason: str) -> Following:
        """Drop the row, and say so. Raises StoreUnavailable."""
        log.error("checks_lost", row=row.row, to=row.conversation, reason=reason)
        return await self._outbox.drop(row, reason)


class RepostCarrier:
    """Posts the cards of a `/pending` list below it, each once (design §3).

    A worker that ends in between leaves the row for another.
    """

    def __init__(
        self, outbox: Outbox, decisions: Decisions, inbox: Inbox, people: Directory
    ) -> None:
        self._outbox = outbox
        self._decisions = decisions
        self._inbox = inbox
        self._people = people

    def carries(self, row: OutboxRow) -> bool:
        """Whether the row holds cards to show, also one that has expired and lost its kind."""
        return row.conversation.startswith(_CARDS)

    async def carry(self, row: OutboxRow) -> Following:
        """Show the row's cards once their list is posted."""
        if row.kind != "cards":
            return await self.give_up(row, "could not be shown for as long as it waited")
        if not row.answer_id:
            in_s = min(_LOOK_S * _LATER ** min(row.attempts, 50), LONGEST_S)
            return await self._outbox.retry(row, in_s=in_s)
        again = CardRepost.model_validate_json(row.body)
        for number, token in enumerate(again.cards):
            await self._show(token, again, f"{token}@{row.row}", number * _APART_S)
        return await self._outbox.sent(row, "shown")

    async def _show(self, token: str, again: CardRepost, name: str, due_s: float) -> None:
        """Show a card, unless it was closed or the person may no longer decide it."""
        found = await self._decisions.card(token)
        if found is None:
            return
        actor = again.actor
        person = self._people.principal(actor)
        person = self._people.as_voter(person, found.card, found.now.date())
        if not is_waiting_for(found.card, person, found.now):
            return
        # A direct chat is named by its account, so that the card is in its person's language.
        is_direct = self._people.rules_of(again.place).is_direct(again.place)
        place = f"{actor.platform}:{actor.workspace}:{actor.user}" if is_direct else again.place
        await self._inbox.show(token, row=name, place=place, due_s=due_s)

    async def give_up(self, row: OutboxRow, reason: str) -> Following:
        """Drop the row, and say so. Raises StoreUnavailable."""
        log.error("cards_not_shown", row=row.row, to=row.conversation, reason=reason)
        return await self._outbox.drop(row, reason)

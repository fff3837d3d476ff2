"""What checks found on its way to the pending findings of its project (spec 001 §4.3)."""

from collections.abc import Callable, Sequence

import structlog

from engine.ports.storage.findings import Check, Checks, Findings
from engine.ports.storage.outbox import Following, Outbox, OutboxRow

log = structlog.get_logger()
_DESTINATION = "checks:"


class Keeping:
    """Hands over what a step checked; a worker that ends in between leaves the row for another."""

    def __init__(self, outbox: Outbox, findings: Findings, project: Callable[[str], str]) -> None:
        self._outbox = outbox
        self._findings = findings
        self._project = project

    def carries(self, row: OutboxRow) -> bool:
        """Whether the row is a step's checks; also one that expired and has lost its kind."""
        return row.conversation.startswith(_DESTINATION)

    async def carry(self, row: OutboxRow) -> Following:
        """Keep all of the row's checks; a fault of ours is raised. Raises StoreError."""
        if row.kind != "check":
            return await self.give_up(row, "could not be kept for as long as it waited")
        told = Checks.model_validate_json(row.body)
        if dropped := await self._findings.keep(*told.checks, *self._former(told.checks)):
            log.warning("findings_dropped", project=told.checks[0].project, findings=dropped)
        if told.withdrawn is not None:
            await self._findings.withdraw(told.withdrawn)
        return await self._outbox.sent(row, "kept")

    def _former(self, checks: Sequence[Check]) -> list[Check]:
        """What closes the same checks where earlier versions kept them: under the conversation's
        project."""
        found = [(check, self._project(check.conversation)) for check in checks]
        return [
            check.model_copy(update={"project": former, "findings": (), "found": 0})
            for check, former in found
            if former != check.project
        ]

    async def give_up(self, row: OutboxRow, reason: str) -> Following:
        """Drop the row, and say so. Raises StoreUnavailable."""
        log.error("checks_lost", row=row.row, to=row.conversation, reason=reason)
        return await self._outbox.drop(row, reason)

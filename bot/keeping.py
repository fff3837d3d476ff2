"""What checks found on its way to the pending findings of its project (spec 001 §4.3)."""

import structlog

from engine.ports.findings import Checks, Findings
from engine.ports.store import Following, Outbox, Row

log = structlog.get_logger()
_DESTINATION = "checks:"


class Keeping:
    """Hands over what a step checked; a worker that ends in between leaves the row for another."""

    def __init__(self, outbox: Outbox, findings: Findings) -> None:
        self._outbox = outbox
        self._findings = findings

    def carries(self, row: Row) -> bool:
        """Whether the row is a step's checks; also one that expired and has lost its kind."""
        return row.conversation.startswith(_DESTINATION)

    async def carry(self, row: Row) -> Following:
        """Keep all of the row's checks; a fault of ours is raised. Raises StoreError."""
        if row.kind != "check":
            return await self.give_up(row, "could not be kept for as long as it waited")
        checks = Checks.model_validate_json(row.body).checks
        if dropped := await self._findings.keep(*checks):
            log.warning("findings_dropped", project=checks[0].project, findings=dropped)
        return await self._outbox.sent(row, "kept")

    async def give_up(self, row: Row, reason: str) -> Following:
        """Drop the row, and say so. Raises StoreUnavailable."""
        log.error("checks_lost", row=row.row, to=row.conversation, reason=reason)
        return await self._outbox.drop(row, reason)

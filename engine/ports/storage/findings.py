"""What checks found wrong with records, and what of it stands (spec 001 §4.3, pending actions)."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from cards.frozen import Frozen


class Finding(Frozen):
    """One thing that a check found, as plain text in the language of its run.

    `label` is what people call the field; `entry` says which entry of the record it is about, such
    as a visit's date.
    """

    field: str
    label: str
    message: str
    severity: Literal["error", "warning", "info"] = "error"
    value: str = ""
    entry: str = ""


class Check(Frozen):
    """All that a node of an SOP found wrong with a record at a moment; nothing closes what stood.

    `project` is the playbook's. `findings` are the first of as many as `found` says. `requester` is
    whose run checked ("" where an older version kept it), `title` what people call that run.
    """

    project: str
    playbook: str
    record: str
    skill: str
    node: str
    run: str
    conversation: str
    at: datetime
    findings: tuple[Finding, ...] = ()
    found: int = 0
    requester: str = ""
    title: str = ""

    @property
    def about(self) -> str:
        """What was checked, as people call it: the record, or the run where there is none."""
        return self.title if self.title and self.record == self.run else self.record

    @property
    def name(self) -> str:
        """The same for every check of this record by this node."""
        return json.dumps([self.playbook, self.skill, self.node, self.record], ensure_ascii=False)


class Withdrawal(Frozen):
    """That what a run found stands no longer: of one record, or of all with "" for it."""

    project: str
    run: str
    record: str = ""
    at: datetime


class CheckReport(Frozen):
    """What one step of a run checked, and what its end withdraws, as an outbox row carries it."""

    checks: tuple[Check, ...] = ()
    withdrawn: Withdrawal | None = None


@dataclass(frozen=True, slots=True)
class ProjectFindings:
    """What stands of a project: how many findings in all, and the newest checks with findings.

    `dropped` counts findings that gave way since nothing stood, as only so many are kept.
    """

    findings: int = 0
    checks: tuple[Check, ...] = ()
    dropped: int = 0


class Findings(Protocol):
    """The newest check of each record by each node, as far as it found something."""

    async def keep(self, *checks: Check) -> int:
        """Put each in place of an older check of the same name; a newer one stays.

        Returns how many findings, of the oldest checks, gave way to them. Raises StoreError: some
        may have been kept, and all may be kept again.
        """
        ...

    async def withdraw(self, ended: Withdrawal) -> int:
        """Close what the run found; returns how many findings that were. Raises StoreError."""
        ...

    async def of(self, project: str, limit: int) -> ProjectFindings:
        """What stands, with the newest `limit` checks, the newest first. Raises StoreError."""
        ...

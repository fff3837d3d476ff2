"""Where a playbook may have its runs' changes sent."""

from adapters.sync.address import wrong_with
from engine.ports.sync import Change, SystemOfRecord

SAMPLE = "sample"
"""The target that needs no server."""


class Targets:
    """The system of record that each change names: the sample, or an address."""

    def __init__(self, *, sample: SystemOfRecord, http: SystemOfRecord) -> None:
        self._sample = sample
        self._http = http

    async def take(self, change: Change) -> None:
        """As the one that the change names does; its errors are told as they are."""
        await (self._sample if change.to == SAMPLE else self._http).take(change)


def fault_of(to: str, *, signed: bool) -> str | None:
    """What is wrong with a playbook's target, for the one who wrote it; None for a good one.

    `signed` says whether there is a secret to sign with.
    """
    if to == SAMPLE:
        return None
    wrong = wrong_with(to)
    if wrong:
        return f"should be {SAMPLE} or an address; {to!r} {wrong}"
    if not signed:
        return "needs SIGNOFF_SYNC_SECRET, to sign what is sent to that address"
    return None

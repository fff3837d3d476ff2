"""Where a playbook may have its runs' changes sent."""

from engine.ports.sync import SAMPLE, Change, SystemOfRecord


class Targets:
    """The system of record that each change names: the sample, or an address."""

    def __init__(self, *, sample: SystemOfRecord, http: SystemOfRecord) -> None:
        self._sample = sample
        self._http = http

    async def take(self, change: Change) -> None:
        """As the one that the change names does; its errors are told as they are."""
        await (self._sample if change.to == SAMPLE else self._http).take(change)

"""The counts of this process, passed on to those of all processes every few seconds."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import structlog

from bot.stopping import pause
from bot.telemetry.families import buckets_of
from engine.errors import StoreError
from engine.ports.storage.model_numbers import Count, ModelNumbers

log = structlog.get_logger()
EVERY_S: Final = 5.0


class SharedMeter:
    """A Meter whose counts go to the store, where they add up over all processes.

    What a store does not take waits for the next time; a process that is killed takes its last
    five seconds with it.
    """

    def __init__(self, numbers: ModelNumbers) -> None:
        self._numbers = numbers
        self._counts: dict[Count, float] = defaultdict(float)

    def count(self, name: str, *labels: str, amount: float = 1.0) -> None:
        """Add to a count."""
        self._counts[(name, *labels)] += amount

    def took(self, name: str, seconds: float, *labels: str) -> None:
        """Count it in the bucket that it falls in, and its seconds in the sum."""
        bounds: Iterable[float] = buckets_of(name)
        bucket = next((f"{bound:g}" for bound in bounds if seconds <= bound), "+Inf")
        self._counts[(name, *labels, bucket)] += 1
        self._counts[(f"{name}_sum", *labels)] += seconds

    async def share(self) -> None:
        """Pass on what is new. Raises StoreError; then it is kept for the next time."""
        counts, self._counts = self._counts, defaultdict(float)
        new = {name: amount for name, amount in counts.items() if amount}
        try:
            if new:
                await self._numbers.add(new)
        except StoreError:
            for name, amount in new.items():
                self._counts[name] += amount
            raise

    async def run(self, stop: asyncio.Event) -> None:
        """Pass on what is new until `stop`, then what is left."""
        while True:
            await pause(stop, EVERY_S)
            try:
                await self.share()
            except StoreError as error:
                log.warning("counts_wait", error=str(error))
            if stop.is_set():
                return

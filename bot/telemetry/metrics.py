"""Every number of the service for Prometheus: declared, counted and shared (design §9)."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import structlog

from bot.waits import pause
from engine.errors import StoreError
from engine.ports.meter import Meter
from engine.ports.storage.model_numbers import Count, ModelNumbers
from engine.ports.storage.store import Effects
from engine.runs.children import AT_ANY_STEP

log = structlog.get_logger()
SHARE_EVERY_S: Final = 5.0
_SHORT_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_MODEL_S = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0)


@dataclass(frozen=True, slots=True)
class Family:
    """A metric: the name it is counted under, its name for Prometheus, meaning and labels.

    With `buckets_s` it is a histogram of seconds, else a counter.
    """

    counted: str
    name: str
    meaning: str
    labels: tuple[str, ...] = ()
    buckets_s: tuple[float, ...] = ()


FAMILIES = (
    Family(
        "updates",
        "updates",
        "Messages, commands, taps and forms that came in, and what was answered",
        ("platform", "kind", "outcome"),
    ),
    Family("ack", "ack_seconds", "Until an update was durable", ("platform",), _SHORT_S),
    Family("turn", "turn_seconds", "Handling of a message", ("route",), _SHORT_S),
    Family("step", "step_seconds", "A step of a run", ("frame",), _SHORT_S),
    Family("ended", "runs_ended", "Runs that ended, child runs left out, and how", ("end",)),
    Family("tools", "tool_calls", "Calls of tools, and what came of them", ("tool", "outcome")),
    Family(
        "connections",
        "connection_calls",
        "Calls of systems outside, and what came of them",
        ("connection", "outcome"),
    ),
    Family("sent", "deliveries", "Messages sent or edited", ("platform", "outcome")),
    Family(
        "refused",
        "content_refused",
        "Messages that a platform refused for what they hold, by how they were to be shown",
        ("platform", "way"),
    ),
    Family("limited", "rate_limited", "Answers 429 of platforms", ("platform",)),
    Family("lease_lost", "lease_losses", "Lanes that another worker took over", ("lane",)),
    Family("failed", "handling_failures", "Mail whose handling failed", ("lane",)),
    Family("budget_used", "budgets_used_up", "Budgets of the model that were used up", ("of",)),
    Family(
        "day_limits",
        "model_day_limits",
        "Questions to a model that were refused, since a limit of the day was used up",
        ("whose",),
    ),
    Family(
        "model_full",
        "model_full",
        "Mail that waited in the store, since a limit of lanes that wait for a model was reached",
        ("limit",),
    ),
    Family("calls", "model_calls", "Requests to models, what came of them", ("model", "outcome")),
    Family("tokens", "model_tokens", "Tokens that model servers counted", ("model", "kind")),
    Family(
        "asked_for",
        "model_purpose_calls",
        "Requests to models, by what they were asked for",
        ("purpose", "outcome"),
    ),
    Family(
        "purpose_tokens",
        "model_purpose_tokens",
        "Tokens that model servers counted, by what models were asked for",
        ("purpose", "kind"),
    ),
    Family("cost", "model_cost", "Cost of the tokens, by the prices of LLM_PRICES", ("model",)),
    Family("seconds", "model_seconds", "Time to a whole answer", ("model",), _MODEL_S),
)
_BUCKETS = {family.counted: family.buckets_s for family in FAMILIES}


def histogram_buckets(counted: str) -> tuple[float, ...]:
    """The upper bounds of a metric's buckets, in seconds. Raises KeyError for an unknown one."""
    return _BUCKETS[counted]


@dataclass(frozen=True, slots=True)
class GaugeReading:
    """A gauge that was just read: `values` by label value, or by "" without a label."""

    name: str
    meaning: str
    values: Mapping[str, float]
    label: str = ""


class SharedMeter:
    """A Meter whose counts are added up in the store, over all processes.

    Counts that the store does not take wait for the next time; a process that is killed loses those
    of its last five seconds.
    """

    def __init__(self, numbers: ModelNumbers) -> None:
        self._numbers = numbers
        self._counts: dict[Count, float] = defaultdict(float)

    def count(self, name: str, *labels: str, amount: float = 1.0) -> None:
        """Add to a count."""
        self._counts[(name, *labels)] += amount

    def took(self, name: str, seconds: float, *labels: str) -> None:
        """Count a duration in its bucket, and add its seconds to the sum."""
        bounds: Iterable[float] = histogram_buckets(name)
        bucket = next((f"{bound:g}" for bound in bounds if seconds <= bound), "+Inf")
        self._counts[(name, *labels, bucket)] += 1
        self._counts[(f"{name}_sum", *labels)] += seconds

    async def share(self) -> None:
        """Send new counts to the store. Raises StoreError, and keeps them for the next time."""
        counts, self._counts = self._counts, defaultdict(float)
        new = {name: amount for name, amount in counts.items() if amount}
        try:
            if new:
                await self._numbers.add(new)
        except StoreError:
            for name, amount in new.items():
                self._counts[name] += amount
            raise

    async def run(self, stop: asyncio.Event, *, every_s: float = SHARE_EVERY_S) -> None:
        """Share every few seconds until `stop`, then once more."""
        while True:
            await pause(stop, every_s)
            try:
                await self.share()
            except StoreError as error:
                log.warning("counts_wait", error=str(error))
            if stop.is_set():
                return


def count_ended_runs(effects: Effects, meter: Meter) -> None:
    """Count each run that these effects end, by its end; child runs are left out (design §14)."""
    for run in effects.runs:
        if run.ended and not run.parent:
            meter.count("ended", run.end)
    for _, steps in effects.cancels:
        if steps != AT_ANY_STEP:
            meter.count("ended", "cancelled")

"""The numbers of the service as Prometheus reads them; loaded at the first scrape."""

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from bot.telemetry.metrics import FAMILIES, Family, GaugeReading
from engine.ports.storage.model_numbers import Count

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
"""Of what `expose` gives."""


def expose(counts: Mapping[Count, float], readings: Iterable[GaugeReading]) -> bytes:
    """The text of one scrape."""
    registry = CollectorRegistry()
    registry.register(_MetricFamilies(counts, readings))
    return generate_latest(registry)


class _MetricFamilies(Collector):
    """The collector of counts and readings that were read for one scrape."""

    def __init__(self, counts: Mapping[Count, float], readings: Iterable[GaugeReading]) -> None:
        self._counts = counts
        self._readings = tuple(readings)

    def collect(self) -> Iterable[Metric]:
        """One family for each metric."""
        for family in FAMILIES:
            yield self._histogram(family) if family.buckets_s else self._counter(family)
        for reading in self._readings:
            labels = (reading.label,) if reading.label else ()
            gauge = GaugeMetricFamily(f"signoff_{reading.name}", reading.meaning, labels=labels)
            for value, number in reading.values.items():
                gauge.add_metric([value] if labels else [], number)
            yield gauge

    def _counter(self, family: Family) -> Metric:
        found = CounterMetricFamily(
            f"signoff_{family.name}", family.meaning, labels=list(family.labels)
        )
        for values, amount in self._find_counts(family.counted, len(family.labels)):
            found.add_metric(values, amount)
        return found

    def _histogram(self, family: Family) -> Metric:
        found = HistogramMetricFamily(
            f"signoff_{family.name}", family.meaning, labels=list(family.labels)
        )
        width = len(family.labels)
        counted = self._find_counts(family.counted, width + 1)
        for values in dict.fromkeys(labels[:width] for labels, _ in counted):
            total = self._counts.get((f"{family.counted}_sum", *values), 0.0)
            found.add_metric(list(values), self._buckets(family, values), total)
        return found

    def _find_counts(self, counted: str, width: int) -> list[tuple[Count, float]]:
        """The counts of a metric; those of another build, with other labels, are left out."""
        return sorted(
            (count[1:], amount)
            for count, amount in self._counts.items()
            if count[0] == counted and len(count) == width + 1
        )

    def _buckets(self, family: Family, values: Count) -> list[tuple[str, float]]:
        """Cumulative buckets, as Prometheus has them."""
        bounds = [*(f"{bound:g}" for bound in family.buckets_s), "+Inf"]
        counts = [self._counts.get((family.counted, *values, bound), 0.0) for bound in bounds]
        return list(zip(bounds, accumulate(counts), strict=True))

"""The model's numbers for Prometheus, and its health in one word (design §9)."""

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Final, Literal

from prometheus_client import Metric
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.registry import Collector

from bot.model_watch import BUCKETS_S
from bot.settings import Settings
from engine.ports.model_numbers import BreakerState, Count, ModelNumbers

Health = Literal["ok", "degraded", "away", "off"]
LEVELS: Final[Mapping[BreakerState, int]] = {"closed": 0, "half_open": 1, "open": 2}


def names(settings: Settings) -> tuple[str, ...]:
    """The configured models, in the order in which they are asked."""
    if settings.llm_model is None:
        return ()
    return tuple(dict.fromkeys((settings.llm_model, *settings.llm_fallback_models)))


async def health(settings: Settings, numbers: ModelNumbers) -> Health:
    """`degraded` while some models are left alone, `away` while all are."""
    states = await numbers.states(names(settings))
    well = [state == "closed" for state in states.values()]
    if not well:
        return "off"
    return "ok" if all(well) else "degraded" if any(well) else "away"


class ModelFamilies(Collector):
    """What Prometheus is shown of counts and states that were read before."""

    def __init__(self, counts: Mapping[Count, float], states: Mapping[str, BreakerState]) -> None:
        self._counts = counts
        self._states = states

    def collect(self) -> Iterable[Metric]:
        """One family for each kind of number."""
        yield self._counter("calls", "Requests to models and what came of them", "outcome")
        yield self._counter("tokens", "Tokens that model servers counted", "kind")
        yield self._counter("cost", "Cost of the tokens, by the prices of LLM_PRICES")
        seconds = HistogramMetricFamily(
            "signoff_model_seconds", "Time to a whole answer", labels=["model"]
        )
        for model in sorted({labels[0] for labels, _ in self._of("seconds")}):
            seconds.add_metric([model], self._buckets(model), self._counts["seconds_sum", model])
        yield seconds
        breakers = GaugeMetricFamily(
            "signoff_model_breaker",
            "0 asked as always, 1 tried with one request, 2 left alone",
            labels=["model"],
        )
        for model, state in self._states.items():
            breakers.add_metric([model], LEVELS[state])
        yield breakers

    def _counter(self, name: str, meaning: str, *labels: str) -> Metric:
        family = CounterMetricFamily(f"signoff_model_{name}", meaning, labels=["model", *labels])
        for values, amount in self._of(name):
            family.add_metric(values, amount)
        return family

    def _of(self, name: str) -> list[tuple[Count, float]]:
        return sorted((count[1:], n) for count, n in self._counts.items() if count[0] == name)

    def _buckets(self, model: str) -> list[tuple[str, float]]:
        """As Prometheus counts: each bucket holds all that is below it."""
        bounds = [*(f"{bound:g}" for bound in BUCKETS_S), "+Inf"]
        alone = [self._counts.get(("seconds", model, bound), 0.0) for bound in bounds]
        return list(zip(bounds, accumulate(alone), strict=True))

"""The numbers for Prometheus, and the dashboard that draws them."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.http.monitoring import READINGS
from bot.telemetry.exposition import expose
from bot.telemetry.metrics import FAMILIES, GaugeReading
from engine.ports.storage.model_numbers import Count

ROOT = Path(__file__).parents[3]
DASHBOARD = ROOT / "docs" / "grafana" / "signoff.json"


def shown(counts: Mapping[Count, float], *readings: GaugeReading) -> dict[tuple[str, ...], float]:
    """Samples as Prometheus reads them, by name and label values in the order of the alphabet."""
    text = expose(counts, readings).decode()
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_count_is_shown_with_its_labels() -> None:
    found = shown({("updates", "slack", "message", "accepted"): 3})

    assert found["signoff_updates_total", "accepted", "message", "slack"] == 3


def test_a_time_is_shown_in_its_bucket_and_all_above() -> None:
    found = shown(
        {("turn", "lookup", "0.1"): 2, ("turn", "lookup", "+Inf"): 1, ("turn_sum", "lookup"): 90.2}
    )

    assert found["signoff_turn_seconds_bucket", "0.05", "lookup"] == 0
    assert found["signoff_turn_seconds_bucket", "0.1", "lookup"] == 2
    assert found["signoff_turn_seconds_bucket", "60", "lookup"] == 2
    assert found["signoff_turn_seconds_count", "lookup"] == 3
    assert found["signoff_turn_seconds_sum", "lookup"] == pytest.approx(90.2)


def test_counts_of_another_build_are_left_out() -> None:
    found = shown({("updates", "slack"): 3, ("dreams", "x"): 1, ("turn", "lookup"): 1})

    assert not [name for name, *_ in found if not name.startswith("signoff_")]
    assert not [values for name, *values in found if "lookup" in values or "slack" in values]


def test_a_reading_is_shown_by_its_label() -> None:
    found = shown({}, GaugeReading("model_breaker", "", {"a": 2.0}, "model"))

    assert found["signoff_model_breaker", "a"] == 2


def named(expression: str) -> set[str]:
    return set(re.findall(r"signoff_\w+", expression))


def test_the_dashboard_draws_every_number_and_no_other() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    drawn = {
        name for panel in panels for target in panel["targets"] for name in named(target["expr"])
    }

    counters = {f"signoff_{f.name}_total" for f in FAMILIES if not f.buckets_s}
    histograms = {f"signoff_{f.name}_bucket" for f in FAMILIES if f.buckets_s}
    assert drawn == counters | histograms | {f"signoff_{name}" for name in READINGS}


def test_the_dashboard_groups_by_labels_that_there_are() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    labels = {f"signoff_{f.name}": set(f.labels) for f in FAMILIES}
    labels |= {"signoff_cards_open": {"age"}, "signoff_model_lanes": {"state"}}
    for target in (target for panel in panels for target in panel["targets"]):
        by = re.search(r"by \(([^)]*)\)", target["expr"])
        (name,) = named(target["expr"])
        known = labels.get(re.sub(r"_(total|bucket)$", "", name), set())
        assert by is None or set(by[1].split(", ")) - {"le"} <= known, target

"""Numbers made readable: percentiles, medians over rounds, tables."""

import math
import statistics
from collections.abc import Mapping, Sequence

Figures = dict[str, float]


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; NaN of nothing."""
    if not values:
        return math.nan
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def ms(values_s: Sequence[float], share: float) -> float:
    """A percentile of seconds, in milliseconds."""
    return percentile(values_s, share) * 1000


def medians(rounds: Sequence[Mapping[str, float]]) -> Figures:
    """The median of each figure over the rounds that have it."""
    names = dict.fromkeys(name for one in rounds for name in one)
    return {name: statistics.median(r[name] for r in rounds if name in r) for name in names}


def ratio(one: float, other: float) -> float:
    """How many times the other; NaN when there is nothing to compare with."""
    return one / other if other else math.nan


def table(title: str, rows: Mapping[str, Mapping[str, float]], *, first: str = "") -> str:
    """Rows of figures under their names."""
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    cells = [[first, *names]]
    cells += [[label, *(shown(row.get(name)) for name in names)] for label, row in rows.items()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
    return "\n".join([title, *(f"  {line}" for line in lines)])


def shown(value: float | None) -> str:
    """Three digits that matter; "-" for what was not measured."""
    if value is None or math.isnan(value):
        return "-"
    if value == 0 or value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"

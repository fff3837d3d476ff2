"""Runs that end are counted by how, each once."""

from collections import Counter
from typing import Any

import pytest

from bot.telemetry.metrics import count_ended_runs
from engine.playbooks.end_kinds import RunEnd
from engine.ports.storage.store import Effects
from engine.runs.children import AT_ANY_STEP
from engine.runs.effects import run_write
from tests.engine.sop.sop_stage import example
from tests.fakes.walk import new_run


class Counts(Counter[tuple[str, ...]]):
    """A meter that keeps its counts."""

    def count(self, name: str, *labels: str, amount: float = 1.0) -> None:
        self[(name, *labels)] += int(amount)

    def took(self, name: str, seconds: float, *labels: str) -> None:
        raise AssertionError("nothing is timed")


@pytest.mark.parametrize(
    ("status", "end", "counted"),
    [
        ("running", None, {}),
        ("completed", "done", {("ended", "done"): 1}),
        ("completed", "refused", {("ended", "refused"): 1}),
        ("failed", "rejected", {("ended", "rejected"): 1}),
        ("stopped", None, {("ended", "withdrawn"): 1}),
    ],
)
def test_a_run_that_ends_is_counted_by_how(
    status: Any, end: RunEnd | None, counted: dict[tuple[str, ...], int]
) -> None:
    run, counts = new_run(example(), status=status, end=end), Counts()
    child = run.model_copy(update={"parent": "00-run0"})
    count_ended_runs(Effects(runs=(run_write(run), run_write(child))), counts)
    assert counts == counted


def test_a_run_that_is_cancelled_is_counted_without_its_children() -> None:
    counts = Counts()
    count_ended_runs(Effects(cancels=(("00-run1", 7), ("00-run2", AT_ANY_STEP))), counts)
    assert counts == {("ended", "cancelled"): 1}

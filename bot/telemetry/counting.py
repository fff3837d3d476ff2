"""Runs that end, counted once they are stored (design §9, §14)."""

from engine.ports.meter import Meter
from engine.ports.storage.store import Effects
from engine.runs.children import AT_ANY_STEP


def count_ends(effects: Effects, meter: Meter) -> None:
    """Count each run that these effects end by how it ended; child runs end with their parents."""
    for run in effects.runs:
        if run.ended and not run.parent:
            meter.count("ended", run.end)
    for _, steps in effects.cancels:
        if steps != AT_ANY_STEP:
            meter.count("ended", "cancelled")

"""Every frame around every request of every project: what becomes of it, without a model."""

from collections import Counter
from pathlib import Path

from tests.bench.figures import table
from tests.bench.plan import Plan, Result
from tests.engine.understanding.frames.frames import FAULTS, FILES, load_frames, try_frames
from tests.engine.understanding.frames.projects import EVERY, read_domain

LEAST = 0.99
"""The least share that is right, or a card that offers the request."""


async def frames(plan: Plan, folder: Path) -> Result:
    """Tries the whole product, in ten to twenty minutes; counts faults by file and language."""
    found = {file: Counter[str]() for file in FILES}
    worst = []
    for project in EVERY:
        plan.say(f"frames around the requests of {project}")
        domain = await read_domain(project)
        for name, lang in FILES:
            for trial in await try_frames(load_frames(name, lang), domain):
                found[name, lang].update({"n": 1, "exact": trial.is_exact, trial.fault: 1})
                if trial.fault:
                    worst.append(f"{trial.fault}: {trial.text!r} ({project})")
    rows = {f"{name} {lang}": _figures(counts) for (name, lang), counts in found.items()}
    low = [row for row, figures in rows.items() if figures["right or offered"] < LEAST]
    faults = [f"less than {LEAST} of {row} are right or offered" for row in low]
    text = table("Frames around requests", rows)
    return Result("frames", rows, "\n".join((text, *worst)), faults)


def _figures(counts: Counter[str]) -> dict[str, float]:
    n = max(1, counts["n"])
    shares = {"n": float(n), "exact": counts["exact"] / n, "right or offered": counts[""] / n}
    return shares | {fault: float(counts[fault]) for fault in FAULTS if fault}

"""Whatever sentence stands around a request, it is begun, offered or left alone as is right.

A frame is a line of `issue.*.yaml` (those that were measured first) or `given.*.yaml` (written by
somebody who had not seen the rules). What does not hold yet is counted, so that it only gets less.
"""

from collections import Counter
from functools import lru_cache

import pytest

from tests.engine.understanding.frames.frames import (
    ROOT,
    Domain,
    Trial,
    load_frames,
    read_domain,
    try_frames,
)
from tests.fakes.tries import TIMES

SAMPLES = ROOT / "playbooks"
FILES = [(name, lang) for name in ("issue", "given") for lang in ("en", "zh")]
RIGHT_OR_OFFERED = {"issue": 0.99, "given": 0.95}
"""The least share of trials that are right, or a card that offers the request."""


@lru_cache
def _domains() -> dict[str, Domain]:
    return {}


async def _domain() -> Domain:
    kept = _domains()
    if "samples" not in kept:
        kept["samples"] = await read_domain(SAMPLES)
    return kept["samples"]


def _told(trials: list[Trial]) -> str:
    return "\n".join(f"{t.fault}: {t.text!r}" for t in trials if t.fault)


@pytest.mark.parametrize(("name", "lang"), FILES)
@pytest.mark.more
async def test_requests_are_begun_or_offered_whatever_stands_around_them(
    name: str, lang: str
) -> None:
    frames = load_frames(name, lang)
    assert len(frames) >= 150
    trials = await try_frames(frames, await _domain(), TIMES)
    faults = Counter(trial.fault for trial in trials)
    share = faults[""] / len(trials)
    assert share >= RIGHT_OR_OFFERED[name], _told(trials)
    assert faults["unconditional"] + faults["wrong start"] <= 0.01 * len(trials), _told(trials)

"""Whatever sentence stands around a request, it is begun, offered or left alone as is right.

A frame is a line of `issue.*.yaml` (measured first), `given.*.yaml` (by somebody who had not seen
the rules), `own.*.yaml` (written against them) or `later.*.yaml` (taken back, or put off, by a
later sentence). Each is tried around few requests here, which its text chooses; `make bench
ARGS="--only frames"` tries it around every one of every project.
"""

from collections.abc import Sequence

import pytest

from tests.engine.understanding.frames.frames import FILES, LANGS, Trial, load_frames, try_frames
from tests.engine.understanding.frames.projects import PROJECTS, Domain, choose, read_domain
from tests.fakes.tries import TIMES

OTHERS = sorted(PROJECTS.keys() - {"samples"})
SPOKEN = ("dictated", "typos", "list", "several")
OPEN = {
    "todo: {x} / {y}",
    "if {person} agrees, {x} and {y}",
    "1{x} 2{y}就这些",
}
"""Frames in which one of two wishes is still lost around some requests; none begins wrongly."""

MAY_BE_LOST = 0.01
"""Of the trials around many requests; none begins wrongly there either."""

_READ: dict[str, Domain] = {}


async def _domain(name: str) -> Domain:
    """The project, read once for all files."""
    if name not in _READ:
        _READ[name] = await read_domain(name)
    return _READ[name]


def _faults(trials: Sequence[Trial]) -> list[str]:
    """What is wrong; around as many requests as `make properties` tries, few may be lost."""
    lost = [t for t in trials if t.fault in ("lost", "refused")]
    if TIMES == 1:
        known = [t for t in lost if t.frame.frame in OPEN]
    else:
        known = lost if len(lost) < MAY_BE_LOST * len(trials) else []
    return [f"{t.fault}: {t.text!r}" for t in trials if t.fault and t not in known]


@pytest.mark.parametrize(("name", "lang"), FILES)
@pytest.mark.more
async def test_requests_are_begun_or_offered_whatever_stands_around_them(
    name: str, lang: str
) -> None:
    frames = load_frames(name, lang)
    assert _faults(await try_frames(frames, await _domain("samples"), TIMES)) == []


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.more
async def test_so_they_are_in_every_project(lang: str) -> None:
    faults = []
    for name in OTHERS:
        domain = await _domain(name)
        frames = [f for file, each in FILES if each == lang for f in load_frames(file, lang)]
        mine = [frame for frame in frames if TIMES > 1 or choose(OTHERS, frame.frame) == name]
        faults += _faults(await try_frames(mine, domain, TIMES))
    assert faults == []


@pytest.mark.parametrize("lang", LANGS)
def test_there_are_frames_of_what_is_dictated_mistyped_listed_or_of_several_things(
    lang: str,
) -> None:
    frames = [f for name, each in FILES if each == lang for f in load_frames(name, lang)]
    assert len(frames) >= 400
    counts = {group: sum(f.group == group for f in frames) for group in SPOKEN}
    assert sum(counts.values()) >= 150, counts
    assert min(counts.values()) >= 30, counts

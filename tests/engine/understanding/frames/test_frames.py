"""Whatever sentence stands around a request, it is begun, offered or left alone as is right.

A frame is a line of `issue.*.yaml` (measured first), `given.*.yaml` (by somebody who had not seen
the rules), `own.*.yaml` (written against them) or `later.*.yaml` (taken back, or put off, by a
later sentence). Each is tried around few requests here, which its text chooses; `make bench
ARGS="--only frames"` tries it around every one of every project.
"""

import re
from collections.abc import Sequence

import pytest

from engine.text.language import detect_language
from engine.understanding.router.chain import route
from tests.engine.understanding.frames.frames import (
    FILES,
    LANGS,
    PEOPLE,
    Frame,
    Trial,
    choose_groups,
    load_frames,
    outcome_of,
    try_frames,
)
from tests.engine.understanding.frames.projects import PROJECTS, Domain, choose, read_domain
from tests.engine.understanding.oracle import MOST_OVERRULED, Given, piece
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


async def _frame_ends_as_meant(frame: Frame, domain: Domain) -> bool:
    every = domain.requests[frame.lang]
    (group,) = choose_groups(frame, sorted(every), 1)
    request = choose(every[group], frame.frame, group)
    given = {"{x}": request.text, "{person}": PEOPLE[frame.lang][0]}
    text = re.sub(r"\{\w+\}", lambda found: given[found[0]], frame.frame)
    condition = text.replace(request.text, " ").strip() or text
    meant = {
        "start": piece("workflow", text, group),
        "card": piece("workflow", text, group, condition),
        "none": piece("unclear", text),
    }[frame.meant_x]
    routed = await route(text, domain.spoken[detect_language(text)], Given([meant]))
    outcome = outcome_of(group, routed.intents)
    if frame.meant_x == "start":
        return outcome == "start"
    offered = outcome in ("condition", "card")
    as_meant = offered if frame.meant_x == "card" else outcome != "start"
    return as_meant or outcome in frame.also_ok


@pytest.mark.parametrize("name", ["samples", *OTHERS])
@pytest.mark.more
async def test_around_requests_they_end_as_the_model_says(name: str) -> None:
    """Each in the samples or in that other project in which it is tried without a model; in `make
    properties` in all.
    """
    domain = await _domain(name)
    frames = [frame for file, lang in FILES for frame in load_frames(file, lang)]
    alone = [f for f in frames if not {"{y}", "{q}"} & {*re.findall(r"\{\w+\}", f.frame)}]
    assert len(alone) > 800
    mine = [f for f in alone if TIMES > 1 or name == _project_of(f)]
    wrong = [f.frame for f in mine if not await _frame_ends_as_meant(f, domain)]
    assert len(wrong) <= MOST_OVERRULED * len(mine), wrong


def _project_of(frame: Frame) -> str:
    return choose(("samples", choose(OTHERS, frame.frame)), frame.frame)


@pytest.mark.parametrize("lang", LANGS)
def test_there_are_frames_of_what_is_dictated_mistyped_listed_or_of_several_things(
    lang: str,
) -> None:
    frames = [f for name, each in FILES if each == lang for f in load_frames(name, lang)]
    assert len(frames) >= 400
    counts = {group: sum(f.group == group for f in frames) for group in SPOKEN}
    assert sum(counts.values()) >= 150, counts
    assert min(counts.values()) >= 30, counts

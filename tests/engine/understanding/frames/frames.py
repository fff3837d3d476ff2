"""Sentences put around requests and questions of a project, and what the router makes of them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import yaml

from engine.frames.intents import Intent
from engine.text.language import detect_language
from engine.understanding.router.chain import route
from tests.engine.understanding.frames.projects import HERE, Domain, Request, choose

PEOPLE = {"en": ("Dr Wu", "Anna"), "zh": ("吴医生", "小林")}
LANGS = ("en", "zh")
FILES = tuple((name, lang) for name in ("issue", "given", "own", "later") for lang in LANGS)
"""Those measured first, those by somebody who had not seen the rules, those against them, and those
that a later sentence takes back."""

OFFERED = 3
"""So many candidates a card shows."""

Outcome = Literal["start", "card", "condition", "none"]
"""What became of a request: begun; offered; asked about with its condition; nothing."""

Fault = Literal["", "lost", "refused", "wrong start", "unconditional"]
"""Work or a question that is neither begun, answered nor offered; the same where nothing else is
done or offered; work begun that is not meant, or without what it hangs on."""

FAULTS: tuple[Fault, ...] = ("", "lost", "refused", "wrong start", "unconditional")
"""The worst last."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence with {x}, the request that it is about; {y} is another, {q} a question."""

    frame: str
    lang: str
    group: str
    expect: str
    also_ok: tuple[str, ...] = ()
    y: str = ""
    q: str = ""

    @property
    def meant_x(self) -> str:
        """What shall become of {x}: `start`, `card` or `none`."""
        if self.expect == "ask_first":
            return "card"
        return "start" if self.expect.startswith("start") else self.expect

    @property
    def meant_y(self) -> str:
        """The same of {y}."""
        return "start" if self.expect == "start_both" or self.y == "start" else "none"

    @property
    def is_answered(self) -> bool:
        """Whether {q} shall be answered."""
        wanted = self.expect in ("start_and_answer", "ask_first") or self.q == "answer"
        return wanted and "{q}" in self.frame


@dataclass(frozen=True, slots=True)
class Trial:
    """A frame with its texts put in, and what the router did."""

    frame: Frame
    text: str
    x: Request
    y: Request
    outcome: Outcome
    other: Outcome
    answer: Literal["answered", "card", "lost"]
    wrong: tuple[str, ...]
    intents: tuple[Intent, ...]

    @property
    def fault(self) -> Fault:
        """What went wrong; "" for nothing."""
        faults = [*_faults_of(self.frame.meant_x, self.frame.also_ok, self.outcome)]
        if "{y}" in self.frame.frame:
            faults += _faults_of(self.frame.meant_y, ("card",), self.other)
        if self.wrong:
            faults.append("wrong start")
        if self.frame.is_answered and self.answer == "lost":
            faults.append("lost")
        worst = max(faults, key=FAULTS.index, default="")
        return "refused" if worst == "lost" and self._is_refused else worst

    @property
    def _is_refused(self) -> bool:
        """Whether nothing at all is offered, begun or answered."""
        return all(i.kind == "unclear" and not (i.candidates or i.told) for i in self.intents)

    @property
    def is_exact(self) -> bool:
        """Whether it is as the writer of the frame would have it, and no card instead."""
        allowed = {self.frame.meant_x, *self.frame.also_ok}
        mine = "card" if self.outcome == "condition" else self.outcome
        right = mine in allowed
        if "{y}" in self.frame.frame:
            right = right and self.other == self.frame.meant_y
        if self.frame.is_answered:
            right = right and self.answer == "answered"
        return right and not self.fault


def _faults_of(meant: str, also: Sequence[str], outcome: Outcome) -> Iterator[Fault]:
    if outcome == "start" and meant != "start" and "start" not in also:
        yield "unconditional" if meant == "card" else "wrong start"
    if outcome == "none" and meant != "none" and "none" not in also:
        yield "lost"


@cache
def load_frames(name: str, lang: str) -> tuple[Frame, ...]:
    """The frames of a file, read once."""
    text = (HERE / f"{name}.{lang}.yaml").read_text("utf-8")
    rows = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return tuple(_frame(row, lang) for row in rows)


def _frame(row: dict[str, Any], lang: str) -> Frame:
    given = {name.removesuffix("_expect"): value for name, value in row.items()}
    return Frame(**given | {"lang": lang, "also_ok": tuple(row.get("also_ok", ()))})


async def try_frame(
    frame: Frame, domain: Domain, x: Request, y: Request, q: tuple[str, str]
) -> Trial:
    """Put the texts into the frame, and see what the router does."""
    person = PEOPLE[frame.lang][0]
    given = {"{x}": x.text, "{y}": y.text, "{q}": q[0], "{person}": person}
    text = re.sub(r"\{\w+\}", lambda found: given[found[0]], frame.frame)
    intents = (await route(text, domain.spoken[detect_language(text)], None)).intents
    meant = {x.group, y.group} if "{y}" in frame.frame else {x.group}
    begun = [name_of(i) for i in intents if is_begun(i)]
    wrong = tuple(name for name in begun if name not in meant) + tuple(
        name for name, n in Counter(begun).items() if n > (2 if x.group == y.group else 1)
    )
    return Trial(
        frame,
        text,
        x,
        y,
        outcome_of(x.group, intents),
        outcome_of(y.group, intents),
        _answer(q, intents),
        wrong,
        intents,
    )


def name_of(intent: Intent) -> str:
    """Its request, as `playbook/request`."""
    return f"{intent.playbook}/{intent.request}"


def is_begun(intent: Intent) -> bool:
    """It is work that begins by itself."""
    return intent.kind == "workflow" and not intent.condition


def outcome_of(group: str, intents: Sequence[Intent]) -> Outcome:
    """What became of a request among the intents."""
    mine = [i for i in intents if i.kind == "workflow" and name_of(i) == group]
    if any(not i.condition for i in mine):
        return "start"
    if mine:
        return "condition"
    cards = (i for i in intents if i.condition or (i.kind == "unclear" and not i.told))
    offered = (c for i in cards for c in i.candidates[:OFFERED])
    return "card" if group in {f"{c.playbook}/{c.request}" for c in offered} else "none"


def _answer(q: tuple[str, str], intents: Sequence[Intent]) -> Literal["answered", "card", "lost"]:
    tools = {each.tool for i in intents if i.lookup for each in (i.lookup, *i.more)}
    if q[1] in tools:
        return "answered"
    offers = any(c.kind == "qa_query" for i in intents if i.kind == "unclear" for c in i.candidates)
    return "card" if offers else "lost"


async def try_frames(frames: Sequence[Frame], domain: Domain, groups: int = 0) -> list[Trial]:
    """Each frame around so many requests of a project (0: every one), which its text chooses.

    Frames that want another request, or a question, are left out where the project has none.
    """
    made = []
    for frame in frames:
        every = domain.requests[frame.lang]
        for group in choose_groups(frame, sorted(every), groups):
            others = [each for each in sorted(every) if each != group]
            questions = domain.questions[frame.lang]
            if ("{y}" in frame.frame and not others) or ("{q}" in frame.frame and not questions):
                continue
            x = choose(every[group], frame.frame, group)
            y = choose(every[choose(others, frame.frame, group)], frame.frame) if others else x
            q = choose(questions, frame.frame, group) if questions else ("", "")
            made.append(await try_frame(frame, domain, x, y, q))
    return made


def choose_groups(frame: Frame, groups: Sequence[str], count: int) -> Sequence[str]:
    """At most so many of the groups, which the frame's text chooses; all for 0."""
    if not groups or not count:
        return groups
    return sorted({choose(groups, frame.frame, str(number)) for number in range(count)})

"""Sentences put around requests and questions of a project, and what the router makes of them."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

import yaml

from bot.definitions.loader import load_definitions
from bot.wiring.connections import load_connections
from cards.model import Principal
from engine.frames.intents import Intent
from engine.text.entities import fold
from engine.text.language import detect_language
from engine.understanding.context import RouteContext
from engine.understanding.learned.lessons import first_word
from engine.understanding.router.chain import route
from tests.fakes.settings import make_settings

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
PEOPLE = {"en": ("Dr Wu", "Anna"), "zh": ("吴医生", "小林")}
TODAY = date(2026, 11, 23)
OFFERED = 3
"""So many candidates a card shows."""

Outcome = Literal["start", "card", "condition", "none"]
"""What became of a request: begun; offered; asked about with its condition; nothing."""


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
class Request:
    """A way to ask for a request of a project, and its group (`playbook/request`)."""

    text: str
    group: str


@dataclass(frozen=True, slots=True)
class Domain:
    """A project as the router knows it, and what people ask it for, by language."""

    name: str
    context: RouteContext
    requests: dict[str, tuple[Request, ...]]
    questions: dict[str, tuple[tuple[str, str], ...]]


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
    def fault(self) -> str:
        """What went wrong, in a word; "" for nothing."""
        faults = (*_faults_of(self.frame.meant_x, self.frame.also_ok, self.outcome, "x"),)
        if "{y}" in self.frame.frame:
            faults += (*_faults_of(self.frame.meant_y, ("card",), self.other, "y"),)
        if self.wrong:
            return "wrong start"
        if self.frame.is_answered and self.answer == "lost":
            faults += ("lost question",)
        return max(faults, key=_WEIGHT.index, default="")

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


_WEIGHT = ["refused", "lost question", "lost", "wrong start", "unconditional"]


def _faults_of(meant: str, also: Sequence[str], outcome: Outcome, which: str) -> Iterator[str]:
    if outcome == "start" and meant != "start" and "start" not in also:
        yield "unconditional"
    if outcome == "none" and meant != "none" and "none" not in also:
        yield "lost"


def load_frames(name: str, lang: str) -> tuple[Frame, ...]:
    """The frames of a file."""
    rows = yaml.safe_load((HERE / f"{name}.{lang}.yaml").read_text("utf-8"))
    return tuple(_frame(row, lang) for row in rows)


def _frame(row: dict[str, Any], lang: str) -> Frame:
    given = {name.removesuffix("_expect"): value for name, value in row.items()}
    return Frame(**given | {"lang": lang, "also_ok": tuple(row.get("also_ok", ()))})


def read_context(folder: Path) -> RouteContext:
    """What the router knows of a project folder."""
    above = folder if (folder / "people.yaml").exists() else folder.parent
    wired = above / "connections.yaml"
    settings = make_settings(
        playbooks=folder,
        people=above / "people.yaml",
        connections=wired if wired.exists() else None,
    )
    made = load_definitions(settings, load_connections(settings).toolbox)
    table = made.route_table()
    return RouteContext(
        table=table,
        entities=table.entities,
        tools=made.tools,
        open_cards=(),
        principal=Principal(id="ana", name="Ana"),
        today=TODAY,
        recent=(),
        lang="en",
        sections=table.sections,
    )


async def surely(text: str, context: RouteContext) -> Intent | None:
    """The one intent of a text that rules and examples are sure of."""
    routed = await route(text, replace(context, lang=detect_language(text)), None)
    (first, *more) = routed.intents
    return first if first.sure and not more else None


async def try_frame(
    frame: Frame, domain: Domain, x: Request, y: Request, q: tuple[str, str]
) -> Trial:
    """Put the texts into the frame, and see what the router does."""
    person = PEOPLE[frame.lang][0]
    given = {"{x}": x.text, "{y}": y.text, "{q}": q[0], "{person}": person}
    text = re.sub(r"\{\w+\}", lambda found: given[found[0]], frame.frame)
    context = replace(domain.context, lang=detect_language(text))
    intents = (await route(text, context, None)).intents
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
    offered = (
        c for i in intents if i.kind == "unclear" and not i.told for c in i.candidates[:OFFERED]
    )
    return "card" if group in {f"{c.playbook}/{c.request}" for c in offered} else "none"


def _answer(q: tuple[str, str], intents: Sequence[Intent]) -> Literal["answered", "card", "lost"]:
    tools = {each.tool for i in intents if i.lookup for each in (i.lookup, *i.more)}
    if q[1] in tools:
        return "answered"
    offers = any(c.kind == "qa_query" for i in intents if i.kind == "unclear" for c in i.candidates)
    return "card" if offers else "lost"


_NOT_PLAIN = {
    "en": re.compile(r"[?.!,]|please|pls|for me|thanks"),
    "zh": re.compile(
        r"[?？。！!，,吗]|^(?:请|麻烦|帮|我|能|需要|现在|来|开始)|[吧了]$|麻烦|帮|请|一下$"
    ),
}
"""What says of an example that it is no bare imperative, around which a sentence may stand."""


async def read_domain(folder: Path) -> Domain:
    """A project, with those of its examples that are plain imperatives and surely understood."""
    context = read_context(folder)
    requests: dict[str, list[Request]] = {"en": [], "zh": []}
    questions: dict[str, list[tuple[str, str]]] = {"en": [], "zh": []}
    for name, request in context.requests:
        for text in request.examples:
            if _is_plain(text, context) and _asks_for(await surely(text, context), name):
                requests[_language(text)].append(Request(text, name))
    for tool in context.tools:
        for example in tool.examples:
            text = example.rstrip("?？。.") + ("？" if _language(example) == "zh" else "?")
            found = await surely(text, context)
            if found and found.lookup and found.lookup.tool == tool.name:
                questions[_language(text)].append((text, tool.name))
    return Domain(
        folder.name,
        context,
        {lang: tuple(every) for lang, every in requests.items()},
        {lang: tuple(every) for lang, every in questions.items()},
    )


def _language(text: str) -> str:
    return "zh" if re.search(r"[\u3400-\u9fff]", text) else "en"


def _is_plain(text: str, context: RouteContext) -> bool:
    lang, said = _language(text), fold(text)
    if _NOT_PLAIN[lang].search(said):
        return False
    if lang == "en":
        return first_word(said) in context.table.request_verbs
    return context.table.begins_with_cue(said)


def _asks_for(intent: Intent | None, name: str) -> bool:
    return bool(intent and intent.kind == "workflow" and name_of(intent) == name)


async def try_frames(frames: Sequence[Frame], domain: Domain, times: int) -> list[Trial]:
    """Each frame so many times, with requests and questions that its text alone decides on."""
    made = []
    for frame in frames:
        chance = random.Random(frame.frame)
        every = domain.requests[frame.lang]
        for _ in range(times):
            x = chance.choice(every)
            y = chance.choice([one for one in every if one.group != x.group])
            q = chance.choice(domain.questions[frame.lang])
            made.append(await try_frame(frame, domain, x, y, q))
    return made

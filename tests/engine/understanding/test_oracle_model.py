"""With a model that reads as the writers meant, messages end as it says."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import pytest

from engine.frames.intents import Intent
from engine.ports.model import Completion
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route
from tests.bench.router.score import HALVES, messages

MOST_OVERRULED = 0.01
_CUTS = re.compile(r"[,，。;；.!?？！、]|\band\b|\bthen\b|然后|再|\s")
_VERBS = re.compile(
    r"(?:record|enter|log|correct|raise|draft|prepare|put|add|update|close|import|run|file|make)\b",
    re.IGNORECASE,
)
BEFORE = {
    "en": (
        "If you have a moment, ",
        "No rush, but ",
        "Sorry to bother you, ",
        "Whenever you get a chance, ",
        "When you're back at your desk: ",
        "I can't do it from my phone, so ",
    ),
    "zh": ("若方便的话，", "不好意思打扰一下，", "有空的时候，", "我这边登不上系统，", "不急，"),
}
BEHIND = {
    "en": (", thanks a lot", ". No need to hurry", " - don't leave anything out", ". Nothing else"),
    "zh": ("，谢谢", "，不用着急", "，别漏了", "，其他没有变化"),
}
Message = Mapping[str, Any]


@dataclass
class Oracle:
    """A model that gives what the writer of one message meant."""

    meant: Message
    context: RouteContext
    asked: int = 0

    async def complete(self, *args: Any, **options: Any) -> Completion:
        """The writer's reading, as the router's model is to answer."""
        self.asked += 1
        intents = self.meant["intents"]
        texts = parted(self.meant["text"], len(intents))
        pieces = [self._piece(i, text) for i, text in zip(intents, texts, strict=True)]
        return Completion(json.dumps({"pieces": pieces}, ensure_ascii=False))

    def _piece(self, intent: Mapping[str, Any], text: str) -> dict[str, Any]:
        routes = [n for n, _ in self.context.requests if n.startswith(f"{intent['playbook']}/")]
        return {
            "kind": intent["kind"],
            "route": routes[0] if intent["kind"] == "workflow" else "",
            "text": text,
            "condition": "",
            "depends_on": intent["depends_on"],
            "card": None,
            "option": "",
        }


def parted(text: str, count: int) -> list[str]:
    """The message in so many parts, each of which ends where one could."""
    places = [0]
    for number in range(1, count):
        aim = len(text) * number / count
        cuts = [m.end() for m in _CUTS.finditer(text) if places[-1] + 1 < m.end() < len(text) - 1]
        at = min(cuts, key=lambda place: abs(place - aim), default=int(aim))
        places.append(at)
    return [text[a:b].strip() for a, b in zip(places, [*places[1:], len(text)], strict=True)]


def framed() -> Iterator[Message]:
    """Work in every frame of its language that changes nothing of it."""
    for half in HALVES[:-1]:
        for message in messages(half):
            (intent, *more), text = message["intents"], message["text"]
            if more or intent["kind"] != "workflow" or message["lang"] not in BEFORE:
                continue
            lang = message["lang"]
            texts = [f"{frame}{text}" for frame in BEFORE[lang]]
            texts += [f"{text.rstrip('.。!！')}{frame}" for frame in BEHIND[lang]]
            if lang == "en" and _VERBS.match(text):
                texts.append(f"Don't forget to {text[0].lower()}{text[1:]}")
            yield from ({**message, "text": each} for each in texts)


def readings(kinds: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is begun; questions in a row are answered together, however they are counted."""
    return [kind for kind, _ in groupby(kinds)]


def is_as_meant(message: Message, intents: tuple[Intent, ...]) -> bool:
    """Whether the message ends as its writer meant."""
    meant = readings((i["kind"], i["playbook"]) for i in message["intents"])
    return meant == readings((i.kind, i.playbook) for i in intents)


@pytest.mark.parametrize("source", [*HALVES, "frames"])
async def test_what_the_model_reads_is_not_overruled(source: str, context: RouteContext) -> None:
    every = list(framed()) if source == "frames" else messages(source)
    wrong = []
    for message in every:
        here = replace(context, lang="en" if message["lang"] == "en" else "zh")
        routed = await route(message["text"], here, Oracle(message, here))
        if not is_as_meant(message, routed.intents):
            wrong.append((message["text"], [i.why for i in routed.intents]))
    shown = "" if source == "frozen" else f": {wrong}"
    assert len(wrong) <= MOST_OVERRULED * len(every), f"{len(wrong)} of {len(every)}{shown}"

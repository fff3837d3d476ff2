"""Models that read messages as their writers meant them."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from cards.model import Lang
from engine.frames.intents import Intent
from engine.ports.model import Completion
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route

MOST_OVERRULED = 0.01
_CUTS = re.compile(r"[,，。;；.!?？！、]|\band\b|\bthen\b|然后|再|\s")
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


def readings(kinds: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is begun; questions in a row are answered together, however they are counted."""
    return [kind for kind, _ in groupby(kinds)]


def is_as_meant(message: Message, intents: tuple[Intent, ...]) -> bool:
    """Whether the message ends as its writer meant."""
    meant = readings((i["kind"], i["playbook"]) for i in message["intents"])
    return meant == readings((i.kind, i.playbook) for i in intents)


def lang_of(message: Message) -> Lang:
    """The language that a message is answered in."""
    return "en" if message["lang"] == "en" else "zh"


async def overruled(message: Message, context: RouteContext) -> str:
    """Why a message does not end as its writer meant and the model reads it; "" if it does."""
    routed = await route(message["text"], context, Oracle(message, context))
    if is_as_meant(message, routed.intents):
        return ""
    return f"{message['text']!r}: {[i.why for i in routed.intents]}"


@dataclass
class Given:
    """A model that gives these pieces."""

    pieces: list[dict[str, Any]]

    async def complete(self, *args: Any, **options: Any) -> Completion:
        """All of them."""
        return Completion(json.dumps({"pieces": self.pieces}, ensure_ascii=False))


def piece(kind: str, text: str, name: str = "", condition: str = "") -> dict[str, Any]:
    """One piece, of the request of that name."""
    given = {"kind": kind, "route": name, "text": text, "condition": condition}
    return given | {"depends_on": [], "card": None, "option": ""}

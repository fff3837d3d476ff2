"""Traces: how messages were understood and answered."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.pages.views.timeline import parse_moment, shorten_value

TEXT_CHARS = 160
_HEAD = ("kind", "at", "conversation", "by", "text", "outcome", "answer", "question")
_NUMBERS = ("part", "model", "tokens", "cost", "seconds", "skill", "why")


@dataclass(frozen=True, slots=True)
class TraceLine:
    """A trace in the list."""

    id: str
    kind: str
    at: datetime | None
    text: str
    outcome: str
    by: str


@dataclass(frozen=True, slots=True)
class TraceView:
    """A trace: what was said and by whom, numbers, the verdicts of the router, steps, the rest."""

    id: str
    line: TraceLine
    conversation: str
    question: str
    answer: str
    numbers: tuple[tuple[str, str], ...]
    verdicts: tuple[tuple[str, bool, str], ...]
    intents: tuple[tuple[tuple[str, str], ...], ...]
    steps: tuple[tuple[tuple[str, str], ...], ...]
    rest: str


def trace_lines(found: Sequence[tuple[str, str]]) -> Sequence[TraceLine]:
    """The traces of a list."""
    return [_line(name, read_trace(body)) for name, body in found]


def trace_view(name: str, body: str) -> TraceView:
    """One trace whole; what this version does not know stands in `rest`."""
    trace = read_trace(body)
    known = {*_HEAD, *_NUMBERS, "verdicts", "intents", "steps"}
    rest = {key: value for key, value in trace.items() if key not in known}
    return TraceView(
        id=name,
        line=_line(name, trace),
        conversation=str(trace.get("conversation", "")),
        question=str(trace.get("question", "")),
        answer=shorten_value(trace.get("answer", "")),
        numbers=tuple((key, shorten_value(trace[key])) for key in _NUMBERS if trace.get(key)),
        verdicts=tuple(
            (str(v.get("strategy", "")), bool(v.get("sure")), shorten_value(v.get("why", "")))
            for v in _mappings(trace.get("verdicts"))
        ),
        intents=tuple(_pairs(intent) for intent in _mappings(trace.get("intents"))),
        steps=tuple(_pairs(step) for step in _mappings(trace.get("steps"))),
        rest=shorten_value(rest) if rest else "",
    )


def _line(name: str, trace: Mapping[str, Any]) -> TraceLine:
    intents = ", ".join(str(each.get("kind", "")) for each in _mappings(trace.get("intents")))
    text = " ".join(str(trace.get("text", "")).split())
    return TraceLine(
        id=name,
        kind=str(trace.get("kind", "")),
        at=parse_moment(trace.get("at")),
        text=text if len(text) <= TEXT_CHARS else text[:TEXT_CHARS] + "…",
        outcome=str(trace.get("outcome") or intents),
        by=str(trace.get("by", "")),
    )


def read_trace(body: str) -> Mapping[str, Any]:
    """A stored trace; one that is no JSON object stands under `rest`."""
    with suppress(ValueError):
        found = json.loads(body)
        if isinstance(found, dict):
            return found
    return {"rest": body}


def _mappings(value: Any) -> Sequence[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _pairs(found: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((str(key), shorten_value(value)) for key, value in found.items())

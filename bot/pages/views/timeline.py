"""The timeline of a run, from its audit; unknown entries are shown as they are."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from engine.runs.audit_state import position_in

_LONGEST = 4000
_EVENTS: Mapping[str, str] = {
    "started": "pages.event.started",
    "tap": "pages.event.tap",
    "cancelled": "pages.event.cancelled",
    "retry": "pages.event.retry",
    "repost": "pages.event.repost",
    "reassigned": "pages.event.reassigned",
}
"""Events outside of steps, and their sentences; any other event shows its own name."""
_FACTS: Mapping[str, str] = {
    "input": "pages.step.input",
    "mail": "pages.step.mail",
    "choice": "pages.step.choice",
    "result": "pages.step.result",
    "via": "pages.step.via",
    "read": "pages.step.read",
    "unused": "pages.step.unused",
    "for": "pages.step.for",
    "given_to": "pages.step.to",
}
_SHOWN = {
    *("at", "step", "frame", "outcome", "status", "why", "to", "cards", "event", "by", "changes"),
    *("asks", "calls", "judged", "card", "update", "playbook"),
    *_FACTS,
}


@dataclass(frozen=True, slots=True)
class CallView:
    """A call of the model or of a tool: what it was given and what came of it, as JSON or text."""

    kind: str
    name: str
    given: str = ""
    answer: str = ""
    error: str = ""
    tokens: int = 0
    cost: float = 0.0
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One entry of the audit. `number` is 0 for what happened outside of steps.

    `event` is the key of a sentence, or "" with the entry's own `name`. `after` is how long after
    the entry before it. `rest` is JSON of what else the entry has.
    """

    number: int
    at: datetime | None
    after: timedelta | None
    event: str = ""
    name: str = ""
    place: str = ""
    outcome: str = ""
    why: str = ""
    by: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    changes: tuple[tuple[str, str], ...] = ()
    calls: tuple[CallView, ...] = ()
    cards: tuple[str, ...] = ()
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of a run's recorded calls."""

    model_calls: int
    tool_calls: int
    tokens: int
    cost: float
    seconds: float


def build_timeline(entries: Sequence[Mapping[str, Any]]) -> Sequence[TimelineEntry]:
    """Every entry, in order."""
    found: list[TimelineEntry] = []
    before: datetime | None = None
    for entry in entries:
        at = parse_moment(entry.get("at"))
        found.append(_step(entry, at, at - before if at and before else None))
        before = at or before
    return found


def sum_calls(timeline: Sequence[TimelineEntry]) -> Totals:
    """The sums over all steps."""
    calls = [call for step in timeline for call in step.calls]
    return Totals(
        model_calls=sum(call.kind == "model" for call in calls),
        tool_calls=sum(call.kind == "call" for call in calls),
        tokens=sum(call.tokens for call in calls),
        cost=sum(call.cost for call in calls),
        seconds=sum(call.seconds or 0.0 for call in calls),
    )


def _step(entry: Mapping[str, Any], at: datetime | None, after: timedelta | None) -> TimelineEntry:
    stepped = "outcome" in entry
    event = "" if stepped else str(entry.get("event", ""))
    judged, changes = entry.get("judged"), entry.get("changes")
    facts = [("pages.step.judged", _pairs(judged))] if judged else []
    facts += [("pages.step.asks", ", ".join(map(str, entry["asks"])))] if entry.get("asks") else []
    facts += [(key, _pairs(entry[name])) for name, key in _FACTS.items() if _says(entry, name)]
    rest = {name: value for name, value in entry.items() if name not in _SHOWN}
    calls = entry.get("calls")
    return TimelineEntry(
        number=_to_int(entry.get("step")) if stepped else 0,
        at=at,
        after=after,
        event=_EVENTS.get(event, ""),
        name=event or str(entry.get("frame", "")),
        place=position_in(entry),
        outcome=str(entry.get("outcome", "")),
        why=shorten_value(entry.get("why", "")),
        by=str(entry.get("by", "")),
        facts=tuple(facts),
        changes=tuple((str(path), shorten_value(value)) for path, value in changes.items())
        if isinstance(changes, dict)
        else (),
        calls=tuple(_call(each) for each in calls if isinstance(each, dict))
        if isinstance(calls, list)
        else (),
        cards=tuple(map(str, entry.get("cards") or ())),
        rest=shorten_value(rest) if rest else "",
    )


def _says(entry: Mapping[str, Any], name: str) -> bool:
    # That a run went on by itself is what most steps do.
    return bool(entry.get(name)) and (name, entry[name]) != ("input", "continued")


def _call(call: Mapping[str, Any]) -> CallView:
    answer = call.get("answer")
    answer = answer if isinstance(answer, dict) else {}
    kind = str(call.get("kind", ""))
    values = {name: answer[name] for name in ("text", "tool_calls") if answer.get(name)}
    seconds = call.get("seconds", answer.get("seconds"))
    return CallView(
        kind=kind,
        name=str(answer.get("model", "") if kind == "model" else call.get("tool", "")),
        given=shorten_value(call["arguments"]) if "arguments" in call else "",
        answer=shorten_value(call["result"])
        if "result" in call
        else shorten_value(values)
        if values
        else "",
        error=shorten_value(call.get("error", "")),
        tokens=_to_int(answer.get("tokens")),
        cost=float(answer["cost"]) if isinstance(answer.get("cost"), int | float) else 0.0,
        seconds=float(seconds) if isinstance(seconds, int | float) else None,
    )


def parse_moment(text: Any) -> datetime | None:
    """The moment of a text, if it has a time zone."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else None


def shorten_value(value: Any) -> str:
    """A value as text, or as JSON; a very long one is cut."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… (+{len(text) - _LONGEST})"


def _pairs(value: Any) -> str:
    """A mapping in one line."""
    if not isinstance(value, dict):
        return shorten_value(value)
    return shorten_value(
        " · ".join(
            f"{name}: {each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)}"
            for name, each in value.items()
        )
    )


def _to_int(value: Any) -> int:
    return int(value) if isinstance(value, int | float) else 0

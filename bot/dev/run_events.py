"""The log of a run as events of an account: what was read, called, judged, asked and answered."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.dev.account import (
    AccountEvent,
    AnswerGiven,
    AskedPerson,
    CallMade,
    CardAsked,
    ModelAsked,
    NodeReached,
    RunEnded,
    StepMade,
    TakenValue,
    ValuesTaken,
    WordsUnused,
)
from cards.clipping import shorten
from cards.markdown import format_value
from cards.model import Review
from cards.values import is_money
from engine.frames.state import ENDED
from engine.playbooks.model import Playbook
from engine.rules.hard import HardRule
from engine.talk.turn.traces import count_rows

LogEntry = Mapping[str, Any]
TEXT_CHARS = 300
MOST_VALUES = 40
_QUIET = frozenset({"prompt", "tool_plan"})
"""Frames of which everything is told by what they read, call and ask."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is who on the day of the account: a person's name, and who stands in for them."""

    name: Callable[[str], str]
    delegate: Callable[[str], str]


@dataclass(slots=True)
class RunLog:
    """Reads the entries of one run's log, in order; they are masked already."""

    playbook: Playbook | None
    cast: Cast
    position: str = ""
    typed: dict[str, str] = field(default_factory=dict)

    def events(self, entries: Sequence[LogEntry]) -> Iterator[AccountEvent]:
        """What happened, in order."""
        for entry in entries:
            if "outcome" in entry:
                yield from self._step(entry)
            else:
                yield from self._happening(entry)
            self.position = str(entry.get("to", self.position))

    def _step(self, entry: LogEntry) -> Iterator[AccountEvent]:
        told = [*self._values(entry), *map(call_event, _calls(entry)), *self._judged(entry)]
        if unused := str(entry.get("unused", "")):
            told.append(WordsUnused(words=clip(unused)))
        told += self._cards(entry)
        why = clip(str(entry.get("why", "")))
        begins_skill = entry.get("frame") == "planner" and entry.get("outcome") == "push"
        ends = str(entry.get("status")) in (*ENDED, "blocked")
        if begins_skill:
            told.insert(0, StepMade(why=f"{entry.get('to', '')}: {why}"))
        elif not (told or ends or entry.get("frame") in (*_QUIET, "planner")):
            told.append(StepMade(why=why))
        yield from told
        if ends:
            yield RunEnded(end=str(entry.get("end") or entry["status"]), why=why)

    def _happening(self, entry: LogEntry) -> Iterator[AccountEvent]:
        match entry.get("event"):
            case "started":
                return
            case "tap" | "text":
                self.typed |= entry.get("read", {})
                yield from answer_events(entry, self.cast)
            case "cancelled":
                yield RunEnded(end="cancelled", why=self.cast.name(str(entry.get("by", ""))))
            case event:
                to = ", ".join(map(str, entry.get("to", ()) or entry.get("added", ())))
                yield StepMade(why=clip(" ".join(filter(None, (str(event), to)))))

    def _values(self, entry: LogEntry) -> list[AccountEvent]:
        changes, read = entry.get("changes", {}), {**self.typed, **entry.get("read", {})}
        values = [
            TakenValue(path=path, value=value_text(value), words=clip(read.get(path, "")))
            for path, value in list(changes.items())[:MOST_VALUES]
        ]
        if not values:
            return []
        self.typed = {}
        return [ValuesTaken(by=self.cast.name(str(entry.get("by", ""))), values=tuple(values))]

    def _judged(self, entry: LogEntry) -> list[AccountEvent]:
        judged = entry.get("judged")
        if not isinstance(judged, Mapping):
            return []
        node = str(judged.get("node", ""))
        rules = self._rules(node)
        places = [n for n in judged.get("rules", ()) if n < len(rules)]
        broken = judged.get("broken") or dict.fromkeys(rules[n].field for n in places)
        return [
            NodeReached(
                node=node,
                result=str(judged.get("result", "")),
                by=self.cast.name(str(judged.get("by", ""))),
                next=str(judged.get("next", "")),
                rules=len(rules),
                broken=tuple(map(str, broken)),
            )
        ]

    def _rules(self, node: str) -> Sequence[HardRule]:
        """The rules of the node, as far as the playbook is known."""
        skill = self.position.partition(":")[2].partition("/")[0]
        found = self.playbook.skills.get(skill) if self.playbook else None
        if found is None or found.sop is None or node not in found.sop.nodes:
            return ()
        return found.sop.nodes[node].rules

    def _cards(self, entry: LogEntry) -> list[AccountEvent]:
        opened = set(map(str, entry.get("cards", ())))
        why = str(entry.get("why", ""))
        return [
            card_event(card, why.partition(" waits for ")[2] or why, self.cast)
            for card in entry.get("changed_cards", ())
            if card.get("token") in opened
        ]


def card_event(card: Mapping[str, Any], why: str, cast: Cast) -> CardAsked:
    """A card that was opened, as its facts in the log say."""
    review = Review.model_validate(card.get("review", {}))
    asked = review.approvers if review.approvers is not None else review.persons
    to = tuple(
        AskedPerson(id=each, name=cast.name(each), delegate=cast.name(cast.delegate(each)))
        for each in asked
    )
    return CardAsked(
        card=str(card["token"]),
        card_kind=str(card.get("kind", "")),
        to=to,
        why=clip(why),
        votes=review.quorum,
        is_own=not review.by_policy,
    )


def answer_events(entry: LogEntry, cast: Cast) -> Iterator[AccountEvent]:
    """What came of a tap, a form or a text: the words that it took, and those that it did not."""
    if read := entry.get("read"):
        values = [TakenValue(path=path, value="", words=clip(read[path])) for path in read]
        yield ValuesTaken(by=cast.name(str(entry.get("by", ""))), values=tuple(values))
    if unused := str(entry.get("unused", "")):
        yield WordsUnused(words=clip(unused))
    yield AnswerGiven(
        by=cast.name(str(entry.get("by", ""))),
        choice=str(entry.get("choice", "")),
        result=str(entry.get("result", "")),
        via=str(entry.get("via", "")),
    )


def call_event(call: LogEntry) -> CallMade | ModelAsked:
    """A recorded call of a tool or of a model."""
    fault, answer = clip(str(call.get("error", ""))), call.get("answer", {})
    if call.get("kind") == "model":
        return ModelAsked(
            model=str(answer.get("model", "")),
            tokens=int(answer.get("tokens", 0)),
            seconds=answer.get("seconds"),
            fault=fault,
        )
    rows = call["rows"] if "rows" in call else count_rows(call.get("result"))
    return CallMade(
        tool=str(call.get("tool", "")),
        arguments=value_text(call.get("arguments", {})),
        rows=None if fault else rows,
        seconds=call.get("seconds"),
        fault=fault,
        rehearsed=call.get("kind") == "rehearse",
    )


def _calls(entry: LogEntry) -> list[LogEntry]:
    """The calls of a step but those that only look at what a system takes."""
    return [call for call in entry.get("calls", ()) if call.get("kind") != "pin"]


def value_text(value: Any) -> str:
    """A value as a text of bounded length."""
    if isinstance(value, dict | list | tuple) and not is_money(value):
        return clip(json.dumps(value, ensure_ascii=False))
    return clip(format_value(value))


def clip(text: str) -> str:
    """The text in one line of bounded length."""
    return shorten(" ".join(text.split()), TEXT_CHARS)

"""A recorded run, step by step against a playbook: where would it decide otherwise (000 §5)?"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from engine.frames.outcome import StepContext
from engine.frames.state import Run
from engine.mail import RunMail
from engine.playbooks.model import Playbook
from engine.ports.storage.store import Effects
from engine.runs.replay.recorded import MissingRecording, RecordedAnswers
from engine.runs.replay.trace import RunTrace, rewound
from engine.runs.run import step
from engine.services import Services

_MAIL: TypeAdapter[RunMail] = TypeAdapter(RunMail)
# An operator's doings are no decisions of a playbook.
_NOT_REPLAYED = frozenset({"resumed", "migrated", "synced", "sync_failed"})
_COMPARED = ("outcome", "status", "end", "to", "by", "changes", "asks")


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replay first leaves its trace: `step` from 1, what was recorded and what is now."""

    step: int
    what: str
    recorded: str
    now: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """How many steps were run again, and the first difference, if there is one."""

    steps: int
    difference: Difference | None = None


async def replay(trace: RunTrace, playbook: Playbook, services: Services) -> Replayed:
    """Run the trace's steps again; `services` gives people and time zone, nothing is asked."""
    run, done = rewound(trace.run, playbook), 0
    for entry in trace.steps:
        if entry["input"] in _NOT_REPLAYED:
            continue
        done += 1
        follows = not entry.get("again", False)
        context = StepContext(run, playbook, _services(entry, services), follows)
        mail = _MAIL.validate_python({"kind": entry["input"], **entry.get("mail", {})})
        try:
            effects = (await step(mail, context)).effects
        except MissingRecording as error:
            return Replayed(done, Difference(done, "call", "", str(error)))
        if not effects.runs:
            ignored = "the run does not wait for it"
            return Replayed(done, Difference(done, "input", entry["input"], ignored))
        found = _compared(done, entry, effects)
        if found is not None:
            return Replayed(done, found)
        run = Run.model_validate_json(effects.runs[0].body)
    return Replayed(done)


def _services(entry: Mapping[str, Any], services: Services) -> Services:
    calls = entry.get("calls", ())
    answers = RecordedAnswers(calls)
    # Without a model then, none now: what it would have said nobody knows.
    asked = any(call["kind"] == "model" for call in calls)
    tokens = iter((*entry.get("cards", ()), *entry.get("children", {}).values()))
    now = datetime.fromisoformat(entry["at"])

    def new_id(conversation: str) -> str:
        return next(tokens, "not-recorded")

    today = now.astimezone(ZoneInfo(services.zone)).date()
    return replace(
        services.at(now, today),
        model=answers if asked else None,
        call=answers.call,
        rehearse=answers.rehearse,
        new_id=new_id,
    )


def _compared(number: int, entry: Mapping[str, Any], effects: Effects) -> Difference | None:
    now = json.loads(effects.log[0][1])
    if entry["frame"] == "planner":
        strategies = (_strategy(entry), _strategy(now))
        if strategies[0] != strategies[1]:
            return Difference(number, "strategy", entry["why"], now["why"])
    for name in _COMPARED:
        # What older versions did not record says nothing.
        if (name in entry or name != "end") and entry.get(name) != now.get(name):
            return Difference(number, name, _told(entry.get(name)), _told(now.get(name)))
    return None


def _strategy(entry: Mapping[str, Any]) -> str:
    return str(entry["why"]).partition(":")[0]


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

"""A recorded run, run again step by step: where does it decide otherwise now (spec 000 §5)?"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from cards.frozen import Frozen
from engine.cases.letters import find_case
from engine.errors import (
    AllowanceUsedUp,
    BudgetExceeded,
    ModelError,
    ModelUnavailable,
    ToolFailed,
    ToolRefused,
    ToolUnsure,
)
from engine.frames.outcome import StepContext
from engine.frames.state import PlannerFrame, Run
from engine.mail import RunMail
from engine.playbooks.model import Playbook
from engine.ports.model import Completion, Message, Purpose, ToolCall, ToolOffer
from engine.ports.storage.store import Effects
from engine.runs.run import advance_run
from engine.runs.run_state import with_request_context
from engine.services import Services
from engine.tools.model import Tool, ToolContext

_MAIL: TypeAdapter[RunMail] = TypeAdapter(RunMail)
# An operator's doings are no decisions of a playbook.
_NOT_REPLAYED = frozenset({"resumed", "migrated", "synced", "sync_failed"})
_COMPARED = ("outcome", "status", "end", "to", "by", "changes", "asks")


class RunTrace(Frozen):
    """A run as it stood, and its steps as recorded; it holds what people wrote, unmasked."""

    schema_version: Literal[1] = 1
    run: Run
    steps: tuple[dict[str, Any], ...]


def trace_of(run: Run, entries: Sequence[str]) -> RunTrace:
    """The trace of a run from its audit."""
    read = [json.loads(entry) for entry in entries]
    return RunTrace(run=run, steps=tuple(entry for entry in read if "outcome" in entry))


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replay first differs from its trace: the `step` from 1, and `what` differs."""

    step: int
    what: str
    recorded: str
    now: str


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """How many steps were run again, and the first difference, if there is one."""

    steps: int
    difference: Difference | None = None


async def replay(trace: RunTrace, playbook: Playbook, services: Services) -> ReplayResult:
    """Run the trace's steps again; `services` gives people and time zone, nothing is asked."""
    run, done = _rewind(trace.run, playbook), 0
    people = services.people.scope_to(run.conversation, run.project)
    services = replace(services, people=people)
    for entry in trace.steps:
        if entry["input"] in _NOT_REPLAYED:
            continue
        done += 1
        follows = not entry.get("again", False)
        context = StepContext(run, playbook, _recorded_services(entry, services), follows)
        mail = _MAIL.validate_python({"kind": entry["input"], **entry.get("mail", {})})
        try:
            effects = (await advance_run(mail, context)).effects
        except MissingRecording as error:
            return ReplayResult(done, Difference(done, "call", "", str(error)))
        if not effects.runs:
            ignored = "the run does not wait for it"
            return ReplayResult(done, Difference(done, "input", entry["input"], ignored))
        found = _find_difference(done, entry, effects)
        if found is not None:
            return ReplayResult(done, found)
        run = Run.model_validate_json(effects.runs[0].body)
    return ReplayResult(done)


def _rewind(run: Run, playbook: Playbook) -> Run:
    """The run as it began, in this playbook."""
    phases = playbook.definition.phases_of(run.request)
    begun = Run(
        id=run.id,
        playbook=playbook.id,
        digest=playbook.digest,
        request=run.request,
        name=run.name,
        conversation=run.conversation,
        lang=run.lang,
        requester=run.requester,
        text=run.text,
        message=run.message,
        reply=run.reply,
        part=run.part,
        slot=False,
        named=run.named,
        project=run.project,
        frames=(PlannerFrame(phase=phases[0].id),),
        started_at=run.started_at,
    )
    begun = with_request_context(begun, playbook, run.state.recent, decided=run.state.decided)
    project = run.case.name.project if run.case else ""
    return begun.model_copy(update={"case": find_case(begun, playbook, project)})


def _recorded_services(entry: Mapping[str, Any], services: Services) -> Services:
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
        services.frozen_at(now, today),
        model=answers if asked else None,
        call=answers.call,
        rehearse=answers.rehearse,
        pin=answers.pin,
        new_id=new_id,
    )


def _find_difference(number: int, entry: Mapping[str, Any], effects: Effects) -> Difference | None:
    now = json.loads(effects.log[0][1])
    if entry["frame"] == "planner":
        strategies = (_strategy(entry), _strategy(now))
        if strategies[0] != strategies[1]:
            return Difference(number, "strategy", entry["why"], now["why"])
    for name in _COMPARED:
        # What older versions did not record says nothing.
        if (name in entry or name != "end") and entry.get(name) != now.get(name):
            return Difference(number, name, _as_text(entry.get(name)), _as_text(now.get(name)))
    return None


def _strategy(entry: Mapping[str, Any]) -> str:
    return str(entry["why"]).partition(":")[0]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class MissingRecording(Exception):
    """The step wants an answer that the recorded one did not have; the message says which."""


class RecordedFailure(ToolFailed):
    """The failure that a tool had when the step was recorded."""

    def __init__(self, told: str) -> None:
        super().__init__("tool.recorded", told=told)


class RecordedAway(RecordedFailure):
    """The failure of a tool whose system was away when the step was recorded."""

    is_away = True


class RecordedRefusal(ToolRefused):
    """What a tool refused when the step was recorded."""

    def __init__(self, told: str) -> None:
        super().__init__("tool.recorded", told=told)


class RecordedUnsure(ToolUnsure):
    """A write whose answer was lost when the step was recorded."""

    def __init__(self, told: str) -> None:
        super().__init__("tool.recorded", told=told)


class RecordedAnswers:
    """A model and a way to tools that give the answers of a recorded step, in their order."""

    def __init__(self, calls: Sequence[Mapping[str, Any]]) -> None:
        self._calls = list(calls)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
        heard: Callable[[str], None] | None = None,
        purpose: Purpose = "",
    ) -> Completion:
        """The model's recorded answer or failure; raises MissingRecording without one."""
        entry = self._next("model", "the model")
        if entry.get("used_up"):
            raise BudgetExceeded(entry["error"])
        if "limit" in entry:
            raise AllowanceUsedUp(entry["limit"])
        if "error" in entry:
            raise (ModelUnavailable if entry.get("away") else ModelError)(entry["error"])
        answer = dict(entry["answer"])
        calls = tuple(ToolCall.model_validate(call) for call in answer.pop("tool_calls", ()))
        return Completion(**{"text": "", **answer, "tool_calls": calls})

    async def call(self, tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        """The tool's recorded result or failure."""
        return self._tool("call", tool, arguments)

    async def rehearse(
        self, tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext
    ) -> Any:
        """Whether the call would have succeeded then.

        Earlier versions asked for an approval without a rehearsal: then nothing was refused.
        """
        if not self._calls or self._calls[0]["kind"] != "rehearse":
            return None
        return self._tool("rehearse", tool, arguments)

    async def pin(self, tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        """What the tool's system took then."""
        return self._tool("pin", tool, arguments)

    def _tool(self, kind: str, tool: Tool[Any], arguments: Mapping[str, Any]) -> Any:
        entry = self._next(kind, tool.name)
        if entry["tool"] != tool.name or entry["arguments"] != dict(arguments):
            wanted, then = f"{tool.name} {dict(arguments)}", f"{entry['tool']} {entry['arguments']}"
            raise MissingRecording(f"calls {wanted}; recorded was {then}")
        if "error" in entry:
            if entry.get("refused"):
                raise RecordedRefusal(entry["error"])
            if entry.get("away"):
                raise RecordedAway(entry["error"])
            raised = RecordedUnsure if entry.get("unsure") else RecordedFailure
            raise raised(entry["error"])
        return entry["result"]

    def _next(self, kind: str, name: str) -> Mapping[str, Any]:
        if not self._calls or self._calls[0]["kind"] != kind:
            raise MissingRecording(f"asks {name}, which was not asked then")
        return self._calls.pop(0)

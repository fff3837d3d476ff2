"""The services of one step: the model within the run's budget, and every answer recorded.

What a step asks of the outside is watched: one that asks nothing may be taken ahead.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from pydantic_core import to_jsonable_python

from engine.errors import (
    AllowanceUsedUp,
    BudgetExceeded,
    ModelError,
    ToolError,
    ToolRefused,
    ToolUnsure,
)
from engine.frames.state import Run
from engine.playbooks.model import Playbook
from engine.ports.library import Library
from engine.ports.model import (
    Completion,
    Message,
    Model,
    ModelBudget,
    ModelUsage,
    Purpose,
    ToolOffer,
)
from engine.services import Services
from engine.text.thoughts import without_thoughts
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import CallTool

_MARKS = {"unsure": ToolUnsure, "refused": ToolRefused}
"""What is recorded of a failure of that kind, for steps go on differently after it."""


def step_services(services: Services, run: Run, playbook: Playbook) -> Services:
    """The services for a step of the run.

    Their model raises BudgetExceeded once the run's budget is used up, counted from when somebody
    last let it go on. What the model and tools answer is in `recorded_calls()`, so that the step
    can be replayed (spec 000 §5).
    """
    calls: list[dict[str, Any]] = []
    elapsed_s = services.clock.elapsed_s
    budget = budget_of(playbook, services)
    model = _StepModel(services.model, budget, run.used, calls) if services.model else None
    return services.with_changes(
        model=model,
        call=record_calls(services.call, "call", calls, elapsed_s),
        rehearse=record_calls(services.rehearse, "rehearse", calls),
        pin=record_calls(services.pin, "pin", calls),
        recorded_calls=lambda: tuple(calls),
    )


def budget_of(playbook: Playbook, services: Services) -> ModelBudget:
    """The playbook's own budget for a run, else that of the settings."""
    return playbook.definition.budget or services.limits.run


def usage_of(calls: Iterable[Mapping[str, Any]]) -> ModelUsage:
    """What the recorded answers of a step used."""
    answers = [call["answer"] for call in calls if call["kind"] == "model" and "answer" in call]
    tokens = sum(answer.get("tokens", 0) for answer in answers)
    return ModelUsage(calls=len(answers), tokens=tokens)


class _StepModel:
    def __init__(
        self, model: Model, budget: ModelBudget, used: ModelUsage, calls: list[dict[str, Any]]
    ) -> None:
        self._model = model
        self._budget = budget
        self._used = used
        self._calls = calls

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
        """The model's answer; it is recorded, as a failure is. Raises BudgetExceeded."""
        try:
            self._check_budget()
            answer = await self._model.complete(
                messages,
                tools=tools,
                schema=schema,
                max_tokens=max_tokens,
                heard=heard,
                purpose=purpose,
            )
        except ModelError as error:
            away = {"away": True} if error.retryable else {}
            limit = {"limit": error.whose} if isinstance(error, AllowanceUsedUp) else {}
            self._calls.append({"kind": "model", "error": str(error), **away, **limit})
            raise
        except BudgetExceeded as error:
            self._calls.append({"kind": "model", "error": str(error), "used_up": True})
            raise
        # What it thinks is not kept in the run's log either.
        answer = replace(answer, text=without_thoughts(answer.text))
        self._used = self._used.plus(ModelUsage(calls=1, tokens=answer.tokens))
        fields = {name: value for name, value in asdict(answer).items() if value}
        self._calls.append({"kind": "model", "answer": to_jsonable_python(fields)})
        return answer

    def _check_budget(self) -> None:
        if self._budget.is_used_up(self._used):
            raise BudgetExceeded(f"{self._used.calls} calls, {self._used.tokens} tokens are used")


def record_calls(
    call: CallTool,
    kind: str,
    calls: list[dict[str, Any]],
    elapsed_s: Callable[[], float] | None = None,
) -> CallTool:
    """The same call, which adds to `calls` what it was given and what came of it.

    By the clock `elapsed_s` it also says how many seconds that took.
    """

    async def call_and_record(
        tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext
    ) -> Any:
        entry: dict[str, Any] = {"kind": kind, "tool": tool.name, "arguments": dict(arguments)}
        since_s = elapsed_s() if elapsed_s else 0.0

        def took() -> dict[str, float]:
            return {"seconds": round(elapsed_s() - since_s, 3)} if elapsed_s else {}

        try:
            result = await call(tool, arguments, ctx)
        except ToolError as error:
            marks = {n: True for n, kind in _MARKS.items() if isinstance(error, kind)}
            marks |= {"away": True} if error.is_away else {}
            calls.append({**entry, "error": str(error), **marks, **took()})
            raise
        calls.append({**entry, "result": to_jsonable_python(result), **took()})
        return result

    return call_and_record


class OutsideAsked(Exception):
    """A step that is taken ahead wants something of the outside; nothing was asked."""


# Ports whose answers come from elsewhere, and may be others the next time.
_PORTS = ("decisions", "findings", "inbox", "files", "cases", "own_runs", "admissions")


class Outside:
    """The outside as the steps of a visit have it: `asked` once one wanted anything of it.

    A closed one refuses with OutsideAsked before anything is asked, but for calls that are only
    tried: these change nothing, and a worker that dies before the commit tries them once more.
    """

    def __init__(self) -> None:
        self.asked = False
        self.refused = False
        self._closed = False

    def close(self) -> None:
        """Refuse what is asked from now on."""
        self._closed = True

    def note(self, *, trial: bool = False) -> None:
        """Note that something is asked. Raises OutsideAsked where it is refused."""
        self.asked = True
        if self._closed and not trial:
            self.refused = True
            raise OutsideAsked

    def watch(self, services: Services) -> Services:
        """The same services, watched."""
        ports = {name: _Watched(getattr(services, name), self) for name in _PORTS}
        return services.with_changes(
            model=_Watched(services.model, self) if services.model else None,
            library=self._library(services.library),
            call=self._call(services.call),
            rehearse=self._call(services.rehearse, trial=True),
            pin=self._call(services.pin, trial=True),
            **ports,
        )

    def _library(self, library: Library) -> Library:
        known = {each.name: getattr(library, each.name) for each in fields(library)}
        return Library(**{name: _Watched(part, self) for name, part in known.items() if part})

    def _call(self, call: CallTool, *, trial: bool = False) -> CallTool:
        async def watched(tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
            self.note(trial=trial)
            return await call(tool, arguments, ctx)

        return watched


class _Watched:
    """A port, of which each use is noted."""

    def __init__(self, port: Any, outside: Outside) -> None:
        self._port, self._outside = port, outside

    def __getattr__(self, name: str) -> Any:
        self._outside.note()
        return getattr(self._port, name)

"""The answers of a recorded step, given again in their order."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.errors import BudgetExceeded, ModelError, ModelUnavailable, ToolFailed, ToolUnsure
from engine.ports.model import Completion, Message, ToolCall, ToolOffer
from engine.tools.model import Tool, ToolContext


class MissingRecording(Exception):
    """The step wants an answer that the recorded one did not have; the message says which."""


class ToolAsRecorded(ToolFailed):
    """The failure that a tool had when the step was recorded."""

    def __init__(self, told: str) -> None:
        super().__init__("tool.recorded", told=told)


class UnsureAsRecorded(ToolUnsure):
    """A write whose answer was lost when the step was recorded."""

    def __init__(self, told: str) -> None:
        super().__init__("tool.recorded", told=told)


class RecordedAnswers:
    """A model and a way to tools that answer what they answered then."""

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
    ) -> Completion:
        """The model's recorded answer or failure; raises NotRecorded when it was not asked then."""
        entry = self._next("model", "the model")
        if entry.get("used_up"):
            raise BudgetExceeded(entry["error"])
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
        """Whether the call would have succeeded then."""
        return self._tool("rehearse", tool, arguments)

    def _tool(self, kind: str, tool: Tool[Any], arguments: Mapping[str, Any]) -> Any:
        entry = self._next(kind, tool.name)
        if entry["tool"] != tool.name or entry["arguments"] != dict(arguments):
            wanted, then = f"{tool.name} {dict(arguments)}", f"{entry['tool']} {entry['arguments']}"
            raise MissingRecording(f"calls {wanted}; recorded was {then}")
        if "error" in entry:
            raised = UnsureAsRecorded if entry.get("unsure") else ToolAsRecorded
            raise raised(entry["error"])
        return entry["result"]

    def _next(self, kind: str, name: str) -> Mapping[str, Any]:
        if not self._calls or self._calls[0]["kind"] != kind:
            raise MissingRecording(f"asks {name}, which was not asked then")
        return self._calls.pop(0)

"""What the model and tools answered in a step, kept so that it can be replayed (spec 000 §5)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from pydantic_core import to_jsonable_python

from engine.errors import BudgetExceeded, ModelError, ToolError, ToolUnsure
from engine.ports.model import Completion, Message, Model, ToolOffer
from engine.services import Services
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import CallTool


def recording(services: Services) -> Services:
    """The same services, whose `recorded()` tells every answer that they gave since."""
    calls: list[dict[str, Any]] = []
    model = _RecordedModel(services.model, calls) if services.model else None
    return replace(
        services,
        model=model,
        call=_recorded(services.call, "call", calls),
        rehearse=_recorded(services.rehearse, "rehearse", calls),
        recorded=lambda: tuple(calls),
    )


class _RecordedModel:
    def __init__(self, model: Model, calls: list[dict[str, Any]]) -> None:
        self._model = model
        self._calls = calls

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
        heard: Callable[[str], None] | None = None,
    ) -> Completion:
        """The model's answer, kept; its failure is kept as well."""
        try:
            answer = await self._model.complete(
                messages, tools=tools, schema=schema, max_tokens=max_tokens, heard=heard
            )
        except ModelError as error:
            away = {"away": True} if error.retryable else {}
            self._calls.append({"kind": "model", "error": str(error), **away})
            raise
        except BudgetExceeded as error:
            self._calls.append({"kind": "model", "error": str(error), "used_up": True})
            raise
        kept = {name: value for name, value in asdict(answer).items() if value}
        self._calls.append({"kind": "model", "answer": to_jsonable_python(kept)})
        return answer


def _recorded(call: CallTool, kind: str, calls: list[dict[str, Any]]) -> CallTool:
    async def recorded(tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        entry: dict[str, Any] = {"kind": kind, "tool": tool.name, "arguments": dict(arguments)}
        try:
            result = await call(tool, arguments, ctx)
        except ToolError as error:
            unsure = {"unsure": True} if isinstance(error, ToolUnsure) else {}
            calls.append({**entry, "error": str(error), **unsure})
            raise
        calls.append({**entry, "result": to_jsonable_python(result)})
        return result

    return recorded

"""One tool call that the model asks for: allowed or refused, checked, timed, cut, fenced."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import ToolError
from engine.ports.model import ToolCall, ToolOffer
from engine.react.texts import fenced
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import call as call_tool

OBSERVED_CHARS = 2000
NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class Observed:
    """What came of a call; `content` is what the model sees."""

    ok: bool
    content: str


class Hands:
    """The read-only tools, and nothing else, whatever the model asks for (promise 3)."""

    def __init__(self, tools: Sequence[Tool[Any]], *, timeout_s: float) -> None:
        self._readonly = {tool.name: tool for tool in tools if tool.readonly}
        self._writes = {tool.name for tool in tools if not tool.readonly}
        self._timeout_s = timeout_s

    def offers(self) -> tuple[ToolOffer, ...]:
        """The tools as the model sees them."""
        return tuple(
            ToolOffer(
                name=tool.name,
                description=tool.description,
                parameters=tool.arguments.model_json_schema(),
            )
            for tool in self._readonly.values()
        )

    async def act(self, wanted: ToolCall, context: ToolContext) -> Observed:
        """The tool's result; a refusal or a fault comes back as text for the model."""
        tool = self._readonly.get(wanted.name)
        if tool is None:
            return Observed(False, self._refusal(wanted.name))
        try:
            arguments = json.loads(wanted.arguments or "{}")
        except (ValueError, RecursionError):
            return Observed(False, "Not called: the arguments are not valid JSON.")
        if not isinstance(arguments, dict):
            return Observed(False, "Not called: the arguments must be a JSON object.")
        try:
            async with asyncio.timeout(self._timeout_s):
                result = await call_tool(tool, arguments, context)
        except TimeoutError:
            return Observed(False, f"{tool.name} took longer than {self._timeout_s:g} seconds.")
        except ToolError as error:
            return Observed(False, f"{tool.name} gave no result: {fenced(_cut(str(error)))}")
        return Observed(True, fenced(_cut(json.dumps(result, ensure_ascii=False, default=str))))

    def _refusal(self, name: str) -> str:
        shown = ascii(name[:NAME_CHARS])
        if name in self._writes:
            return (
                f"Refused: {shown} changes records, and answering a question never does. Tell the "
                "person to ask for that work in a message of its own: it starts a workflow, which "
                "a reviewer approves. Nothing was changed."
            )
        return f"Refused: there is no tool {shown}. There are: {', '.join(self._readonly)}."


def _cut(text: str) -> str:
    if len(text) <= OBSERVED_CHARS:
        return text
    return f"{text[:OBSERVED_CHARS]} … [cut: {len(text) - OBSERVED_CHARS} more characters]"

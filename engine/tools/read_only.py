"""The tools that a model may call: those that only read (design §1, promise 3)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cards.clipping import shorten
from cards.model import Lang
from cards.texts import languages
from engine.errors import ToolError
from engine.ports.model import ToolCall, ToolOffer
from engine.text.excerpts.excerpt import excerpt
from engine.text.fence import fence_data
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import CallTool, may_read
from engine.tools.registry import call as call_tool

NAME_CHARS = 60
_COLUMN = re.compile(r"(\w+?)_([a-z]{2})(_\d+)?")


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of a call; `content` is what the model sees.

    `refused` when the tool is one that changes records.
    """

    ok: bool
    content: str
    refused: bool = False


class ReadOnlyTools:
    """The read-only tools that this person may use, and no others.

    With `lang`, of columns that a result has for each language (`title_en`, `title_zh`) the model
    is shown those of that one, and of a text by language (`{"en": …, "zh": …}`) that text.
    """

    def __init__(
        self,
        tools: Sequence[Tool[Any]],
        context: ToolContext,
        call: CallTool = call_tool,
        *,
        lang: Lang | None = None,
    ) -> None:
        allowed = (
            tool
            for tool in tools
            if tool.readonly and not tool.is_answer and may_read(tool, context)
        )
        self._readonly = {tool.name: tool for tool in allowed}
        self._context = context
        self._call = call
        self._lang = lang

    def offers(self) -> tuple[ToolOffer, ...]:
        """The tools as the model sees them."""
        return tuple(
            ToolOffer(
                name=tool.name,
                description=tool.description,
                parameters=tool.input_schema(),
            )
            for tool in self._readonly.values()
        )

    async def call(self, wanted: ToolCall) -> Observation:
        """The tool's result, marked as data; a refusal or a fault is text for the model.

        Of a long result what is left out is named.
        """
        tool = self._readonly.get(wanted.name)
        if tool is None:
            return self._refuse(wanted.name)
        try:
            arguments = json.loads(wanted.arguments or "{}")
        except (ValueError, RecursionError):
            return Observation(False, "Not called: the arguments are not valid JSON.")
        if not isinstance(arguments, dict):
            return Observation(False, "Not called: the arguments must be a JSON object.")
        try:
            result = await self._call(tool, arguments, self._context)
        except ToolError as error:
            fault = fence_data(shorten(str(error), self._context.room))
            return Observation(False, f"{tool.name} gave no result: {fault}")
        if self._lang:
            result = _in_language(result, self._lang)
        return Observation(True, _shown(result, self._context.room))

    def _refuse(self, name: str) -> Observation:
        shown = ascii(name[:NAME_CHARS])
        if name in self._context.writing:
            reason = (
                f"Refused: {shown} changes records, and answering a question never does. Tell the "
                "person to ask for that work in a message of its own: it starts a workflow, which "
                "a reviewer approves. Nothing was changed."
            )
            return Observation(False, reason, refused=True)
        names = ", ".join(self._readonly)
        return Observation(False, f"Refused: there is no tool {shown}. There are: {names}.")


def _in_language(result: Any, lang: Lang) -> Any:
    """The result without texts for other languages, where it has those for this one."""
    if isinstance(result, list | tuple):
        return [_in_language(each, lang) for each in result]
    if not isinstance(result, Mapping):
        return result
    if len(result) > 1 and lang in result and result.keys() <= {*languages()}:
        return _in_language(result[lang], lang)
    others = [other for other in languages() if other != lang]
    twins = {
        twin
        for name in result
        if (column := _COLUMN.fullmatch(name)) and column[2] == lang
        for twin in (f"{column[1]}_{other}{column[3] or ''}" for other in others)
        if result[name] is not None or result.get(twin) is None
    }
    return {name: _in_language(each, lang) for name, each in result.items() if name not in twins}


def _shown(result: Any, room: int) -> str:
    kept = excerpt(result, room)
    if not kept.left_out:
        return fence_data(kept.text)
    return (
        f"{fence_data(kept.text)}\nNot shown, for it is too long: {fence_data(kept.names)}. "
        "Ask for less at a time to see it."
    )

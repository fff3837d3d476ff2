"""The tools that a question is offered: those that fit it best, and a tool that finds the rest."""

import json
from collections.abc import Sequence
from typing import Any, Final

from cards.model import Lang
from engine.ports.model import ToolCall, ToolOffer
from engine.text.fence import fence_data
from engine.tools.model import Tool, ToolContext
from engine.tools.read_only import Observation, ReadOnlyTools
from engine.tools.top_tools import OfferedTools, top_k_tools

FIND_TOOLS: Final = "find_tools"
MOST_NAMED = 40


class RankedTools(ReadOnlyTools):
    """Read-only tools of which the `most` that fit a question best are offered at once.

    The others are offered once the model has found them with `find_tools`, or called one by name.
    """

    def __init__(
        self,
        tools: Sequence[Tool[Any]],
        context: ToolContext,
        *,
        query: str,
        most: int,
        lang: Lang,
    ) -> None:
        super().__init__(tools, context, lang=lang)
        self._all = super().offers()
        names = {offer.name for offer in self._all}
        self._listed = OfferedTools(tool for tool in tools if tool.name in names).describe()
        self._most = most
        best = top_k_tools(query, self._listed, most) if len(names) > most else names
        # What is offered first stays first, so that a provider knows the beginning again.
        self._offered = [offer for offer in self._all if offer.name in best]

    def offers(self) -> tuple[ToolOffer, ...]:
        """The tools as the model sees them now."""
        rest = self._rest()
        return (*self._offered, _find_offer(rest)) if rest else tuple(self._offered)

    async def call(self, wanted: ToolCall) -> Observation:
        """The tool's result; `find_tools` offers the tools that it tells of from then on."""
        if wanted.name == FIND_TOOLS and self._rest():
            return self._find(wanted.arguments)
        self._offer(wanted.name)
        return await super().call(wanted)

    def _find(self, arguments: str) -> Observation:
        try:
            query = str(json.loads(arguments or "{}")["query"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return Observation(False, 'Not called: the arguments are {"query": "what is needed"}.')
        rest = self._rest()
        found = top_k_tools(query, {name: self._listed[name] for name in rest}, self._most)
        for name in found:
            self._offer(name)
        told = [{"name": name, "description": self._listed[name]["description"]} for name in found]
        left = len(rest) - len(found)
        more = f" {left} more are not offered; look again with other words." if left else ""
        listed = fence_data(json.dumps(told, ensure_ascii=False))
        return Observation(True, f"These can be called now: {listed}.{more}")

    def _offer(self, name: str) -> None:
        offered = {offer.name for offer in self._offered}
        self._offered += [o for o in self._all if o.name == name and name not in offered]

    def _rest(self) -> list[str]:
        offered = {offer.name for offer in self._offered}
        return [offer.name for offer in self._all if offer.name not in offered]


def _find_offer(rest: Sequence[str]) -> ToolOffer:
    named = ", ".join(rest[:MOST_NAMED]) + (", ..." if len(rest) > MOST_NAMED else "")
    return ToolOffer(
        name=FIND_TOOLS,
        description=(
            f"Finds further tools that read, by what is needed. There are {len(rest)} more that are"
            f" not listed here: {named}. Those that fit can be called afterwards."
        ),
        parameters={
            "type": "object",
            "properties": {"query": {"type": "string", "description": "what is needed"}},
            "required": ["query"],
            "additionalProperties": False,
        },
    )

"""The tools that fit a request best, by words and groups of letters (004 §1)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from engine.text.similarity import cosine, grams
from engine.tools.knowledge.ranking import rank, tokens
from engine.tools.model import Tool

Manifest = Mapping[str, Mapping[str, Any]]
"""Tools as MCP lists them, `{name: {description, input_schema}}`.

`keywords` and `writes` are for ranking."""

TOP_K = 6


class OfferedTools:
    """Our own tools as a registry for `LLMPlanner`."""

    def __init__(self, tools: Iterable[Tool[Any]]) -> None:
        self._tools = tuple(tools)

    def describe(self) -> dict[str, dict[str, Any]]:
        """Each tool's description, the JSON schema of its arguments, and what people say for it."""
        return {
            tool.name: {
                "description": tool.description,
                "input_schema": tool.input_schema(),
                "result": _result_of(tool),
                "keywords": " ".join((*tool.cues, *tool.examples)),
                "writes": not tool.readonly,
            }
            for tool in self._tools
        }


def _result_of(tool: Tool[Any]) -> Any:
    """What a result looks like, for who refers to a part of it; None where it is not known."""
    row = {name: kind or "any" for name, kind in tool.columns.items()}
    match tool.shape:
        case "one":
            return {"found": "boolean", **row}
        case "many":
            return {"rows": [row]}
        case "text":
            return {"text": "text"}
    return None


def top_k_tools(user_query: str, tools: Manifest, k: int = TOP_K) -> dict[str, Mapping[str, Any]]:
    """At most `k` tools, those that fit best first; what fits alike, or not at all, as listed.

    None that writes is left out for one that reads: who lists it has the request for its sake, in
    whatever words it is asked for.
    """
    query = user_query.lower()
    texts = {name: _text(name, tool) for name, tool in tools.items()}
    words = dict(rank(query, {name: Counter(tokens(text)) for name, text in texts.items()}))
    query_grams = grams(query)
    listed = {name: number for number, name in enumerate(tools)}
    scores = {n: words.get(n, 0.0) + cosine(query_grams, grams(text)) for n, text in texts.items()}
    kept = sorted(tools, key=lambda name: (not tools[name].get("writes"), -scores[name]))
    best = sorted(kept[: max(k, 1)], key=lambda name: (-scores[name], listed[name]))
    return {name: tools[name] for name in best}


def _text(name: str, tool: Mapping[str, Any]) -> str:
    spaced = name.replace("_", " ").replace("-", " ")
    parts = (str(tool.get(key) or "") for key in ("description", "keywords"))
    return " ".join((spaced, *parts)).lower()

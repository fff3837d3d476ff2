"""Tools as an MCP server lists them, for plans that nobody carries out."""

from typing import Any

TOOLS: dict[str, dict[str, Any]] = {
    "search": {
        "description": "Search papers",
        "input_schema": {
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1},
                "kind": {"type": "string", "enum": ["review", "trial"]},
                "years": {"type": "array", "items": {"type": "integer"}},
            },
            "required": ["query"],
        },
    },
    "calc": {
        "description": "Do arithmetic",
        "input_schema": {
            "type": "object",
            "properties": {"expr": {"type": "string"}},
            "required": ["expr"],
        },
    },
    "today": {"description": "Today's date"},
}
CALC = '{"type": "tool", "name": "calc", "arguments": {"expr": "1+1"}}'
DONE = '{"type": "reply", "text": "ok"}'
GOOD = f"[{CALC}, {DONE}]"


def short(step: dict[str, Any]) -> str:
    """A step in one line: `tool arguments`, or the reply's text after a `>`."""
    if step["type"] == "reply":
        return f"> {step['text']}"
    return f"{step['name']} {step['arguments']}"

"""Calls with the run's values in place, and the digest that approval is about."""

from typing import Any

from cards import edits
from engine.frames.state import AgentState
from engine.playbooks.skill import ToolPlan


def resolve(plan: ToolPlan, state: AgentState) -> tuple[dict[str, Any], ...]:
    """Every call as `{tool, arguments}`; `$name` became the data leaf, None when unknown."""
    return tuple(
        {
            "tool": call.tool,
            "arguments": {name: _value(value, state) for name, value in call.arguments.items()},
        }
        for call in plan.calls
    )


def _value(value: Any, state: AgentState) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        return state.data.get(value[1:])
    return value


def digest(calls: tuple[dict[str, Any], ...]) -> str:
    """The SHA-256 of exactly these calls and arguments (runs-and-reviews §1.8)."""
    return edits.digest(edits.canonical(calls))

"""What a tool of a playbook is given: values as they stand in its file, or from the state."""

from collections.abc import Mapping
from typing import Any

from engine.frames.state import AgentState
from engine.playbooks.conditions import rule_data
from engine.rules.evaluate import value_at

_REFERENCE = "$"


def values_for_tool(
    arguments: Mapping[str, Any], state: AgentState, named: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The arguments with what stands at each `$path`, or what is `named` so; no unknown ones."""
    data = {**rule_data(state.tree()), **(named or {})}
    values = {
        name: value_at(data, value.removeprefix(_REFERENCE))
        if isinstance(value, str) and value.startswith(_REFERENCE)
        else value
        for name, value in arguments.items()
    }
    return {name: value for name, value in values.items() if value is not None}

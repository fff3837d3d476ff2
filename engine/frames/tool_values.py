"""What a tool of a playbook is given: values as they stand in its file, or from the state."""

from collections.abc import Mapping
from typing import Any

from engine.frames.outcome import StepContext
from engine.frames.text_names import given_names
from engine.playbooks.conditions import rule_data
from engine.rules.evaluate import value_at

_REFERENCE = "$"


def values_for_tool(
    arguments: Mapping[str, Any], context: StepContext, named: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The arguments with what stands at each `$path`, or what is `named` so; no unknown ones."""
    given = {**given_names(context.run), "today": context.services.today.isoformat()}
    data = {**given, **rule_data(context.run.state.tree()), **(named or {})}
    values = {
        name: value_at(data, value.removeprefix(_REFERENCE))
        if isinstance(value, str) and value.startswith(_REFERENCE)
        else value
        for name, value in arguments.items()
    }
    return {name: value for name, value in values.items() if value is not None}

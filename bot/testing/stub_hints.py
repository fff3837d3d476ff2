"""What to add to a test whose tools have nothing to give."""

from collections.abc import Iterator
from typing import Any

from bot.testing.files.scenario import ScenarioStep
from bot.testing.harness.folder import PlayedFolder
from bot.testing.harness.stubs import StubbedSystems
from engine.playbooks.tool import ToolDefinition

_EXAMPLES = {"number": "1", "integer": "1", "boolean": "true", "date": "2026-03-02"}


def missing_tools(
    step: ScenarioStep, systems: StubbedSystems, folder: PlayedFolder
) -> Iterator[str]:
    """A sentence for each tool that was called and of which the test says nothing that fits."""
    every = folder.definitions.playbooks.values()
    tools = {name: tool for playbook in every for name, tool in playbook.tools.items()}
    for name in systems.missing:
        call = next(c for c in reversed(systems.calls) if c.tool == name and c.result == "missing")
        given = ", ".join(f"{key}: {value}" for key, value in call.arguments.items())
        where = f"{step.place}: {name} was called with {{{given}}}"
        if systems.cases.get(name):
            yield f"{where}, and no case of given.tools.{name} fits that (any more)"
        else:
            yield f"{where}; add to given.tools:  {name}: {_example(tools.get(name))}"
    systems.missing.clear()


def _example(tool: ToolDefinition | None) -> str:
    if tool is None or tool.result == "text":
        return "a text"
    columns: dict[str, Any] = dict(tool.columns)
    row = ", ".join(f"{n}: {_EXAMPLES.get(c.type, '...')}" for n, c in columns.items())
    return f"[{{{row}}}]" if tool.result == "many" else f"{{{row}}}"

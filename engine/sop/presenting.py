"""What a review shows: every value that an approval is about, as it will be written (1.8)."""

from typing import Any

from pydantic import ValidationError

from cards.texts import say
from engine.frames.leaves import ShownValue, at_paths, label_of
from engine.frames.outcome import StepContext
from engine.playbooks.skill import SopNode, ToolPlan
from engine.reviews.approvals import resolve_calls
from engine.tools.registry import TOOLS


def presented(node: SopNode, context: StepContext) -> tuple[ShownValue, ...]:
    """The arguments of the shown plan's calls, in their order, else what the node presents."""
    plan = context.playbook.skills[node.shows].plan if node.shows else None
    return _of_plan(plan, context) if plan else at_paths(node.presents, context)


def _of_plan(plan: ToolPlan, context: StepContext) -> tuple[ShownValue, ...]:
    shown: list[ShownValue] = []
    resolved = resolve_calls(plan, context.run.state)
    for number, (call, wanted) in enumerate(zip(plan.calls, resolved, strict=True), 1):
        if len(plan.calls) > 1 or not call.arguments:
            label = say("review.call", context.run.lang, n=number)
            shown.append(ShownValue(label, call.tool))
        arguments = _as_called(call.tool, wanted["arguments"])
        shown += [_argument(n, given, arguments[n], context) for n, given in call.arguments.items()]
    return tuple(shown)


def _argument(name: str, given: Any, value: Any, context: StepContext) -> ShownValue:
    if isinstance(given, str) and given.startswith("$"):
        (leaf,) = at_paths([given[1:]], context)
        return ShownValue(leaf.label, value, leaf.leaf, leaf.path)
    return ShownValue(label_of(name, context), value)


def _as_called(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with texts as the tool will take them: an id in capitals, say."""
    known = next((each for each in TOOLS if each.name == tool), None)
    try:
        taken = known.arguments.model_validate(arguments).model_dump(mode="json") if known else {}
    except ValidationError:
        # The tool will refuse them, and say why.
        return arguments
    return {
        name: taken.get(name, value) if isinstance(value, str) else value
        for name, value in arguments.items()
    }

"""The steps of a model's plan, checked one by one; faulty ones are left out and named (004 §6)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cards.forms import is_storable
from cards.values import MONEY_PARTS
from engine.frames.llm_plan import ArgumentFault, DropKind, DroppedStep, LlmPlanStep
from engine.rules.call_rules import CallRule
from engine.text.answer import repeated_key
from engine.tool_plan.planning.schemas import (
    cast_arguments,
    describe_fault,
    fault_of,
    missing_names,
    properties,
    required_names,
)
from engine.tool_plan.references import is_malformed, iter_texts, referenced_steps
from engine.tools.top_tools import Manifest
from engine.yaml.faults import key_text, short_repr, suggestion

_ARGUMENTS = {"properties": {"arguments": {"type": "object"}}}
ASKABLE = ("string", "integer", "number", "boolean")
"""Types of arguments that a person can fill in; others have options, or are money."""


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """A plan that may be carried out, and what was left out of it, in the model's order.

    `sound` when a step of the model's own is in it; else the first step is a reply that says why,
    or what the model said instead of a plan.
    """

    steps: tuple[LlmPlanStep, ...]
    dropped: tuple[DroppedStep, ...] = ()
    sound: bool = True


class _StepFault(Exception):
    def __init__(
        self, kind: DropKind, detail: str = "", argument: ArgumentFault | None = None
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.detail = detail
        self.argument = argument


def validate_steps(
    steps: Sequence[Any],
    tools: Manifest,
    *,
    first: int = 1,
    earlier: Collection[int] = (),
    ask: bool = False,
) -> PlanDraft:
    """The steps that hold, numbered from `first`, and the others with what is wrong with them.

    Results of steps in `earlier` may be referred to. With `ask`, a step that only lacks arguments
    which a person can fill in stays, and names them.
    """
    kept: list[LlmPlanStep] = []
    dropped: list[DroppedStep] = []
    known = set(earlier)
    for number, raw in enumerate(steps, first):
        try:
            step = _step(number, raw, tools, known, ask)
        except _StepFault as fault:
            name = raw.get("name") if isinstance(raw, dict) else ""
            name = key_text(name) if isinstance(name, str) else ""
            left_out = DroppedStep(number=number, kind=fault.kind, name=name, detail=fault.detail)
            dropped.append(left_out.model_copy(update={"fault": fault.argument}))
            continue
        kept.append(step)
        known |= {number} if step.tool else set()
    return PlanDraft(tuple(kept), tuple(dropped))


def broken_rules(
    steps: Sequence[LlmPlanStep], rules: Sequence[CallRule], done: Sequence[str] = ()
) -> tuple[DroppedStep, ...]:
    """The calls that break a rule, each with that; `done` are the tools that were called before."""
    calls = [step for step in steps if step.tool]
    names = [*done, *(step.tool for step in calls)]
    found = [(rule, rule.broken_at(names)) for rule in rules]
    return tuple(
        DroppedStep(
            number=calls[at - len(done)].number,
            kind="rule",
            name=calls[at - len(done)].tool,
            detail=str(rule),
            rule=rule,
        )
        for rule, at in found
        if at is not None and at >= len(done)
    )


def _step(number: int, raw: Any, tools: Manifest, known: Collection[int], ask: bool) -> LlmPlanStep:
    if not isinstance(raw, dict):
        raise _StepFault("object", short_repr(raw))
    if twice := repeated_key(raw):
        raise _StepFault("twice", key_text(twice))
    if not all(is_storable(text) for text in iter_texts(raw)):
        raise _StepFault("storable")
    match raw.get("type"):
        case "reply":
            text = raw.get("text")
            if not isinstance(text, str) or not text.strip():
                raise _StepFault("text")
            return LlmPlanStep(number=number, text=text.strip())
        case "tool":
            return _call(number, raw, tools, known, ask)
    raise _StepFault("type", short_repr(raw.get("type")))


def _call(
    number: int, raw: Mapping[str, Any], tools: Manifest, known: Collection[int], ask: bool
) -> LlmPlanStep:
    name, arguments = raw.get("name"), raw.get("arguments")
    if not isinstance(name, str) or not name.strip():
        raise _StepFault("name")
    name = name.strip()
    if name not in tools:
        raise _StepFault("unknown", suggestion(key_text(name), tools))
    if isinstance(arguments, str):
        arguments = cast_arguments(_ARGUMENTS, {"arguments": arguments})["arguments"]
    if not isinstance(arguments, dict):
        raise _StepFault("arguments", short_repr(arguments))
    if is_malformed(arguments) or not referenced_steps(arguments) <= set(known):
        raise _StepFault("reference", _wrong_reference(arguments, known))
    schema = tools[name].get("input_schema")
    lacking = missing_names(schema, arguments)
    if lacking and not (ask and all(_can_be_asked(schema, argument) for argument in lacking)):
        raise _StepFault("missing", ", ".join(map(key_text, lacking)))
    given = {key: value for key, value in arguments.items() if key not in lacking}
    # Models write null for what they leave out.
    needed = required_names(schema)
    given = {key: value for key, value in given.items() if value is not None or key in needed}
    given = cast_arguments(schema, given)
    if fault := fault_of(schema, given):
        raise _StepFault("schema", fault, describe_fault(schema, given))
    return LlmPlanStep(number=number, tool=name, arguments=given, missing=tuple(lacking))


def _wrong_reference(arguments: Any, known: Collection[int]) -> str:
    wrong = sorted(referenced_steps(arguments) - set(known))
    return f"$steps.{wrong[0]}" if wrong else "$steps"


def _can_be_asked(schema: Any, name: str) -> bool:
    argument = properties(schema).get(name)
    if not isinstance(argument, Mapping):
        return False
    is_plain = argument.get("type") in ASKABLE or "enum" in argument
    return is_plain or properties(argument).keys() == set(MONEY_PARTS)

"""Each step of a model's plan checked; what is faulty is left out and reported (004 §6)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cards.forms import storable
from engine.frames.llm_plan import DropKind, Dropped, Step
from engine.text.answer import repeated_key
from engine.tool_plan.planning.schemas import fault_of, missing, properties, required
from engine.tool_plan.planning.top_tools import Manifest
from engine.tool_plan.references import malformed, numbers, texts
from engine.yaml.faults import key_text, shown, suggestion

ASKED = ("string", "integer", "number")
"""Types of arguments that a person can fill in."""


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """A plan that may be carried out, and what was left out of it, in the model's order.

    `sound` when a step of the model's own is in it: without one, the first step says why, or is
    what the model said instead of a plan.
    """

    steps: tuple[Step, ...]
    dropped: tuple[Dropped, ...] = ()
    sound: bool = True


class _Faulty(Exception):
    def __init__(self, kind: DropKind, detail: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.detail = detail


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
    kept: list[Step] = []
    dropped: list[Dropped] = []
    known = set(earlier)
    for number, raw in enumerate(steps, first):
        try:
            step = _step(number, raw, tools, known, ask)
        except _Faulty as fault:
            name = raw.get("name") if isinstance(raw, dict) else ""
            name = key_text(name) if isinstance(name, str) else ""
            dropped.append(Dropped(number=number, kind=fault.kind, name=name, detail=fault.detail))
            continue
        kept.append(step)
        known |= {number} if step.tool else set()
    return PlanDraft(tuple(kept), tuple(dropped))


def _step(number: int, raw: Any, tools: Manifest, known: Collection[int], ask: bool) -> Step:
    if not isinstance(raw, dict):
        raise _Faulty("object", shown(raw))
    if twice := repeated_key(raw):
        raise _Faulty("twice", key_text(twice))
    if not all(storable(text) for text in texts(raw)):
        raise _Faulty("storable")
    match raw.get("type"):
        case "reply":
            text = raw.get("text")
            if not isinstance(text, str) or not text.strip():
                raise _Faulty("text")
            return Step(number=number, text=text.strip())
        case "tool":
            return _call(number, raw, tools, known, ask)
    raise _Faulty("type", shown(raw.get("type")))


def _call(
    number: int, raw: Mapping[str, Any], tools: Manifest, known: Collection[int], ask: bool
) -> Step:
    name, arguments = raw.get("name"), raw.get("arguments")
    if not isinstance(name, str) or not name.strip():
        raise _Faulty("name")
    name = name.strip()
    if name not in tools:
        raise _Faulty("unknown", suggestion(key_text(name), tools))
    if not isinstance(arguments, dict):
        raise _Faulty("arguments", shown(arguments))
    if malformed(arguments) or not numbers(arguments) <= set(known):
        raise _Faulty("reference", _referred(arguments, known))
    schema = tools[name].get("input_schema")
    lacking = missing(schema, arguments)
    if lacking and not (ask and all(_can_be_asked(schema, each) for each in lacking)):
        raise _Faulty("missing", ", ".join(map(key_text, lacking)))
    given = {key: value for key, value in arguments.items() if key not in lacking}
    # Models write null for what they leave out.
    needed = required(schema)
    given = {key: value for key, value in given.items() if value is not None or key in needed}
    if fault := fault_of(schema, given):
        raise _Faulty("schema", fault)
    return Step(number=number, tool=name, arguments=given, missing=tuple(lacking))


def _referred(arguments: Any, known: Collection[int]) -> str:
    wrong = sorted(numbers(arguments) - set(known))
    return f"$steps.{wrong[0]}" if wrong else "$steps"


def _can_be_asked(schema: Any, name: str) -> bool:
    found = properties(schema).get(name)
    return isinstance(found, Mapping) and (found.get("type") in ASKED or "enum" in found)

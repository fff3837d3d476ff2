"""Where a model's plan stands, as it is stored with its run (spec 004)."""

from typing import Any, Literal

from pydantic import Field

from cards.frozen import Frozen
from engine.rules.call_rules import CallRule

DropKind = Literal[
    "object",
    "twice",
    "type",
    "text",
    "name",
    "unknown",
    "arguments",
    "missing",
    "schema",
    "reference",
    "storable",
    "beyond",
    "done",
    "rule",
]
"""Why a step is left out: what it lacks, or what is wrong with it."""


class LlmPlanStep(Frozen):
    """A step of a plan: a call of `tool`, or a reply of `text` when it names none.

    `number` is the model's own, from 1: other steps refer to its result by it. `missing` are
    required arguments that a person is asked for; what they say stands in `given`, as it is.
    """

    number: int
    tool: str = ""
    arguments: dict[str, Any] = {}
    missing: tuple[str, ...] = ()
    given: dict[str, Any] = {}
    text: str = ""


FaultKind = Literal["type", "options", "least", "most", "shorter", "longer", "other"]
"""What is wrong with a value: its type, or that it has to be more, less, shorter, longer."""


class ArgumentFault(Frozen):
    """What is wrong with an argument: where, what it is and what it should be, as data.

    `wanted` are a JSON schema's types, options or limit.
    """

    where: str
    kind: FaultKind
    value: str = ""
    wanted: tuple[str, ...] = ()


class DroppedStep(Frozen):
    """A step that was left out; `name` is its tool's, `detail` is data: words of the model.

    `rule` is the one that it breaks, `fault` what people are told of an argument.
    """

    number: int
    kind: DropKind
    name: str = ""
    detail: str = ""
    rule: CallRule | None = Field(default=None, exclude_if=lambda rule: rule is None)
    fault: ArgumentFault | None = Field(default=None, exclude_if=lambda fault: fault is None)

    def __str__(self) -> str:
        named = f"step {self.number} ({self.name})" if self.name else f"step {self.number}"
        return f"{named}: {self.kind}" + (f": {self.detail}" if self.detail else "")


class CompletedStep(Frozen):
    """A step that has been taken: what its tool gave, and how that is told.

    `result` is None when nobody knows it, or it is too large to be kept. `call` is the digest of
    tool and arguments.
    """

    number: int
    tool: str = ""
    result: dict[str, Any] | None = None
    told: str = ""
    wrote: bool = False
    call: str = ""


class ShownCall(Frozen):
    """A call on a card that was shown for approval: the step's number and the call's digest.

    `takes` is the digest of what the tool's system took then, "" where that does not change.
    """

    number: int
    call: str
    takes: str = ""


class LlmPlanFrame(Frozen):
    """A model's plan: the steps to take, those that are done, and the card that it waits for.

    `made` is the run's step in which the plan was made, 0 before; it is part of the keys of its
    writes. `asks` says what the card `asked` is about. `shown` are the calls of that card or, once
    it is approved, those that may run: `approval` names the approval among the run's. `started`
    while a write may be under way, `lost` why nobody knows what came of it. `failure` is what the
    plan before failed of, for the model, and `reason` for people; there is one more plan at most.
    `changed` is the tool that takes something else than what was approved. `away` says why a write
    could not be made, while people are asked when to try again, or it waits for the next of the
    tries by itself, of which `tried` have been begun. The writes of a `job` are such a
    plan, too: its expert hears how it ends.
    """

    kind: Literal["llm_plan"] = "llm_plan"
    schema_version: Literal[1] = 1
    skill: str
    made: int = 0
    steps: tuple[LlmPlanStep, ...] = ()
    done: tuple[CompletedStep, ...] = ()
    dropped: tuple[DroppedStep, ...] = ()
    asked: str = ""
    asks: Literal["", "clarify", "confirm", "lost", "away"] = ""
    faults: tuple[str, ...] = ()
    shown: tuple[ShownCall, ...] = ()
    approval: str = ""
    started: bool = False
    lost: str = ""
    failure: str = ""
    reason: str = ""
    changed: str = ""
    away: str = ""
    tried: int = 0
    job: bool = False

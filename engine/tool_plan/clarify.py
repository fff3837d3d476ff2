"""A form asks a person for the required arguments that a plan lacks (004 §6, spec 003)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from cards.clipping import shorten
from cards.fields.table import FIELD_TYPES
from cards.markdown import literal
from cards.model import SUBMIT, Choice, Decision, Field
from cards.texts import say
from cards.values import MONEY_PARTS, FieldType
from engine.frames.llm_plan import LlmPlanFrame, LlmPlanStep
from engine.frames.outcome import Next, Note, StepContext, StepOutcome, Suspend
from engine.frames.run_names import repeated_title
from engine.tool_plan.planning.schemas import fault_of, properties
from engine.tool_plan.review_cards import review_card

HINT_CHARS = 200
_TYPES: Mapping[str, FieldType] = {
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


def needs_answer(frame: LlmPlanFrame) -> bool:
    """Whether a person has to fill in arguments before the plan can go on."""
    return any(_unanswered(step) for step in frame.steps)


def ask(frame: LlmPlanFrame, context: StepContext) -> Suspend:
    """Ask with one form for all that is missing; steps that share an argument share its field."""
    run, skill = context.run, context.playbook.skills[frame.skill]
    fields = tuple(
        _field(key, step, name, context) for key, step, name in _missing_arguments(frame, context)
    )
    submit = say("choice.submit", run.lang)
    title = say("plan.clarify", run.lang, skill=skill.name(run.lang))
    card = review_card(
        None,
        context,
        kind="clarify",
        title=repeated_title(title, run) if frame.faults else title,
        text=say("plan.clarify_text", run.lang),
        problems=frame.faults,
        choices=(
            Choice(id=SUBMIT, label=submit, style="primary", form=fields),
            Choice(id="withdraw", label=say("choice.withdraw", run.lang)),
        ),
        task_key=f"clarify:{run.id}",
    )
    note = Note("needs_you", say("part.needs_you", run.lang, name=run.name))
    after = frame.model_copy(update={"asked": card.token, "asks": "clarify"})
    names = ", ".join(field.name for field in fields)
    return Suspend(after, (card,), note, f"asks for {names}")


def take_answer(frame: LlmPlanFrame, decision: Decision, context: StepContext) -> StepOutcome:
    """Add the answers to the plan; what does not fit the tool's schema is asked again."""
    values: dict[tuple[str, str], Any] = {}
    faults: list[str] = []
    for key, step, name in _missing_arguments(frame, context):
        value = decision.values.get(key)
        if fault_of(_schema(step, context), {name: value}):
            label = _label(name, context)
            faults.append(say("plan.argument_fault", context.run.lang, label=literal(label)))
        else:
            values[_argument_key(step, name, context)] = value
    steps = tuple(_fill(step, values, context) for step in frame.steps)
    update = {"steps": steps, "asked": "", "asks": "", "faults": tuple(faults)}
    note = Note("working", say("part.resumed", context.run.lang, name=context.run.name))
    return Next(frame.model_copy(update=update), f"{decision.name} answered", note=note)


def _fill(
    step: LlmPlanStep, values: Mapping[tuple[str, str], Any], context: StepContext
) -> LlmPlanStep:
    given = {
        n: values[_argument_key(step, n, context)]
        for n in _unanswered(step)
        if _argument_key(step, n, context) in values
    }
    return step.model_copy(update={"given": {**step.given, **given}})


def _unanswered(step: LlmPlanStep) -> list[str]:
    return [name for name in step.missing if name not in step.given]


def _missing_arguments(
    frame: LlmPlanFrame, context: StepContext
) -> Iterator[tuple[str, LlmPlanStep, str]]:
    """Each field to ask: its name in the form, the first step that lacks it, the argument.

    The field has the argument's own name, by which texts are read too, unless two arguments share
    the name.
    """
    seen: set[tuple[str, str]] = set()
    for step in frame.steps:
        for name in _unanswered(step):
            if (key := _argument_key(step, name, context)) not in seen:
                own = all(name != other for other, _ in seen)
                seen.add(key)
                yield name if own else f"{step.number}.{name}", step, name


def _argument_key(step: LlmPlanStep, name: str, context: StepContext) -> tuple[str, str]:
    """Equal for arguments that one answer fills in: the same name and the same schema."""
    return name, json.dumps(properties(_schema(step, context)).get(name), sort_keys=True)


def _schema(step: LlmPlanStep, context: StepContext) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = context.find_tool(step.tool).arguments.model_json_schema()
    return schema


def _field(key: str, step: LlmPlanStep, name: str, context: StepContext) -> Field:
    schema = properties(_schema(step, context)).get(name, {})
    options = tuple(str(option) for option in schema.get("enum", ()))
    kind = _type_of(schema)
    leaf = context.playbook.definition.data_fields.get(name)
    return Field(
        name=key,
        label=_label(name, context),
        type=kind,
        options=options,
        hint=shorten(str(schema.get("description", "")), HINT_CHARS),
        cues=leaf.cues if leaf else (name,),
        entity=str(schema.get("entity", "")) if kind in ("text", "entity") else "",
        currencies=tuple(schema.get("currencies", ())),
    )


def _type_of(schema: Mapping[str, Any]) -> FieldType:
    """The type of the field that asks for an argument of that schema."""
    own = str(schema.get("field_type"))
    if known := next((kind for kind in FIELD_TYPES if kind == own != "list"), None):
        return known
    if schema.get("enum"):
        return "choice"
    if schema.get("format") == "date":
        return "date"
    if properties(schema).keys() == set(MONEY_PARTS):
        return "money"
    return _TYPES.get(str(schema.get("type")), "text")


def _label(name: str, context: StepContext) -> str:
    """The playbook's label of the leaf of that name, else the argument's own name."""
    leaf = context.playbook.definition.data_fields.get(name)
    return leaf.label(context.run.lang) if leaf else name

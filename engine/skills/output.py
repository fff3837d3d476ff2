"""A model's output: the schema that it is asked for, and every fault of an answer (spec 003)."""

from collections.abc import Iterable
from datetime import date
from typing import Any, Literal, get_args

from cards.fields.table import FIELD_TYPES, options_of
from cards.forms import is_storable, range_text
from cards.frozen import Frozen
from engine.frames.leaves import option_value
from engine.frames.state import Question
from engine.playbooks.leaf import Leaf, TypedValue, value_faults
from engine.playbooks.model import PlaybookFile
from engine.playbooks.nesting import flatten, nest
from engine.playbooks.skill import Skill
from engine.text.answer import AnswerFaults, object_schema, read_answer
from engine.yaml.faults import Fault, suggestion

MAX_QUESTIONS = 10
MAX_OPTIONS = 10
LABEL_CHARS = 60
QUESTION_CHARS = 500
ReviewType = Literal["clarify", "confirm", "select"]
"""The kinds of cards with which a skill may ask."""


class Control(Frozen):
    """What happens next; a `finish` ends the skill and opens no gate."""

    action: Literal["continue", "ask_user", "finish"] = "continue"
    review_type: ReviewType | None = None
    questions: tuple[Question, ...] = ()


class Output(Frozen):
    """A valid output: the response to people, the leaves that it fills, and what happens next."""

    response: str = ""
    profile: dict[str, Any] = {}
    data: dict[str, Any] = {}
    control: Control = Control()


def read_output(
    text: str, skill: Skill, definition: PlaybookFile, today: date | None = None
) -> Output | AnswerFaults:
    """The model's text as an output that the skill may give, or its faults."""
    output = read_answer(text, Output)
    if isinstance(output, AnswerFaults):
        return output
    output = _known_leaves(output, skill)
    faults = _leaf_faults(output, skill, definition, today)
    faults += _control_faults(output.control, skill, definition)
    if not is_storable(output.response):
        faults.append((("response",), "should be without NUL and half characters"))
    return AnswerFaults.at(faults) if faults else output


def understood_leaves(
    answers: Iterable[str], skill: Skill, definition: PlaybookFile, today: date | None = None
) -> Output:
    """What answers with faults still say of the skill's leaves: every valid value, the newest."""
    kept = Output()
    for text in answers:
        output = read_answer(text, Output)
        if isinstance(output, AnswerFaults):
            continue
        output = _known_leaves(output, skill)
        wrong = {path[:2] for path, _ in _leaf_faults(output, skill, definition, today)}
        profile = {n: v for n, v in output.profile.items() if ("profile", n) not in wrong}
        data = {n: v for n, v in output.data.items() if ("data", n) not in wrong}
        kept = Output(profile={**kept.profile, **profile}, data={**kept.data, **data})
    return kept


def _known_leaves(output: Output, skill: Skill) -> Output:
    """The output by leaves, those of groups too, without nulls.

    A null is a leaf that the model does not know; it clears nothing.
    """
    schema = skill.output_schema
    update = {
        group: {n: value for n, value in flatten(leaves, names).items() if value is not None}
        for group, leaves, names in (
            ("profile", output.profile, schema.profile),
            ("data", output.data, schema.data),
        )
    }
    return output.model_copy(update=update)


def _leaf_faults(
    output: Output, skill: Skill, definition: PlaybookFile, today: date | None
) -> list[Fault]:
    schema, faults = skill.output_schema, list[Fault]()
    for group, leaves, names in (
        ("profile", output.profile, schema.profile),
        ("data", output.data, schema.data),
    ):
        for name, value in leaves.items():
            leaf = definition.leaf(f"profile.{name}" if group == "profile" else name)
            if name not in names or leaf is None:
                hint = f"unknown key; {suggestion(name, names)}".rstrip("; ")
                faults.append(((group, name), hint))
                continue
            wrong = value_faults(leaf, value, today)
            faults += [((group, name, *path), fault) for path, fault in wrong]
    return faults


def _control_faults(control: Control, skill: Skill, definition: PlaybookFile) -> list[Fault]:
    if control.action != "ask_user":
        return []
    at, kind = ("control", "questions"), control.review_type
    if kind is None:
        return [(("control", "review_type"), "is required with ask_user")]
    declared = skill.card is not None and skill.card.kind == kind
    if kind != "clarify" and declared:
        return []
    if kind == "confirm":
        return [(("control", "review_type"), "this skill has nothing to confirm")]
    if kind == "select" and len(control.questions) != 1:
        return [(at, "a select asks exactly one question")]
    if not control.questions or len(control.questions) > MAX_QUESTIONS:
        return [(at, f"should have 1 to {MAX_QUESTIONS} questions")]
    fields = [question.field for question in control.questions]
    faults: list[Fault] = []
    for number, question in enumerate(control.questions):
        own = _question_faults(question, skill)
        if question.field in fields[:number]:
            own.append((("field",), "is asked for twice"))
        if kind == "select" and not own:
            leaf = definition.leaf(question.field)
            options = _option_faults(question.options, leaf)
            own += [(("options", *path), fault) for path, fault in options]
        faults += [((*at, number, *path), fault) for path, fault in own]
    return faults


def _question_faults(question: Question, skill: Skill) -> list[Fault]:
    faults: list[Fault] = []
    paths = skill.output_schema.paths
    if question.field not in paths:
        hint = suggestion(question.field, paths)
        faults.append((("field",), f"is none of the skill's fields; {hint}"))
    if len(question.question) > QUESTION_CHARS or not is_storable(question.question):
        limit = f"should be at most {QUESTION_CHARS} characters, without NUL"
        faults.append((("question",), limit))
    return faults


def _option_faults(options: tuple[str, ...], leaf: Leaf | None) -> list[Fault]:
    """What keeps the texts from being buttons with values that the field can hold."""
    if leaf is not None and leaf.type in ("list", "boolean"):
        return [((), f"a {leaf.type} cannot be chosen so; ask for it with clarify")]
    if not 2 <= len(options) <= MAX_OPTIONS:
        return [((), f"should have 2 to {MAX_OPTIONS} entries")]
    faults: list[Fault] = []
    seen: set[str] = set()
    for number, text in enumerate(options):
        label = " ".join(text.split())
        fault = ""
        if not label:
            fault = "should not be empty"
        elif len(label) > LABEL_CHARS:
            fault = f"should be at most {LABEL_CHARS} characters"
        elif label in seen:
            fault = "stands twice"
        elif leaf is not None:
            fault = next((why for _, why in value_faults(leaf, option_value(leaf, text))), "")
        faults += [((number,), fault)] if fault else []
        seen.add(label)
    return faults


def schema_of(skill: Skill, definition: PlaybookFile) -> dict[str, Any]:
    """The JSON schema of the skill's output, typed by the playbook's fields."""
    schema = skill.output_schema
    profile = {name: leaf_schema(definition.leaf(f"profile.{name}")) for name in schema.profile}
    data = {name: leaf_schema(definition.leaf(name)) for name in schema.data}
    profile, data = ({n: _or_null(leaf) for n, leaf in g.items()} for g in (profile, data))
    question = object_schema(
        {
            "field": {"type": "string", "enum": list(schema.paths) or [""]},
            "question": {"type": "string"},
            "options": {"type": "array", "items": {"type": "string"}},
        }
    )
    kinds = {"type": "string", "enum": list(get_args(ReviewType))}
    control = object_schema(
        {
            "action": {"type": "string", "enum": ["continue", "ask_user", "finish"]},
            "review_type": _or_null(kinds),
            "questions": {"type": "array", "items": question},
        }
    )
    parts = {
        "response": {"type": "string"},
        "profile": object_schema(nest(profile, object_schema)),
        "data": object_schema(nest(data, object_schema)),
    }
    return object_schema({**parts, "control": control})


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    nullable = {**schema, "type": [schema["type"], "null"]}
    return {**nullable, "enum": [*schema["enum"], None]} if "enum" in schema else nullable


def leaf_schema(leaf: Leaf | None) -> dict[str, Any]:
    """The JSON schema of a leaf's value."""
    assert leaf is not None, "the loader checks the output's fields"
    if leaf.type == "list":
        columns = {n: _or_null(_cell_schema(c, "")) for n, c in leaf.columns.items()}
        return {"type": "array", "items": object_schema(columns), "description": leaf.label("en")}
    return _cell_schema(leaf, leaf.label("en"))


def _cell_schema(spec: TypedValue, label: str) -> dict[str, Any]:
    """Bounds stand in the description: servers that enforce a schema refuse the keys for them."""
    pattern = f"as the regular expression {spec.pattern}" if spec.pattern else ""
    currencies = f"in {' or '.join(spec.currencies)}" if spec.currencies else ""
    told = (label, range_text(spec.minimum, spec.maximum), currencies, pattern)
    description = ", ".join(filter(None, told))
    described = {"description": description} if description else {}
    options = {"enum": list(spec.options)} if options_of(spec) == spec.options != () else {}
    return {**described, **FIELD_TYPES[spec.type].schema, **options}

"""The output of a skill that ran for another program, and what it asks (spec 003).

The API's description shows the names and docstrings of these models.
"""

from collections.abc import Iterator
from typing import Any, Literal, assert_never

from cards.frozen import Frozen
from cards.model import Card, Row
from cards.values import FieldType
from engine.frames.leaves import value_of
from engine.frames.outcome import StepContext
from engine.frames.state import LeafValue, ModelFrame, Scalar
from engine.playbooks.nesting import nest, split_path
from engine.runs.skill_execution import SkillExecution, SkillResult
from engine.skills.output import Output, ReviewType, read_output
from engine.skills.skill_cards import option_texts


class Wanted(Frozen):
    """A value that somebody has to give; `field` is where it goes in the state, as in `data.x`."""

    field: str
    label: str
    type: FieldType
    required: bool
    options: tuple[str, ...]
    hint: str


class Shown(Frozen):
    """The card that a person would see; texts are Markdown.

    `rows` are labelled values, `choices` its buttons, `roles` who decides (empty: who asks).
    """

    title: str
    text: str
    rows: tuple[Row, ...]
    choices: tuple[str, ...]
    roles: tuple[str, ...]


NextAction = Literal["continue", "ask_user", "finish"]


class SkillControl(Frozen):
    """What is to happen next; with `ask_user`, what kind of question it is, and what it wants."""

    action: NextAction
    review_type: ReviewType | None
    questions: tuple[Wanted, ...]
    card: Shown | None


class SkillOutput(Frozen):
    """What the skill said (Markdown), and what it set, by name; null is what it cleared.

    `problems` are sentences on what a check found.
    """

    response: str
    profile: dict[str, Scalar]
    data: dict[str, LeafValue | None]
    decisions: dict[str, Scalar]
    problems: tuple[str, ...]
    control: SkillControl


def skill_output(order: SkillExecution, executed: SkillResult) -> SkillOutput | None:
    """The output of a skill that is done, or that asks somebody; None of any other."""
    if executed.end is None or executed.outcome not in ("done", "asks"):
        return None
    run = executed.end.run
    groups: dict[str, dict[str, Any]] = {"": {}, "profile": {}, "decisions": {}}
    for entry in executed.steps:
        for path in entry.get("changes", ()):
            group, name = split_path(path)
            groups[group][name] = value_of(path, run.state)
    return SkillOutput(
        response=run.state.response,
        profile=nest(groups["profile"]),
        data=nest(groups[""]),
        decisions=groups["decisions"],
        problems=run.state.problems,
        control=_control(order, executed.end, executed),
    )


def _control(order: SkillExecution, end: StepContext, executed: SkillResult) -> SkillControl:
    card = executed.card
    if card is None:
        action = _last_action(order, executed)
        return SkillControl(action=action, review_type=None, questions=(), card=None)
    kind = "confirm" if card.kind == "phase_done" else card.kind
    questions = tuple(_questions(order, end, card))
    return SkillControl(
        action="ask_user", review_type=kind, questions=questions, card=_shown_card(card)
    )


def _last_action(order: SkillExecution, executed: SkillResult) -> Literal["continue", "finish"]:
    """Whether the model said that nothing is left to do; it may only say so of its own skill."""
    answers = [call["answer"] for call in executed.asked_model if "answer" in call]
    text = str(answers[-1].get("text", "")) if answers else ""
    read = read_output(text, order.skill, order.playbook.definition)
    finishes = isinstance(read, Output) and read.control.action == "finish"
    return "finish" if finishes else "continue"


def _questions(order: SkillExecution, end: StepContext, card: Card) -> Iterator[Wanted]:
    """What the card wants, as the state would hold it."""
    if card.review.by_policy:
        # What these people decide, nobody fills in for them.
        return
    declared, top = order.skill.card, end.run.frames[-1]
    match card.kind:
        case "clarify":
            form = next((choice.form for choice in card.choices if choice.form), ())
            for field in form:
                yield _wanted_value(field.name, order, hint=field.hint)
        case "select" if isinstance(top, ModelFrame) and top.questions:
            asked = top.questions[0]
            yield _wanted_value(asked.field, order, hint=asked.question, options=asked.options)
        case "select" if declared is not None:
            options = option_texts(declared, end)
            yield _wanted_value(declared.field, order, hint=card.title, options=options)
        case "confirm" if declared is not None:
            path = f"decisions.{declared.decision}"
            yield _wanted_value(path, order, hint=card.title, decides="boolean")
        case "select" | "confirm" | "phase_done":
            pass
        case _:
            assert_never(card.kind)


def _wanted_value(
    path: str,
    order: SkillExecution,
    *,
    hint: str,
    options: tuple[str, ...] = (),
    decides: FieldType = "text",
) -> Wanted:
    """`decides` is the type of a decision, which is no typed leaf."""
    leaf = order.playbook.definition.leaf(path)
    return Wanted(
        field=path if "." in path else f"data.{path}",
        label=leaf.label(order.lang) if leaf else hint,
        type="choice" if options else leaf.type if leaf else decides,
        required=leaf.required if leaf else True,
        options=options or (leaf.options if leaf else ()),
        hint=hint,
    )


def _shown_card(card: Card) -> Shown:
    return Shown(
        title=card.title,
        text=card.text,
        rows=card.rows,
        choices=tuple(choice.label for choice in card.choices),
        roles=card.review.roles,
    )

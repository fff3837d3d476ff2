"""The cards of a prompt skill: questions, a choice, a confirmation, a form by hand (spec 003)."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, assert_never

from cards.clipping import clip
from cards.markdown import format_value, literal
from cards.model import SUBMIT, Card, CardKind, Choice, Field, Row
from cards.texts import say
from engine.frames.leaves import form_field, value_of, value_rows, value_tables, values_at
from engine.frames.outcome import StepContext
from engine.frames.run_names import repeated_title
from engine.frames.state import Question
from engine.playbooks.skill import Skill, SkillCard
from engine.reviews.policy import requester_card_fields
from engine.skills.output import LABEL_CHARS

MAX_CHOICES = 10
SEMANTIC_KEYS = {
    "cause-recommendation": "confirm_claim_path",
    "dispute-strategy-planning": "confirm_strategy",
    "documents": "confirm_documents",
    "work-plan": "confirm_work_plan",
}
"""Keys of these skills' cards, unless their playbooks name others (spec 003)."""


def questions_card(
    skill: Skill, questions: Sequence[Question], response: str, context: StepContext
) -> Card:
    """The model's questions as a form, each under its own words."""
    fields = tuple(_question_field(question, context) for question in questions)
    title = say("card.questions", context.run.lang, skill=skill.name(context.run.lang))
    return _card("clarify", skill, title, response, context, choices=(_submit(fields, context),))


def _question_field(question: Question, context: StepContext) -> Field:
    field = _field(question.field, context)
    # The model's words are a hint under the playbook's own label.
    return field.model_copy(update={"hint": question.question or field.hint})


def _field(path: str, context: StepContext) -> Field:
    leaf = context.playbook.definition.leaf(path)
    assert leaf is not None, "the loader checks that cards ask only for leaves"
    return form_field(path, leaf, context.run.lang, context.run.state)


def _submit(fields: tuple[Field, ...], context: StepContext) -> Choice:
    label = say("choice.submit", context.run.lang)
    return Choice(id=SUBMIT, label=label, style="primary", form=fields)


def options_card(skill: Skill, question: Question, response: str, context: StepContext) -> Card:
    """One question with a button for each answer."""
    text = "\n\n".join(filter(None, (response, literal(question.question))))
    title = say("card.questions", context.run.lang, skill=skill.name(context.run.lang))
    return _card("select", skill, title, text, context, choices=option_choices(question.options))


def option_choices(texts: Sequence[str]) -> tuple[Choice, ...]:
    """A button for each text, up to ten; numbered if one has to be cut."""
    shown = [" ".join(text.split()) for text in texts[:MAX_CHOICES]]
    numbered = any(len(text) > LABEL_CHARS for text in shown)
    return tuple(
        Choice(id=str(n), label=clip(f"{n}. {text}" if numbered else text, LABEL_CHARS))
        for n, text in enumerate(shown, 1)
    )


def declared_card(skill: Skill, declared: SkillCard, response: str, context: StepContext) -> Card:
    """The card that the playbook has for the skill's output."""
    lang = context.run.lang
    more = ""
    change = Field(name="feedback", label=say("form.feedback", lang), multiline=True)
    choices = [Choice(id="change", label=say("choice.change", lang), form=(change,))]
    match declared.kind:
        case "select":
            texts = option_texts(declared, context)
            choices[:0] = option_choices(texts)
            if len(texts) > MAX_CHOICES:
                more = say("card.more_choices", lang, n=len(texts) - MAX_CHOICES)
        case "confirm":
            label = say("choice.confirm", lang)
            choices.insert(0, Choice(id="confirm", label=label, style="primary"))
        case _:
            assert_never(declared.kind)
    shown = values_at(declared.shows, context)
    # The model's words come last: an open fence in them hides nothing that is decided.
    text = "\n\n".join(
        filter(None, (declared.text(lang), *value_tables(shown, lang), more, response))
    )
    card = _card(
        declared.kind,
        skill,
        declared.title(lang),
        text,
        context,
        choices=tuple(choices),
        shows=value_rows(shown, lang),
    )
    deadline = timedelta(seconds=declared.deadline_s) if declared.deadline_s else None
    at = context.services.now + deadline if deadline else None
    return card.model_copy(update={"task_key": task_key(skill), "deadline": at})


def option_texts(declared: SkillCard, context: StepContext) -> tuple[str, ...]:
    """The texts to choose from: a column of a list leaf, each text once."""
    path, _, column = declared.options_from.rpartition(".")
    listed: Any = value_of(path, context.run.state) or ()
    texts = (" ".join(format_value(row[column]).split()) for row in listed if row.get(column))
    return tuple(text for text in dict.fromkeys(texts) if text)


def by_hand_card(skill: Skill, paths: Sequence[str], why: str, context: StepContext) -> Card:
    """A form for what the model should have filled in."""
    fields = tuple(_field(path, context) for path in paths)
    title = say("card.by_hand", context.run.lang, skill=skill.name(context.run.lang))
    choices = [_submit(fields, context)] if fields else []
    if context.services.model is not None:
        choices.append(Choice(id="retry", label=say("choice.retry", context.run.lang)))
    return _card("clarify", skill, title, why, context, choices=tuple(choices))


def next_step_card(skills: Sequence[Skill], why: str, context: StepContext) -> Card:
    """Asks which skill comes next: a button for each."""
    lang = context.run.lang
    lines = (f"- **{literal(s.name(lang))}**: {literal(s.description(lang))}" for s in skills)
    card = _card(
        "select",
        skills[0],
        say("card.next_step", lang, name=context.run.name),
        "\n\n".join(filter(None, (say("card.next_step_text", lang), why, "\n".join(lines)))),
        context,
        choices=option_choices([skill.name(lang) for skill in skills]),
    )
    return card.model_copy(update={"task_key": f"planner:{context.run.id}"})


def task_key(skill: Skill) -> str:
    """The key of the skill's card: a newer card of the run with this key replaces it (003)."""
    own = skill.card.task_key if skill.card else ""
    return own or SEMANTIC_KEYS.get(skill.id, f"skill:{skill.id}")


def _card(
    kind: CardKind,
    skill: Skill,
    title: str,
    text: str,
    context: StepContext,
    *,
    choices: tuple[Choice, ...],
    shows: tuple[Row, ...] = (),
) -> Card:
    run = context.run
    withdraw = Choice(id="withdraw", label=say("choice.withdraw", run.lang))
    return Card(
        kind=kind,
        title=repeated_title(title, run) if kind == "clarify" and run.state.problems else title,
        text=text,
        rows=shows,
        problems=run.state.problems,
        choices=(*choices, withdraw),
        **requester_card_fields(context),
        task_key=f"{kind}:{skill.id}",
    )

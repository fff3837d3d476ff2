"""The cards of a prompt skill: questions, a choice, a confirmation, a form by hand (spec 003)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, assert_never

from cards.clipping import clip
from cards.markdown import format_value, literal
from cards.model import SUBMIT, Card, CardKind, Choice, Field, Lang, Row
from cards.texts import say
from engine.frames.leaves import form_field, value_of, value_rows, value_tables, values_at
from engine.frames.outcome import StatusChange, StepContext
from engine.frames.run_names import repeated_title
from engine.frames.state import Patch, Question
from engine.frames.text_names import fill_markdown, fill_plain
from engine.playbooks.skill import Skill, SkillCard
from engine.reviews.approvers import Approvers, find_approvers
from engine.reviews.edits import authors_of
from engine.reviews.policy import (
    approver_card_fields,
    deadline_of,
    own_label,
    reject_choice,
    requester_card_fields,
)
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


def declared_card(
    skill: Skill,
    declared: SkillCard,
    response: str,
    approvers: Approvers | None,
    context: StepContext,
) -> Card:
    """The card that the playbook has for the skill's output: for these people, or the requester."""
    lang = context.run.lang
    more = ""
    choices: tuple[Choice, ...]
    match declared.kind:
        case "select":
            texts = option_texts(declared, context)
            choices = option_choices(texts)
            if len(texts) > MAX_CHOICES:
                more = say("card.more_choices", lang, n=len(texts) - MAX_CHOICES)
        case "confirm":
            # Votes are counted for an approval.
            agree = "approve" if approvers else "confirm"
            own = own_label(approvers.policy, "approve", lang) if approvers else ""
            label = own or say("choice.confirm", lang)
            choices = (Choice(id=agree, label=label, style="primary"),)
        case _:
            assert_never(declared.kind)
    shown = values_at(declared.shows, context)
    # The model's words come last: an open fence in them hides nothing that is decided.
    text = "\n\n".join(
        filter(
            None,
            (fill_markdown(declared.text, context), *value_tables(shown, lang), more, response),
        )
    )
    card = _card(
        declared.kind,
        skill,
        fill_plain(declared.title, context),
        text,
        context,
        choices=(*choices, _change_choice(approvers, lang)),
        shows=value_rows(shown, lang),
        approvers=approvers,
    )
    deadline_s = declared.deadline_s
    deadline = context.services.now + timedelta(seconds=deadline_s) if deadline_s else None
    update = {"task_key": task_key(skill), "deadline": card.deadline or deadline}
    return card.model_copy(update={**update, "authors": authors_of(shown, context)})


def _change_choice(approvers: Approvers | None, lang: Lang) -> Choice:
    """The choice that has the skill do it again: with what should change, or why it is rejected."""
    if approvers:
        rejects = reject_choice(approvers.policy, lang)
        label = own_label(approvers.policy, "reject", lang) or say("choice.send_back", lang)
        return rejects.model_copy(update={"label": label})
    change = Field(name="feedback", label=say("form.feedback", lang), multiline=True)
    return Choice(id="change", label=say("choice.change", lang), form=(change,))


async def find_card_approvers(
    declared: SkillCard, context: StepContext
) -> Approvers | StatusChange | None:
    """Those who decide the card by its policy; None where it is the requester's.

    The run is blocked when there are not enough of them.
    """
    if declared.review is None:
        return None
    authors = authors_of(values_at(declared.shows, context), context)
    involved = {*context.run.requester.ids, *authors.values()}
    return await find_approvers(declared.review, involved, context)


def option_texts(declared: SkillCard, context: StepContext) -> tuple[str, ...]:
    """The texts to choose from: a column of a list leaf, each text once."""
    path, _, column = declared.options_from.rpartition(".")
    listed: Any = value_of(path, context.run.state) or ()
    texts = (" ".join(format_value(row[column]).split()) for row in listed if row.get(column))
    return tuple(text for text in dict.fromkeys(texts) if text)


def by_hand_card(
    skill: Skill,
    paths: Sequence[str],
    why: str,
    context: StepContext,
    *,
    known: Patch | None = None,
) -> Card:
    """A form for what the model should have filled in; what is `known` of it stands in it."""
    if known is not None:
        state = known.apply(context.run.state)
        told = replace(context, run=context.run.model_copy(update={"state": state}))
        fields = tuple(_field(path, told) for path in paths)
    else:
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
    approvers: Approvers | None = None,
) -> Card:
    run = context.run
    if approvers:
        deadline = deadline_of(approvers.policy, context)
        fields = {**approver_card_fields(approvers, context), "deadline": deadline}
    else:
        fields = requester_card_fields(context)
        choices = (*choices, Choice(id="withdraw", label=say("choice.withdraw", run.lang)))
    return Card(
        kind=kind,
        title=repeated_title(title, run) if kind == "clarify" and run.state.problems else title,
        text=text,
        rows=shows,
        problems=run.state.problems,
        choices=choices,
        **fields,
        task_key=f"{kind}:{skill.id}",
    )

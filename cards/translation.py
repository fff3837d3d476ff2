"""A card in the language of its only reader.

What is signed (title, text, rows, problems) stays in the language of the request, the same for
everybody. Our own sentences, buttons and forms are translated.
"""

from collections.abc import Callable
from functools import cache

from cards.model import Card, Choice, Field, Lang
from cards.texts import FALLBACK, say, sentence, texts_of
from cards.visible import visible

RoleName = Callable[[str, str], str]
"""The name of a role in a language."""


def translate_card(card: Card, lang: Lang | None, role_name: RoleName) -> Card:
    """Return the card for somebody who reads `lang`, only to be shown; None leaves it as it is."""
    if lang is None or lang == card.lang:
        return card
    names = {role_name(role, card.lang): role_name(role, lang) for role in card.review.roles}
    awaited = card.waiting_for.split(say("list.items", card.lang)) if names else []
    waits = say("list.items", lang).join(names.get(each, each) for each in awaited)
    role = card.review.escalate.role if card.review.escalate else ""
    escalated = role_name(role, lang) if card.escalated and role else card.escalated
    return card.model_copy(
        update={
            "lang": lang,
            "choices": tuple(_translate_choice(each, card.lang, lang) for each in card.choices),
            "waiting_for": waits or card.waiting_for,
            "escalated": escalated,
        }
    )


def label_in(card: Card, choice_id: str, lang: Lang) -> str:
    """Return the label of a choice; its id where the card never had it."""
    choice = card.choice(choice_id)
    return visible(translate_text(choice.label, card.lang, lang)) if choice else choice_id


def translate_text(text: str, lang: Lang, to: Lang) -> str:
    """Return a fixed sentence of ours in the other language; any other text as it is."""
    return text if lang == to else _translations(lang, to).get(text, text)


@cache
def _translations(lang: Lang, to: Lang) -> dict[str, str]:
    """Return translations of the sentences without gaps, where there is only one."""
    found: dict[str, set[str]] = {}
    for key in texts_of(FALLBACK):
        text = sentence(key, lang)
        if "{" not in text:
            found.setdefault(text, set()).add(sentence(key, to))
    return {text: others.pop() for text, others in found.items() if len(others) == 1}


def _translate_choice(choice: Choice, lang: Lang, to: Lang) -> Choice:
    form = tuple(_translate_field(each, lang, to) for each in choice.form)
    return choice.model_copy(
        update={
            "label": translate_text(choice.label, lang, to),
            "intro": translate_text(choice.intro, lang, to),
            "form": form,
        }
    )


def _translate_field(field: Field, lang: Lang, to: Lang) -> Field:
    label, hint = translate_text(field.label, lang, to), translate_text(field.hint, lang, to)
    return field.model_copy(update={"label": label, "hint": hint})

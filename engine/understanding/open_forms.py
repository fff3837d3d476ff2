"""Which open form a text speaks to: by whom it names, never by guess (design §7, promise 4)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from cards.clipping import clip
from cards.deciding.seats import may_answer
from cards.forms import MAX_TEXT
from cards.markdown import literal
from cards.model import SUBMIT, Card, Field, Principal
from cards.texts import say
from engine.text import wording
from engine.text.claims.corrections import lead_end
from engine.text.claims.entities import kind_of_field
from engine.text.claims.labels import change_heads, label_heads
from engine.text.claims.words import bare_option
from engine.text.entities import fold
from engine.text.entity_kinds import Entities
from engine.text.form_reading import FormReading, read_form
from engine.text.values import cue_pattern, field_names
from engine.understanding.context import RouteContext

# "had a headache" tells; only "had she …?" asks.
_TELLING = re.compile(r"^\W*(?:had|has|have)\b(?!.*\?)")
# A year that is spoken of: no part of a whole date, and no amount.
_YEAR = re.compile(
    r"\b(?:in|of|for|during|since|year|q[1-4]|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)"
    r"\s((?:19|20)[0-9]{2})(?![0-9.,:年-]|\s(?-i:[A-Z]{3})\b)"
    r"|((?:19|20)[0-9]{2})\s?年(?!\s?[0-9]{1,2}\s?月\s?[0-9])",
    re.IGNORECASE,
)
_MONTH_NAMES = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
)
# A month that is spoken of: no part of a whole date.
_MONTH = re.compile(
    rf"\b(?:(?:in|of|for|during|since|from)\s(?=[A-Z])(?P<after>(?i:{_MONTH_NAMES}))(?:,?\s(?P<y1>20[0-9]{{2}}))?"
    rf"|(?<![0-9] )(?<![0-9]th )(?=[A-Z])(?P<en>(?i:{_MONTH_NAMES})),?\s(?P<y2>20[0-9]{{2}}))\b"
    r"(?!\s?[0-9]{1,2}(?![0-9]))"
    r"|(?:(?P<y3>20[0-9]{2})\s?年\s?)?(?<![0-9])(?P<zh>1[0-2]|0?[1-9])\s?月(?:份)?(?!\s?[0-9])"
)
_HELD = 2
"""So many values tell a form from others of its name."""

_ASKED = re.compile(r"[?？吗]")
_CLAUSE_END = re.compile(r"[,;，；。!！\n]|\.\s")


@dataclass(frozen=True, slots=True)
class FormMatch:
    """The card that a text answers with its values, or the `reply` to say instead.

    `sure`: every word of the text is understood.
    """

    card: str
    values: dict[str, str]
    reply: str
    sure: bool


def open_forms(context: RouteContext) -> tuple[Card, ...]:
    """The open forms that this person may fill in."""
    return tuple(c for c in context.open_cards if _is_open_form(c, context.principal))


def forms_asking_for_file(cards: Sequence[Card], person: Principal) -> tuple[Card, ...]:
    """Those of the cards whose open form asks this person for one file."""
    return tuple(c for c in cards if _is_open_form(c, person) and open_file_field(c))


def _is_open_form(card: Card, person: Principal) -> bool:
    answerable = card.text_answer == "values" and card.status == "open" and card.choice(SUBMIT)
    return bool(answerable) and may_answer(card, person)


def answerable_fields(card: Card) -> tuple[Field, ...]:
    """What a text may give for the card: its form's fields, and those whose value stands."""
    submit = card.choice("submit")
    return (*(submit.form if submit else ()), *card.known)


def year_asked_for(card: Card) -> int | None:
    """The one year that the card's question speaks of; None for none, and for several."""
    fields = answerable_fields(card)
    said = [card.title, card.text, *(text for f in fields for text in (f.label, f.hint))]
    years = {int(one or other) for text in said for one, other in _YEAR.findall(text)}
    return years.pop() if len(years) == 1 else None


def month_asked_for(card: Card, today: date) -> date | None:
    """The first day of the one month that the card's question speaks of; None for none, or several.

    Of one without a year it is the nearest.
    """
    fields = answerable_fields(card)
    said = [card.title, card.text, *(text for f in fields for text in (f.label, f.hint))]
    months = {_month_of(m, today) for text in said for m in _MONTH.finditer(text)}
    return months.pop() if len(months) == 1 else None


def _month_of(found: re.Match[str], today: date) -> date:
    name = found["after"] or found["en"]
    month = _MONTH_NAMES.split("|").index(name.lower()) + 1 if name else int(found["zh"])
    if year := found["y1"] or found["y2"] or found["y3"]:
        return date(int(year), month, 1)
    near = (date(today.year + away, month, 1) for away in (-1, 0, 1))
    return min(near, key=lambda first: abs(first - today.replace(day=1)))


def open_file_field(card: Card) -> Field | None:
    """The one field of the card's form that still needs a file; None for none and for several."""
    submit = card.choice(SUBMIT)
    fields = [f for f in submit.form if f.type == "file" and not f.value] if submit else []
    return fields[0] if len(fields) == 1 else None


def free_text_field(card: Card) -> Field | None:
    """The one field that the card's form still needs, where any text may be its value."""
    submit = card.choice(SUBMIT)
    empty = [f for f in submit.form if not f.value] if submit else []
    needed = [f for f in empty if f.required] or empty
    field = needed[0] if len(needed) == 1 else None
    takes_text = field and field.type == "text" and not (field.pattern or field.identity)
    return field if takes_text else None


def match_free_text(text: str, context: RouteContext) -> Card | None:
    """The one open form to which the whole text may be the value that it still needs.

    It is for a text in which nothing else is understood, and the person sends it.
    """
    forms = [card for card in open_forms(context) if free_text_field(card)]
    if len(forms) != 1 or len(open_forms(context)) != 1 or not can_be_answer(text, context):
        return None
    return None if other_entities(forms[0], text, context.entities) else forms[0]


def form_name(card: Card) -> str:
    """The form's title and whom it is about, as Markdown."""
    about = (f for f in answerable_fields(card) if f.identity and f.value)
    who = " ".join(f.label_of(f.value, "") for f in about)
    return literal(f"{card.title} {who}".strip())


def form_names(cards: Sequence[Card]) -> list[str]:
    """The forms' names; those of one name with what they hold, or with a number (Markdown)."""
    names = [form_name(card) for card in cards]
    held = [
        f"{name} ({noted})" if names.count(name) > 1 and (noted := _held_values(card)) else name
        for name, card in zip(names, cards, strict=True)
    ]
    return [
        f"{name} ({held[: n + 1].count(name)})" if held.count(name) > 1 else name
        for n, name in enumerate(held)
    ]


def _held_values(card: Card) -> str:
    """What stands in the form's first filled fields, as Markdown; "" for nothing."""
    filled = [f for f in answerable_fields(card) if f.value and not f.identity]
    return noted_values(filled[:_HELD], card.lang)


def missing_labels(card: Card) -> str:
    """The labels of what the form still needs, as Markdown; "" when nothing is."""
    labels = [literal(f.label) for f in answerable_fields(card) if f.required and not f.value]
    return say("list.items", card.lang).join(labels)


def text_example(fields: Sequence[Field], lang: str) -> str:
    """How a text gives what the form still needs, numbers first; "" when it needs nothing."""
    empty = [field for field in fields if not field.value]
    needed = [field for field in empty if field.required] or empty
    counted = [field for field in needed if field.type in ("integer", "number")]
    return say("list.and", lang).join(f"{f.label} …" for f in (counted or needed)[:2])


def noted_values(fields: Sequence[Field], lang: str) -> str:
    """What stands in the fields, each with its label, as people read it; Markdown."""
    comma = say("list.and", lang)
    return comma.join(labelled_value(f, f.value) for f in fields if f.value)


def labelled_value(field: Field, value: str) -> str:
    """The field's label and the value as people read it, as Markdown."""
    shown = " ".join(filter(None, (field.label_of(value, ""), field.unit)))
    return f"{literal(field.label)} {literal(clip(shown, MAX_TEXT))}"


def other_entities(card: Card, text: str, entities: Entities) -> str:
    """Whom the text names although the card is about somebody else, as Markdown; "" for nobody."""
    known = [f for f in card.known if f.identity and f.value]
    others = [
        id_
        for kind, id_ in entities.kinds_and_ids(text)
        if (own := _own_ids(known, kind, entities)) and id_ not in own
    ]
    return say("list.items", card.lang).join(map(literal, others))


def _own_ids(fields: Sequence[Field], kind: str, entities: Entities) -> set[str]:
    """What fields that say whom a form is about have of the kind."""
    own = [f.value for f in fields if kind_of_field(f, entities) == kind]
    return {entities.normalised(value, kind) or value for value in own}


def can_be_answer(text: str, context: RouteContext) -> bool:
    """The text may be an answer: it does not ask, and does not begin like a request."""
    if is_labelled(text, context):
        return True
    said = _TELLING.sub("", context.plain(text))
    begun = context.table.begins_with_cue(fold(context.mark(text))) and not wording.changes(said)
    return not (wording.asks(said) or begun)


def is_labelled(text: str, context: RouteContext) -> bool:
    """The text gives or changes a value of open forms by its label, and asks for nothing else.

    A label may be a question in itself, and begin like a request: "Which door: …".
    """
    fields = [field for card in open_forms(context) for field in answerable_fields(card)]
    said = text[lead_end(text) :].strip()
    heads = label_heads(said, fields) or change_heads(said, fields)
    if not heads or said[: heads[0][0]].strip() or _ASKED.search(said):
        return False
    begins = {end for _, end in heads}
    behind = (m.end() for m in _CLAUSE_END.finditer(said))
    return not any(_bids(said[at:], context) for at in behind if not begins & {at, at + 1})


def _bids(text: str, context: RouteContext) -> bool:
    """Whether a clause asks for something, or begins like a request."""
    clause = context.plain(_CLAUSE_END.split(text.lstrip(), maxsplit=1)[0])
    if any(label_heads(text.lstrip(), answerable_fields(c)) for c in open_forms(context)):
        return False
    begun = context.table.begins_with_cue(clause) or context.table.begins_request(clause)
    return begun or wording.asks(clause) or wording.shows(clause)


def says_option(text: str, context: RouteContext) -> bool:
    """The text is nothing but an option of a field of one open form."""
    having = [
        card
        for card in open_forms(context)
        if any(f.type == "choice" and bare_option(text, f) for f in answerable_fields(card))
    ]
    return len(having) == 1


def correctable_field(card: Card) -> Field | None:
    """The field that words of a correction are for: the one still needed, or the only one."""
    taken = [f for f in answerable_fields(card) if f.type == "text" and not f.identity]
    only = taken[0] if len(taken) == 1 and not taken[0].pattern else None
    return free_text_field(card) or only


def match_form(text: str, context: RouteContext) -> FormMatch | None:
    """What the text means to the open forms; None when it gives nothing for any of them."""
    return match_words(text, context) if can_be_answer(text, context) else None


def match_words(text: str, context: RouteContext) -> FormMatch | None:
    """What the text means to the open forms, whatever it begins with."""
    read = [(card, _read(text, card, context)) for card in open_forms(context)]
    read = [(card, found) for card, found in read if found.values or found.faults]
    if not read:
        return None
    entities = context.entities
    fitting = [(card, found) for card, found in read if not other_entities(card, text, entities)]
    meant = [(c, found) for c, found in fitting if _names_its_own(c, text, entities)] or fitting
    if len(meant) == 1:
        card, found = meant[0]
        return FormMatch(card.token, found.values, "", not found.left)
    return FormMatch("", {}, _ask_which_form(text, read, meant, context), True)


def match_values(text: str, context: RouteContext) -> FormMatch | None:
    """Several values, or one behind its name, where the only open form explains every word.

    None where a value stands already, and for what asks. A field may be called as a request is.
    """
    forms = open_forms(context)
    if len(forms) != 1 or _ASKED.search(text) or wording.asks(context.plain(text)):
        return None
    card, found = forms[0], _read(text, forms[0], context)
    missing = {f.name: f for f in answerable_fields(card) if not f.value}
    if found.left or found.faults or not found.values.keys() <= missing.keys():
        return None
    names = cue_pattern([name for f in missing.values() for name in (*field_names(f), *f.names)])
    is_named = re.match(names, text.strip(), re.IGNORECASE)
    enough = len(found.values) > 1 or (found.values and is_named)
    if not enough or other_entities(card, text, context.entities):
        return None
    return FormMatch(card.token, found.values, "", True)


def _read(text: str, card: Card, context: RouteContext) -> FormReading:
    return read_form(
        text,
        answerable_fields(card),
        context.today,
        entities=context.entities,
        year=year_asked_for(card),
        month=month_asked_for(card, context.today),
    )


def names_only(answer: FormMatch, context: RouteContext) -> bool:
    """Whether a text gives a form no more than whom or what it is about: other work is too."""
    card = next((card for card in open_forms(context) if card.token == answer.card), None)
    fields = answerable_fields(card) if card else ()
    named = {field.name for field in fields if kind_of_field(field, context.entities)}
    return bool(answer.values) and answer.values.keys() <= named


def _names_its_own(card: Card, text: str, entities: Entities) -> bool:
    known = [f for f in answerable_fields(card) if f.identity and f.value]
    return any(id_ in _own_ids(known, kind, entities) for kind, id_ in entities.kinds_and_ids(text))


def _ask_which_form(
    text: str,
    read: Sequence[tuple[Card, FormReading]],
    meant: Sequence[tuple[Card, FormReading]],
    context: RouteContext,
) -> str:
    comma = say("list.items", context.lang)
    if meant:
        forms = comma.join(form_names([c for c, _ in meant]))
        return say("clarify.which", context.lang, forms=forms)
    who = other_entities(read[0][0], text, context.entities)
    return say(
        "clarify.other", context.lang, form=comma.join(form_name(c) for c, _ in read), who=who
    )

"""A reviewer changes what a card asks to approve, which decides nothing (1.8, 1.9)."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cards.deciding.decision import DecisionRefusal, InvalidForm, MissingForm, decide
from cards.deciding.needed import can_reach_quorum
from cards.deciding.seats import is_own_request
from cards.edits import Edit, EditableContent, EditableValue, canonical, digest
from cards.fields.table import shown_value
from cards.forms import NO_FACTS, FormFacts, check_form, unknown_fields, with_title
from cards.markdown import format_value, literal
from cards.model import Card, Choice, Field, Lang, Principal, Row
from cards.moments import local_time
from cards.texts import say
from cards.values import NO, YES, Value
from cards.visible import in_row, in_text

SHOWN_CHARS = 80
SHOWN_TIMES = 5


@dataclass(frozen=True, slots=True)
class EditedCard:
    """The card to store, a new revision without votes, and the edits that made it."""

    card: Card
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class UnchangedCard:
    """The form was sent without a change."""


EditVerdict = EditedCard | UnchangedCard | MissingForm | InvalidForm | DecisionRefusal


def edit(
    card: Card,
    principal: Principal,
    choice: str,
    now: datetime,
    *,
    revision: int,
    values: Mapping[str, str] | None,
    approvers: Collection[Principal],
    facts: FormFacts = NO_FACTS,
) -> EditVerdict:
    """Return what tapping the edit choice, or sending its form, means for the card as it stands.

    Whoever may decide may edit. Where four eyes are needed, enough of `approvers` must be left to
    approve the edit. Fields that the form does not give stay as they are.
    """
    # An own vote or an own edit keeps nobody from editing more.
    bare = card.model_copy(update={"votes": (), "authors": {}})
    verdict = decide(bare, principal, choice, now, revision=revision, values=values)
    if isinstance(verdict, DecisionRefusal):
        return DecisionRefusal(verdict.reason, card, principal.id)
    form, editing = card.choice(choice), card.editing
    if form is None or not form.edits or editing is None:
        return DecisionRefusal("unknown_choice", card, principal.id)
    if values is None:
        lonely = _lacks_approvers(card, principal.ids, approvers)
        return DecisionRefusal("nobody_else", card, principal.id) if lonely else MissingForm(form)
    changed, faults = _changes(form.form, values, principal.lang or card.lang, facts)
    if faults:
        return InvalidForm(faults)
    if not changed:
        return UnchangedCard()
    named = (with_title(f, _form_text(changed.get(f.name)), card.lang, facts) for f in form.form)
    form = form.model_copy(update={"form": tuple(named)})
    after, edits = _apply(card, form, editing, changed, principal, now)
    if _lacks_approvers(after, after.authors.values(), approvers):
        return DecisionRefusal("nobody_else", card, principal.id)
    return EditedCard(after, edits)


def _lacks_approvers(
    card: Card, authors: Collection[str], approvers: Collection[Principal]
) -> bool:
    """Whether too few people are left to approve what these (ids) edited."""
    others = (p for p in approvers if p.ids.isdisjoint(authors) and not is_own_request(card, p))
    return card.review.four_eyes and not can_reach_quorum(card, tuple(others))


def _changes(
    form: Sequence[Field], values: Mapping[str, str], lang: Lang, facts: FormFacts
) -> tuple[dict[str, Value | None], dict[str, str]]:
    """Return the values that differ from the card's (None: cleared), and a sentence per fault."""
    lines = {name: value.replace("\r\n", "\n").strip() for name, value in values.items()}
    touched = [f for f in form if f.name in lines and lines[f.name] != f.value.strip()]
    typed, faults = check_form(touched, lines, lang, facts)
    # 70.0 is no other number than 70.
    before, _ = check_form(touched, {f.name: f.value for f in touched}, lang)
    entered = {f.name: typed.get(f.name) for f in touched if f.name not in faults}
    changed = {name: value for name, value in entered.items() if value != before.get(name)}
    return changed, unknown_fields(form, values, lang) | faults


def _apply(
    card: Card,
    choice: Choice,
    editing: EditableContent,
    changed: Mapping[str, Value | None],
    principal: Principal,
    now: datetime,
) -> tuple[Card, tuple[Edit, ...]]:
    """Return the card with these values in all places where it shows them."""
    spots = [spot for spot in editing.values if spot.name in changed]
    fields = {field.name: field for field in choice.form}
    edits = tuple(_edit(fields[s.name], changed[s.name], card, principal, now) for s in spots)
    form = tuple(
        f.model_copy(update={"value": _form_text(changed[f.name])}) if f.name in changed else f
        for f in choice.form
    )
    filled = choice.model_copy(update={"form": form})
    content, pieces = _content(editing, changed), _pieces(editing, edits, card.lang)
    update = {
        "rows": _rows(card, spots, edits, fields),
        "text": "\n\n".join(filter(None, pieces)),
        "choices": tuple(filled if c.id == choice.id else c for c in card.choices),
        "editing": editing.model_copy(update={"content": content, "pieces": pieces}),
        "edits": (*card.edits, *edits),
        "authors": _authors(card, spots, edits),
        "shown_digest": digest(content),
        "revision": card.revision + 1,
        "version": card.version + 1,
        "votes": (),
    }
    return card.model_copy(update=update), edits


def _edit(
    field: Field, value: Value | None, card: Card, principal: Principal, now: datetime
) -> Edit:
    return Edit(
        name=field.name,
        label=field.label,
        before=in_row(shown_value(field, field.value, card.lang), field.unit, card.lang),
        after=in_row(shown_value(field, _form_text(value), card.lang), field.unit, card.lang),
        value=value,
        person=principal.id,
        person_name=principal.name,
        at=now,
    )


def _form_text(value: Value | None) -> str:
    if isinstance(value, bool):
        return YES if value else NO
    return "" if value is None else format_value(value)


def _rows(
    card: Card,
    spots: Sequence[EditableValue],
    edits: Sequence[Edit],
    fields: Mapping[str, Field],
) -> tuple[Row, ...]:
    shown = {n: e for spot, e in zip(spots, edits, strict=True) for n in spot.rows}
    return tuple(
        _edited_row(row, shown[index], fields) if index in shown else row
        for index, row in enumerate(card.rows)
    )


def _edited_row(row: Row, edit: Edit, fields: Mapping[str, Field]) -> Row:
    file = _form_text(edit.value) if fields[edit.name].type == "file" else ""
    return row.model_copy(update={"value": edit.after, "file": file})


def _pieces(editing: EditableContent, edits: Sequence[Edit], lang: Lang) -> tuple[str, ...]:
    at = {spot.name: spot.pieces for spot in editing.values}
    text = {n: in_text(e.label, _form_text(e.value), lang) for e in edits for n in at[e.name]}
    return tuple(text.get(index, piece) for index, piece in enumerate(editing.pieces))


def _content(editing: EditableContent, changed: Mapping[str, Value | None]) -> str:
    """Return the content to approve, with these values."""
    content = json.loads(editing.content)
    for spot in editing.values:
        for at in spot.at if spot.name in changed else ():
            value = changed[spot.name]
            _put(content, at, spot.options.get(str(value), value))
    return canonical(content)


def _put(content: Any, at: tuple[int | str, ...], value: Any) -> None:
    for key in at[:-1]:
        content = content[key]
    content[at[-1]] = value


def _authors(card: Card, spots: Sequence[EditableValue], edits: Sequence[Edit]) -> dict[str, str]:
    """Return by field who edited it; a value that is back at the opened card's is nobody's."""
    found = dict(card.authors)
    for spot, each in zip(spots, edits, strict=True):
        first = next(e for e in (*card.edits, each) if e.name == each.name).before
        found[spot.name] = spot.author if each.after == first else each.person
    return {name: who for name, who in found.items() if who}


def describe_edits(edits: Sequence[Edit], lang: Lang) -> str:
    """Return the changes as one line of plain text; long values are cut."""
    return say("list.clauses", lang).join(
        say(
            "edit.change",
            lang,
            label=each.label,
            before=_cut(each.before),
            after=_cut(each.after),
        )
        for each in edits
    )


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else f"{line[:SHOWN_CHARS]}…"


def edit_history(card: Card, zone: str) -> list[str]:
    """Return who changed what, as Markdown: the last five times, oldest first."""
    times: dict[tuple[datetime, str], list[Edit]] = {}
    for each in card.edits:
        times.setdefault((each.at, each.person), []).append(each)
    earlier = len(times) - SHOWN_TIMES
    shown = [
        say(
            "edit.card",
            card.lang,
            name=literal(edits[0].person_name),
            when=local_time(at, zone),
            changes=literal(describe_edits(edits, card.lang)),
        )
        for (at, _), edits in list(times.items())[-SHOWN_TIMES:]
    ]
    return [say("edit.earlier", card.lang, n=earlier), *shown] if earlier > 0 else shown

"""Typed texts that answer an open card: judged as a tap is, stored by the turn's commit."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

from cards.deciding.decision import DecidedCard, DecisionRefusal, RepeatedVote, VotedCard
from cards.forms import FormFacts, check_form, with_title
from cards.markdown import literal
from cards.model import Card, Choice, Field
from cards.showing.view import PartState
from cards.texts import say
from cards.translation import label_in
from engine.events import DirectAnswer
from engine.frames import audit
from engine.frames.intents import Intent
from engine.frames.replies import ReplyHead
from engine.frames.shared_files import kept_names
from engine.ports.people import People
from engine.ports.storage.store import CardNow, CardWrite, Decisions, Effects
from engine.reviews.answer import CardAnswer, Judgement
from engine.reviews.form_facts import form_facts
from engine.reviews.judge import CardJudge
from engine.text.claims.corrections import without_lead
from engine.text.claims.unheard import unheard_clauses
from engine.text.entity_kinds import NO_ENTITIES, Entities
from engine.text.form_reading import FormReading, read_form
from engine.understanding.matter import matter_told, text_field
from engine.understanding.open_forms import (
    answerable_fields,
    correctable_field,
    form_name,
    free_text_field,
    labelled_value,
    missing_labels,
    month_asked_for,
    noted_values,
    open_file_field,
    other_entities,
    text_example,
    year_asked_for,
)


@dataclass(frozen=True, slots=True)
class CardReply:
    """What the reply says, and what the turn's commit writes with it."""

    state: PartState
    text: str
    effects: Effects


@dataclass(frozen=True, slots=True)
class TextAnswers:
    """Judges texts by these people; `today` and `zone` (IANA) are the service's day and place.

    `entities` are what the texts may name.
    """

    decisions: Decisions
    people: People
    zone: str
    today: date
    entities: Entities = NO_ENTITIES

    async def open_form(self, intent: Intent, head: ReplyHead) -> Card | None:
        """The form of which rules do not read the whole text; None where they do."""
        found = await self.decisions.card(intent.card)
        choice = found.card.choice(intent.choice) if found else None
        if found is None or choice is None or not choice.form or found.card.status != "open":
            return None
        card, reading = found.card, self._read(found.card, intent.text, kept_names(head.files))
        whole = reading.values and not (reading.left or reading.faults)
        is_other = other_entities(card, intent.text, self.entities)
        return None if whole or is_other or not intent.text else card

    async def answer(
        self, intent: Intent, head: ReplyHead, by_model: FormReading | None = None
    ) -> CardReply:
        """Decide the card with values that are complete and all understood, else keep them in it.

        What was read `by_model` only stands in the form then, with the words that it comes from:
        the person sends it. The log of the card's run has who wrote, and what came of it.
        """
        found = await self.decisions.card(intent.card)
        if found is None:
            return CardReply("failed", say("card.unknown", head.lang), Effects())
        card, choice = found.card, found.card.choice(intent.choice)
        origin = {**audit.origin_facts(head.conversation), "reply": head.id}
        answer = CardAnswer(head.principal, "", card.revision, None, origin, event="text")
        if choice is None or not choice.form or card.status != "open":
            return self._decide(found, replace(answer, choice=intent.choice))
        if who := other_entities(card, intent.text, self.entities):
            text = say("clarify.other", card.lang, form=form_name(card), who=who)
            effects = Effects(log=(answer.entry(found, "other_entities"),))
            return CardReply("needs_you", text, effects)
        reading = self._read(card, intent.text, kept_names(head.files))
        if by_model is None:
            free = _free_text(card, intent.text, reading) or _with_matter(
                card, intent.text, reading
            )
            return self._fill_in(found, choice, free or reading, answer, proposes=bool(free))
        both = _with_model(reading, by_model)
        reply = self._fill_in(found, choice, both, answer, proposes=True)
        return replace(reply, text=self._proposal(card, by_model) + reply.text)

    def _read(self, card: Card, text: str, files: Sequence[str]) -> FormReading:
        """What the text gives the form; the one file that came with it is the one that is asked."""
        fields = answerable_fields(card)
        reading = read_form(
            text,
            fields,
            self.today,
            entities=self.entities,
            year=year_asked_for(card),
            month=month_asked_for(card, self.today),
        )
        reading = _with_unheard(reading, text, fields)
        asked = open_file_field(card)
        if asked is None or len(files) != 1 or asked.name in reading.values:
            return reading
        return replace(reading, values={**reading.values, asked.name: files[0]})

    def _fill_in(
        self,
        found: CardNow,
        choice: Choice,
        reading: FormReading,
        answer: CardAnswer,
        *,
        proposes: bool = False,
    ) -> CardReply:
        """The form with the values that were read; not sent where they are only proposed."""
        card = found.card
        said = {"read": reading.words, "unused": reading.left}
        answer = replace(answer, origin={**answer.origin, **said})
        changed = _changed_values(card, reading.values)
        wider = _with_asked_fields(card, choice, changed)
        form = _form(wider, choice)
        given = {f.name: f.value for f in form if f.value} | reading.values
        facts = self._facts(card)
        _, errors = check_form(form, given, card.lang, facts)
        faulty = {name: fault for name, fault in errors.items() if name in reading.values}
        faulty |= {n: say(k, card.lang, unit=_unit(card, n)) for n, k in reading.faults.items()}
        changed = {name: value for name, value in changed.items() if name not in faulty}
        remarks = _remarks(card, faulty, reading.left, changed, facts)
        # Who puts right what only waits to be sent has not sent it.
        corrects = bool(changed) and not (card.problems or missing_labels(card))
        if errors or faulty or reading.left or proposes or corrects:
            kept = {name: value for name, value in given.items() if name not in faulty}
            new = reading.values.keys() - changed.keys() - faulty.keys()
            reply_text, write = _keep_values(card, wider, choice, kept, facts, new)
            entry = answer.entry(found, "kept", after=write.card if write else None)
            effects = Effects(cards=(write,) if write else (), log=(entry,))
            return CardReply("needs_you", remarks + reply_text, effects)
        # What is known is not in the form, unless the text changes it.
        sent = {field.name: given[field.name] for field in form if field.name in given}
        whole = replace(answer, choice=choice.id, values=sent)
        reply = self._decide(CardNow(wider, found.now), whole)
        return replace(reply, text=remarks + reply.text) if reply.effects.mails else reply

    def _proposal(self, card: Card, by_model: FormReading) -> str:
        """What the model took, from which words."""
        if not by_model.values:
            return ""
        lang, facts = card.lang, self._facts(card)
        fields = {f.name: f for f in answerable_fields(card)}
        taken = (
            say(
                "clarify.from",
                lang,
                label=literal(fields[name].label),
                value=literal(with_title(fields[name], value, lang, facts).label_of(value, "")),
                words=literal(by_model.words[name]),
            )
            for name, value in by_model.values.items()
        )
        return say("clarify.read", lang, values=say("list.clauses", lang).join(taken))

    def _facts(self, card: Card) -> FormFacts:
        return form_facts(self.people.scope_of(card), self.today, self.entities)

    def _decide(self, found: CardNow, answer: CardAnswer) -> CardReply:
        """As a tap on that choice: by the same people, votes and seats."""
        judge = CardJudge(self.people, self.zone, lambda card, person: self.entities)
        judgement = judge.judge(found, answer)
        state, text = _reply_to(answer, found.card, judgement)
        return CardReply(state, text, judgement.effects)


def _reply_to(answer: CardAnswer, card: Card, judgement: Judgement) -> tuple[PartState, str]:
    """What the person is told, in their words."""
    match judgement.verdict, judgement.shown:
        case DecidedCard(), _:
            return "answered", say("clarify.taken", card.lang)
        case VotedCard(card=after, votes_needed=needed), _:
            lang = answer.lang(card)
            label = literal(label_in(after, answer.choice, lang))
            return "answered", say("vote.needed", lang, choice=label, needed=needed)
        case RepeatedVote(), DirectAnswer(text=text):
            return "answered", text
        case DecisionRefusal(), DirectAnswer(text=text):
            return "failed", text
        case _:
            return "needs_you", say("clarify.missing", card.lang, missing=card.title)


def _free_text(card: Card, text: str, reading: FormReading) -> FormReading | None:
    """The whole text for the one field that takes any; None where rules read something in it.

    The person sends it: nobody knows whether it was meant as that.
    """
    said = without_lead(text)
    field = correctable_field(card) if said != text else free_text_field(card)
    if field is None or not text or reading.values or reading.faults:
        return None
    return FormReading({field.name: said}, {}, "", {field.name: said})


def _with_matter(card: Card, text: str, reading: FormReading) -> FormReading | None:
    """The values, and the one stretch beside them that tells of the matter, for the one text."""
    given = {*reading.values, *reading.faults}
    lacking = [f for f in answerable_fields(card) if f.name not in given]
    field = text_field(lacking) if reading.values else None
    heard = unheard_clauses(text, lacking)
    parts = [part for part in reading.left.split(", ") if part not in heard]
    told = matter_told(", ".join(parts), text, lacking, (), reading.words.values())
    if field is None or not told:
        return None
    left = ", ".join(part for part in reading.left.split(", ") if told not in part)
    words = {**reading.words, field.name: told}
    return FormReading({**reading.values, field.name: told}, reading.faults, left, words)


def _with_unheard(reading: FormReading, text: str, fields: Sequence[Field]) -> FormReading:
    """The reading that leaves over, too, what is said of a choice without a value."""
    given = {*reading.values, *reading.faults}
    heard = unheard_clauses(text, [f for f in fields if f.name not in given])
    parts = (reading.left, *(clause for clause in heard if clause not in reading.left))
    return replace(reading, left=", ".join(filter(None, parts)))


def _with_model(reading: FormReading, by_model: FormReading) -> FormReading:
    """What rules and the model read; where they differ, the model has seen more of the text."""
    return FormReading(
        {**reading.values, **by_model.values},
        {name: why for name, why in reading.faults.items() if name not in by_model.values},
        "" if by_model.values else reading.left,
        {**reading.words, **by_model.words},
    )


def _changed_values(card: Card, values: dict[str, str]) -> dict[str, str]:
    """The values that replace another one that stood."""
    stood = {f.name: f.value for f in answerable_fields(card) if f.value}
    return {n: v for n, v in values.items() if n in stood and not _is_same(v, stood[n])}


def _is_same(one: str, other: str) -> bool:
    return one == other or one.removesuffix(".0") == other.removesuffix(".0")


def _with_asked_fields(card: Card, choice: Choice, names: Collection[str]) -> Card:
    """The card with these known fields in its form, so that they are typed and carried too."""
    moved = [f for f in card.known if f.name in names]
    if not moved:
        return card
    labels = {f.label for f in moved}
    form = choice.model_copy(update={"form": (*moved, *choice.form)})
    return card.model_copy(
        update={
            "choices": tuple(form if c.id == choice.id else c for c in card.choices),
            "known": tuple(f for f in card.known if f not in moved),
            "rows": tuple(row for row in card.rows if row.label not in labels),
        }
    )


def _form(card: Card, choice: Choice) -> tuple[Field, ...]:
    return next(c.form for c in card.choices if c.id == choice.id)


def _unit(card: Card, name: str) -> str:
    return next((f.unit for f in answerable_fields(card) if f.name == name), "")


def _remarks(
    card: Card, faulty: dict[str, str], left: str, changed: dict[str, str], facts: FormFacts
) -> str:
    """What is wrong, not understood, or changed."""
    fields = {f.name: f for f in answerable_fields(card)}
    labels = {name: field.label for name, field in fields.items()}
    colon, comma = say("list.colon", card.lang), say("list.and", card.lang)
    text = ""
    if faulty:
        errors = (literal(f"{labels[name]}{colon}{why}") for name, why in faulty.items())
        errors_text = say("list.clauses", card.lang).join(errors)
        text += say("clarify.faulty", card.lang, errors=errors_text)
    if left:
        text += say("answer.unused", card.lang, left=literal(left))
    if changed:
        shown = {n: with_title(fields[n], v, card.lang, facts) for n, v in changed.items()}
        values = comma.join(labelled_value(shown[n], v) for n, v in changed.items())
        text += say("clarify.changed", card.lang, changed=values)
    return text


def _keep_values(
    card: Card,
    wider: Card,
    choice: Choice,
    given: dict[str, str],
    facts: FormFacts,
    new: Collection[str],
) -> tuple[str, CardWrite | None]:
    """A sentence on what was taken and what is still missing, and the card if that is new.

    Of what the form has by now, only what is `new` is told.
    """
    form = tuple(
        with_title(f.model_copy(update={"value": value}), value, card.lang, facts)
        for f in _form(wider, choice)
        for value in (given.get(f.name, f.value),)
    )
    filled = choice.model_copy(update={"form": form})
    choices = tuple(filled if c.id == choice.id else c for c in card.choices)
    example = text_example(form, card.lang) if card.by_text else ""
    after = wider.model_copy(update={"choices": choices, "by_text": example})
    noted = noted_values([f for f in form if f.name in new], card.lang)
    text = say("clarify.noted", card.lang, noted=noted) if noted else ""
    if lacking := missing_labels(after):
        text += say("clarify.missing", card.lang, missing=lacking)
    else:
        text += say("clarify.stands", card.lang)
    if after == card:
        return text, None
    update = {"version": card.version + 1, "revision": card.revision + 1}
    return text, CardWrite(after.model_copy(update=update), expect=card.version)

"""A text that answers an open card: the same rules as a tap, carried by the turn's commit."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from cards.deciding import lapsed
from cards.deciding.decision import (
    Invalid,
    MayEdit,
    NeedsForm,
    Recorded,
    Refused,
    Repeated,
    Verdict,
    Won,
)
from cards.deciding.texts import refusal_text, repeated_text
from cards.editing.editing import Edited, EditVerdict, Unchanged
from cards.forms import check_form
from cards.markdown import literal
from cards.model import Card, Choice, Field
from cards.reader import label_in
from cards.showing.view import PartState
from cards.texts import say
from engine.frames import audit
from engine.frames.intents import Intent
from engine.frames.replies import ReplyHead
from engine.ports.storage.store import CardNow, CardWrite
from engine.reviews.card_judge import CardAnswer, CardJudge, Judgement
from engine.talk.turn.services import TurnServices
from engine.text.reading import read_form
from engine.understanding.open_forms import about_another, fields, missing, named


@dataclass(frozen=True, slots=True)
class CardReply:
    """What the reply says, and what the commit writes."""

    state: PartState
    text: str
    cards: tuple[CardWrite, ...] = ()
    mails: tuple[tuple[str, str], ...] = ()
    log: tuple[audit.Entry, ...] = ()


async def answer_card(intent: Intent, head: ReplyHead, services: TurnServices) -> CardReply:
    """Judge the text; a complete set that is understood whole decides the card, else it is kept.

    Either way the log of the card's run tells who wrote, and what became of it.
    """
    found = await services.decisions.card(intent.card)
    if found is None:
        return CardReply("failed", say("card.unknown", "zh"))
    card, choice = found.card, found.card.choice(intent.choice)
    if choice is None or not choice.form or card.status != "open":
        return _decide(card, intent.choice, None, head, found.now, services)
    if who := about_another(card, intent.text):
        text = say("clarify.other", card.lang, form=named(card), who=who)
        return CardReply("needs_you", text, log=(_told_of(card, head, services, "about_another"),))
    reading = read_form(intent.text, fields(card), services.today)
    changed = _changed(card, reading.values)
    wider = _asking(card, choice, changed)
    form = _form(wider, choice)
    given = {f.name: f.value for f in form if f.value} | reading.values
    _, errors = check_form(form, given, card.lang)
    faulty = {name: text for name, text in errors.items() if name in reading.values}
    faulty |= {n: say(k, card.lang, unit=_unit(card, n)) for n, k in reading.faults.items()}
    told = _told(card, faulty, reading.left, {n: v for n, v in changed.items() if n not in faulty})
    if errors or faulty or reading.left:
        kept = {name: value for name, value in given.items() if name not in faulty}
        reply = _keep(card, wider, choice, kept, told)
        after = next((write.card for write in reply.cards), None)
        return replace(reply, log=(_told_of(card, head, services, "kept", after=after),))
    reply = _decide(wider, choice.id, given, head, found.now, services)
    return replace(reply, text=told + reply.text) if reply.mails else reply


def _changed(card: Card, values: dict[str, str]) -> dict[str, str]:
    """The values that replace another one that stood."""
    stood = {f.name: f.value for f in fields(card) if f.value}
    return {n: v for n, v in values.items() if n in stood and not _same(v, stood[n])}


def _same(one: str, other: str) -> bool:
    return one == other or one.removesuffix(".0") == other.removesuffix(".0")


def _asking(card: Card, choice: Choice, names: Collection[str]) -> Card:
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
    return next((f.unit for f in fields(card) if f.name == name), "")


def _told(card: Card, faulty: dict[str, str], left: str, changed: dict[str, str]) -> str:
    """What is wrong, not understood, or changed."""
    labels = {f.name: f.label for f in fields(card)}
    colon, comma = say("list.colon", card.lang), say("list.and", card.lang)
    text = ""
    if faulty:
        errors = (literal(f"{labels[name]}{colon}{why}") for name, why in faulty.items())
        errors_text = say("list.clauses", card.lang).join(errors)
        text += say("clarify.faulty", card.lang, errors=errors_text)
    if left:
        text += say("answer.left", card.lang, left=literal(left))
    if changed:
        values = comma.join(f"{literal(labels[n])} {literal(v)}" for n, v in changed.items())
        text += say("clarify.changed", card.lang, changed=values)
    return text


def _keep(card: Card, wider: Card, choice: Choice, given: dict[str, str], told: str) -> CardReply:
    """The card with what is known filled in, and a sentence on what is still missing."""
    form = tuple(
        f.model_copy(update={"value": given.get(f.name, f.value)}) for f in _form(wider, choice)
    )
    filled = choice.model_copy(update={"form": form})
    choices = tuple(filled if c.id == choice.id else c for c in card.choices)
    after = wider.model_copy(update={"choices": choices})
    comma = say("list.and", card.lang)
    noted = comma.join(f"{literal(f.label)} {literal(f.value)}" for f in form if f.value)
    text = told + (say("clarify.noted", card.lang, noted=noted) if noted else "")
    lacking = missing(after)
    if lacking:
        text += say("clarify.missing", card.lang, missing=lacking)
    else:
        text += say("clarify.stands", card.lang)
    if after == card:
        return CardReply("needs_you", text)
    update = {"version": card.version + 1, "revision": card.revision + 1}
    write = CardWrite(after.model_copy(update=update), expect=card.version)
    return CardReply("needs_you", text, cards=(write,))


def _decide(
    card: Card,
    choice: str,
    values: dict[str, str] | None,
    head: ReplyHead,
    now: datetime,
    services: TurnServices,
) -> CardReply:
    """As a tap on that choice: by the same people, votes and seats."""
    judge = CardJudge(services.people, services.zone)
    answer = CardAnswer(choice, card.revision, values)
    judged = judge.judge(CardNow(card, now), head.principal, answer)
    state, text = _outcome(judged, services)
    effects, verdict = judged.effects, judged.verdict
    after = next((write.card for write in effects.cards), None)
    more = {"for": _seat(verdict), "lapsed": lapsed.told(after, now) if after else []}
    entry = _told_of(card, head, services, _result(verdict), choice=choice, after=after, more=more)
    return CardReply(state, text, effects.cards, effects.mails, (entry,))


def _outcome(judged: Judgement, services: TurnServices) -> tuple[PartState, str]:
    """What the person is told, in their words."""
    card, person, verdict = judged.card, judged.person, judged.verdict
    lang, zone = person.lang or card.lang, person.zone or services.zone
    match verdict:
        case Won():
            return "answered", say("clarify.taken", card.lang)
        case Recorded(votes_needed=needed):
            label = label_in(verdict.card, verdict.card.votes[-1].choice, lang)
            return "answered", say("vote.needed", lang, choice=literal(label), needed=needed)
        case Repeated():
            return "answered", repeated_text(verdict, lang, zone=zone)
        case Refused():
            return "failed", refusal_text(verdict, lang, zone=zone)
        case NeedsForm() | Invalid() | MayEdit() | Edited() | Unchanged():
            return "needs_you", say("clarify.missing", card.lang, missing=card.title)


def _seat(verdict: Verdict | EditVerdict) -> str:
    """Whose seat a vote took, "" for one's own."""
    match verdict:
        case Won(decision=decision):
            return decision.seat
        case Recorded(card=card):
            return card.votes[-1].seat
        case _:
            return ""


def _result(verdict: Verdict | EditVerdict) -> str:
    """What the log calls it, as of a tap."""
    match verdict:
        case Won():
            return "decided"
        case Recorded():
            return "vote"
        case Repeated():
            return "repeated"
        case Refused(reason=reason):
            return reason
        case NeedsForm() | Invalid() | MayEdit() | Edited() | Unchanged():
            return "kept"


def _told_of(
    card: Card,
    head: ReplyHead,
    services: TurnServices,
    result: str,
    *,
    choice: str = "",
    after: Card | None = None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> audit.Entry:
    """The text in the log of the card's run."""
    where = audit.origin(head.conversation)
    told: dict[str, Any] = {
        "by": head.principal.id,
        **where,
        "choice": choice,
        "result": result,
        "reply": head.id,
    }
    told |= more
    return audit.about_card(card, services.now, "text", told, after=after)

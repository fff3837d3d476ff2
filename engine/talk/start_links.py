"""`/start <payload>`: a link that opens a card or a run in a chat of one's own (design §7).

A link carries no authority: it names what is meant. Who may see it is checked when it is opened.
"""

import re
from collections.abc import Sequence

from pydantic import ValidationError

from cards.buttons import CARD, RUN
from cards.deciding.inbox import is_waiting_for
from cards.deciding.seats import may_decide
from cards.markdown import literal
from cards.model import ADMIN, Card, Lang, Principal
from cards.showing.show import outcome
from cards.texts import say
from engine.errors import NewerState
from engine.frames.ends import end_of, with_stored_status
from engine.frames.run_names import run_title
from engine.frames.state import Run
from engine.mail import CommandArrived
from engine.ports.people import People
from engine.reviews.awaited import awaited_text
from engine.services import Services
from engine.talk.pending import CardRepost, TextWithCards

_PAYLOAD = re.compile(rf"({CARD}|{RUN})_([0-9a-f]{{1,4}}-[A-Za-z0-9_-]{{6,56}})")


async def open_link(mail: CommandArrived, lang: Lang, services: Services) -> TextWithCards:
    """What the link of a `/start` shows this person; a sentence where it leads nowhere."""
    match = _PAYLOAD.fullmatch(mail.update.text)
    told = None
    if match is not None and len(match[0]) <= 64:
        what = _open_card if match[1] == CARD else _open_run
        told = await what(match[2], mail, lang, services)
    return told or TextWithCards(say("opened.nothing", lang), ())


async def _open_card(
    token: str, mail: CommandArrived, lang: Lang, services: Services
) -> TextWithCards | None:
    card = await _load_card(token, services)
    if card is None:
        return None
    mail = _as_seen_by(services.people.scope_of(card), mail)
    if not (services.sees(card.project) and _may_see_card(card, mail, services)):
        return None
    lang = mail.principal.lang or card.lang
    if is_waiting_for(card, mail.principal, services.now):
        return _with_cards([card], mail, say("opened.card", lang), services)
    zone = mail.principal.zone or services.zone
    state = (
        say(
            "pending.line",
            lang,
            title=literal(card.title),
            who=awaited_text(card, services.people, lang),
        )
        if card.status == "open"
        else f"{literal(card.title)}\n\n{literal(outcome(card, zone))}"
    )
    return TextWithCards(state, ())


async def _open_run(
    run_id: str, mail: CommandArrived, lang: Lang, services: Services
) -> TextWithCards | None:
    found = await services.decisions.run(run_id)
    try:
        run = Run.model_validate_json(found[0]) if found else None
    except ValidationError:
        return None
    if run is None or found is None:
        return None
    mail = _as_seen_by(services.people.scope_to(run.conversation, run.project or None), mail)
    cards = [await _load_card(token, services) for token in run.waiting]
    mine = [c for c in cards if c is not None and is_waiting_for(c, mail.principal, services.now)]
    if not services.sees(run.project) or not (mine or _may_see_run(run, mail.principal)):
        return None
    lang = mail.principal.lang or run.lang
    end = end_of(with_stored_status(run, found[1]))
    line = say(
        "runs.line",
        lang,
        name=run_title(run),
        who=literal(run.requester.name),
        state=say(f"end.{end}", lang) if end else say(f"state.{run.status}", lang),
    )
    return _with_cards(mine, mail, line, services)


def _as_seen_by(people: People, mail: CommandArrived) -> CommandArrived:
    """The command, with what the person is to those who have to do with what the link names."""
    return mail.model_copy(update={"principal": people.refresh(mail.principal)})


async def _load_card(token: str, services: Services) -> Card | None:
    try:
        found = await services.decisions.card(token)
    except NewerState:
        return None
    return None if found is None else found.card


def _with_cards(
    cards: Sequence[Card], mail: CommandArrived, text: str, services: Services
) -> TextWithCards:
    """The text, and below it the cards, where only those read them who may."""
    here = mail.update.conversation
    place = services.people.private_place(mail.update.actor, here)
    reposts = [
        CardRepost(actor=mail.update.actor, place=place or here, cards=(card.token,))
        for card in cards
        if place or services.people.is_visible_in(card, here)
    ]
    return TextWithCards(text, tuple(reposts))


def _may_see_card(card: Card, mail: CommandArrived, services: Services) -> bool:
    """Whether the person decides or requested the card, or may read it in this chat anyway."""
    person, here = mail.principal, mail.update.conversation
    if services.people.private_place(mail.update.actor, here) != here:
        # Others read what is said here.
        return services.people.is_visible_in(card, here)
    return may_decide(card, person) or card.is_requested_by(person) or card.conversation == here


def _may_see_run(run: Run, person: Principal) -> bool:
    return not person.ids.isdisjoint(run.requester.ids) or ADMIN in person.roles

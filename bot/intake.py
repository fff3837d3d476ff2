"""Every update takes this one way: into its lane, or through `decide` (design §3, §7)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

import structlog

from bot import edits
from bot.people import Directory
from cards.buttons import BadButton, Button
from cards.decision import Invalid, MayEdit, NeedsForm, Recorded, Refused, Verdict, Won, decide
from cards.decision_texts import refusal_text
from cards.editing import Edited, EditVerdict, Unchanged, edit
from cards.model import Card, Choice, Lang, Principal
from cards.show import decided
from cards.texts import say
from cards.view import FormView
from engine import audit
from engine.errors import NewerState, StaleWrite, StoreUnavailable
from engine.events import (
    Accepted,
    Answered,
    CardTapped,
    CommandGiven,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageReceived,
    NotRecorded,
    Outcome,
    Update,
)
from engine.language import detect
from engine.mail import CardDecided, Commanded, Said
from engine.ports.store import CardNow, CardWrite, Decisions, Effects, Mailbox, Seen
from engine.router.command import parse_command

# Losing the compare-and-set so often means that something is wrong, not that people are quick.
DECIDE_ATTEMPTS = 20
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Intake:
    """Hands verified updates to the store; answers only once they are durable."""

    mailbox: Mailbox
    decisions: Decisions
    people: Directory
    zone: str

    async def __call__(self, update: Update) -> Outcome:
        """What became of the update; never raises for a store that is away."""
        try:
            return await self._take(update)
        except StoreUnavailable as error:
            log.warning("not_recorded", update=update.id, error=str(error))
            lang = self.people.principal(update.actor).lang or self._language(update)
            return NotRecorded(say("card.not_recorded", lang))

    async def _take(self, update: Update) -> Outcome:
        principal = self.people.principal(update.actor)
        match update:
            case MessageReceived():
                command = parse_command(update.text)
                if command:
                    given = CommandGiven(
                        id=update.id,
                        conversation=update.conversation,
                        actor=update.actor,
                        name=command[0],
                        text=command[1],
                        said=update.text,
                    )
                    return await self._command(given, principal)
                mail = Said(update=update, principal=principal).model_dump_json()
                lane = f"talk:{update.conversation}"
                return Accepted(not await self.mailbox.put(lane, mail, update_id=update.id))
            case CommandGiven():
                return await self._command(update, principal)
            case CardTapped():
                return await self._decide(update, principal, None)
            case FormSubmitted():
                return await self._decide(update, principal, update.values)

    async def _command(self, update: CommandGiven, principal: Principal) -> Outcome:
        mail = Commanded(update=update, principal=principal).model_dump_json()
        lane = f"control:{update.conversation}"
        return Accepted(not await self.mailbox.put(lane, mail, update_id=update.id))

    def _language(self, update: Update) -> Lang:
        text = update.text if isinstance(update, MessageReceived) else ""
        return detect(text) if text else "zh"

    async def _decide(
        self,
        update: CardTapped | FormSubmitted,
        principal: Principal,
        values: dict[str, str] | None,
    ) -> Outcome:
        try:
            button = Button.unpack(update.button)
        except BadButton:
            return _both("card.unknown", principal)
        for _ in range(DECIDE_ATTEMPTS):
            try:
                found = await self.decisions.card(button.token)
            except NewerState:
                return _both("card.newer", principal)
            if found is None or _is_foreign(update, principal, found.card):
                return _both("card.unknown", principal)
            try:
                return await self._judge(update, found, button, principal, values)
            except StaleWrite:
                continue
        raise StoreUnavailable(f"card {button.token} kept changing")

    async def _judge(
        self,
        update: CardTapped | FormSubmitted,
        found: CardNow,
        button: Button,
        principal: Principal,
        values: dict[str, str] | None,
    ) -> Outcome:
        """Decide on the card as read; raises StaleWrite when it has changed meanwhile.

        The tapper reads the answer in their own language and time zone.
        """
        card = found.card
        tapped = _Tapped(update, found, principal, button)
        lang, zone = principal.lang or card.lang, principal.zone or self.zone
        verdict = self._verdict(found, button, principal, values)
        match verdict:
            case NeedsForm(choice=choice):
                await self._note(tapped.entry("form"), update, "form", _seen(update, card))
                return FormWanted(_form(card, button, choice, lang))
            case Invalid(errors=errors):
                await self._note(tapped.entry("invalid", faults=list(errors)), update, "invalid")
                return FormRefused(errors)
            case Refused():
                text = refusal_text(verdict, lang, tz=ZoneInfo(zone))
                effects = Effects(log=(tapped.entry(verdict.reason),))
                return await self._record(update, card, text, False, effects)
            case Recorded():
                choice_ = card.choice(button.choice)
                label = choice_.label if choice_ else button.choice
                effects = Effects(
                    cards=(CardWrite(verdict.card, expect=card.version),),
                    log=(tapped.entry("vote", after=verdict.card),),
                )
                text = say("card.recorded", lang, choice=label)
                return await self._record(update, card, text, True, effects)
            case Won():
                mail = CardDecided(card=card.token, decision=verdict.decision).model_dump_json()
                effects = Effects(
                    cards=(CardWrite(verdict.card, expect=card.version),),
                    mails=((card.lane, mail),),
                    log=(tapped.entry("decided", after=verdict.card),),
                )
                text = decided(verdict.card, verdict.decision, zone, lang)
                return await self._record(update, card, text, True, effects)
            case Edited():
                more = edits.entry(card, verdict)
                entry = tapped.entry("edited", after=verdict.card, more=more)
                effects = edits.effects(card, verdict, principal, self.people, entry)
                text = edits.answer(card, verdict)
                return await self._record(update, card, text, True, effects, tells=True)
            case Unchanged() | MayEdit():
                return Answered(say("edit.nothing", card.lang), ok=False)

    def _verdict(
        self,
        found: CardNow,
        button: Button,
        principal: Principal,
        values: dict[str, str] | None,
    ) -> Verdict | EditVerdict:
        card, choice, now, revision = found.card, button.choice, found.now, button.revision
        chosen = card.choice(choice)
        if chosen is None or not chosen.edits:
            return decide(card, principal, choice, now, revision=revision, values=values)
        others = edits.approvers(card, self.people)
        return edit(
            card, principal, choice, now, revision=revision, values=values, approvers=others
        )

    async def _note(
        self, entry: audit.Entry, update: Update, what: str, seen: tuple[Seen, ...] = ()
    ) -> None:
        """Log what decides nothing and has no answer to keep; a repeat is not logged again."""
        log, _ = entry
        update_id = f"{update.id}/{what}"
        await self.decisions.decide(
            log, update_id=update_id, answer="", effects=Effects(log=(entry,), seen=seen)
        )

    async def _record(
        self,
        update: Update,
        card: Card,
        text: str,
        ok: bool,
        effects: Effects,
        *,
        tells: bool = False,
    ) -> Answered:
        """Store the answer under the update's id; a repeat hears the first answer again."""
        answer = json.dumps({"text": text, "ok": ok, "tells": tells}, ensure_ascii=False)
        effects = replace(effects, seen=_seen(update, card))
        held = await self.decisions.decide(
            card.token, update_id=update.id, answer=answer, effects=effects
        )
        first = json.loads(held)
        return Answered(first["text"], ok=first["ok"], tells=first.get("tells", False))


def _seen(update: Update, card: Card) -> tuple[Seen, ...]:
    if not isinstance(update, CardTapped) or not update.message_id:
        return ()
    return (Seen(card.token, update.conversation, update.message_id),)


def _is_foreign(update: CardTapped | FormSubmitted, principal: Principal, card: Card) -> bool:
    """Whether a stranger of another workspace asks: not even that there is such a card is told."""
    actor = update.actor
    stranger = not principal.roles and principal.id.startswith(f"{actor.platform}:")
    return stranger and card.conversation.split(":")[:2] != [actor.platform, actor.workspace]


def _both(key: str, principal: Principal) -> Answered:
    """A refusal where no card says the language: the person's, or both."""
    langs: tuple[Lang, ...] = (principal.lang,) if principal.lang else ("zh", "en")
    return Answered(" ".join(say(key, lang) for lang in langs), ok=False)


def _form(card: Card, button: Button, choice: Choice, lang: Lang) -> FormView:
    return FormView(
        data=button.pack(),
        lang=card.lang,
        title=card.title,
        submit=choice.label,
        cancel=say("form.cancel", lang),
        intro=choice.intro,
        fields=choice.form,
        edits=choice.edits,
    )


@dataclass(frozen=True, slots=True)
class _Tapped:
    """A tap or a form, on a card as it was read: who, what, from where."""

    update: CardTapped | FormSubmitted
    found: CardNow
    principal: Principal
    button: Button

    def entry(
        self,
        result: str,
        *,
        after: Card | None = None,
        faults: Sequence[str] = (),
        more: Mapping[str, Any] | None = None,
    ) -> audit.Entry:
        """It in the log of the card's run, refused or not; `after` is the card that it writes."""
        actor, revision = self.update.actor, self.button.revision
        stale = revision if revision != self.found.card.revision else None
        told = {
            "by": self.principal.id,
            "via": actor.platform,
            "where": self.update.conversation,
            "user": f"{actor.workspace}:{actor.user}",
            "update": self.update.id,
            "choice": self.button.choice,
            "sent_form": isinstance(self.update, FormSubmitted) or None,
            "revision": stale,
            "result": result,
            "faults": faults,
            **(more or {}),
        }
        return audit.about_card(self.found.card, self.found.now, "tap", told, after=after)

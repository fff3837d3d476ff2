"""Every update takes this one way: into its lane, or through `decide` (design §3, §7)."""

import json
from dataclasses import dataclass

import structlog

from bot.handing import NAME as HAND_OVER
from bot.handing import Handing
from bot.people import Directory
from bot.tapping import Tapping, Told
from cards.buttons import BadButton, Button
from cards.model import Card, Lang, Principal
from cards.texts import say
from engine.errors import StaleWrite, StoreUnavailable
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
from engine.mail import Announced, Commanded, Said
from engine.ports.store import CardNow, Decisions, Effects, Mailbox
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
            return NotRecorded(say("card.not_recorded", self._language(update)))

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
            case CardTapped() | FormSubmitted():
                return await self._decide(update, principal)

    async def _command(self, update: CommandGiven, principal: Principal) -> Outcome:
        if update.name == HAND_OVER:
            return await self._hand_over(update, principal)
        mail = Commanded(update=update, principal=principal).model_dump_json()
        lane = f"control:{update.conversation}"
        return Accepted(not await self.mailbox.put(lane, mail, update_id=update.id))

    async def _hand_over(self, update: CommandGiven, principal: Principal) -> Outcome:
        """Done at once, since the card may lie in another lane's partition; then said."""
        text, lang = await Handing(self.decisions, self._tapping).told(update, principal)
        mail = Announced(id=f"told/{update.id}", lang=lang, text=text).model_dump_json()
        lane = f"control:{update.conversation}"
        new = await self.mailbox.put(lane, mail, update_id=f"{update.id}/told")
        return Accepted(not new)

    @property
    def _tapping(self) -> Tapping:
        return Tapping(self.people, self.zone)

    def _language(self, update: Update) -> Lang:
        text = update.text if isinstance(update, MessageReceived) else ""
        return detect(text) if text else "zh"

    async def _decide(
        self,
        update: CardTapped | FormSubmitted,
        principal: Principal,
    ) -> Outcome:
        try:
            button = Button.unpack(update.button)
        except BadButton:
            return Answered(say("card.unknown", "zh") + " " + say("card.unknown", "en"), ok=False)
        for _ in range(DECIDE_ATTEMPTS):
            found = await self.decisions.card(button.token)
            if found is None:
                text = say("card.unknown", "zh") + " " + say("card.unknown", "en")
                return Answered(text, ok=False)
            try:
                return await self._judge(update, found, button, principal)
            except StaleWrite:
                continue
        raise StoreUnavailable(f"card {button.token} kept changing")

    async def _judge(
        self,
        update: CardTapped | FormSubmitted,
        found: CardNow,
        button: Button,
        principal: Principal,
    ) -> Outcome:
        """Decide on the card as read; raises StaleWrite when it has changed meanwhile."""
        judged = self._tapping.judge(update, found, button, principal)
        match judged:
            case FormWanted() | FormRefused():
                return judged
            case Told(text=text, ok=ok, effects=effects):
                return await self._record(update, found.card, text, ok, effects)

    async def _record(
        self, update: Update, card: Card, text: str, ok: bool, effects: Effects
    ) -> Answered:
        """Store the answer under the update's id; a repeat hears the first answer again."""
        answer = json.dumps({"text": text, "ok": ok}, ensure_ascii=False)
        held = await self.decisions.decide(
            card.token, update_id=update.id, answer=answer, effects=effects
        )
        first = json.loads(held)
        return Answered(first["text"], ok=first["ok"])

"""Every update takes this one way: into its lane, or through `decide` (design §3, §7)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import structlog

from bot.people.directory import Directory
from bot.serve.intake.admissions import AdmissionRequests
from bot.serve.intake.answer_store import store_answer
from bot.serve.intake.handover_command import NAME as HAND_OVER
from bot.serve.intake.handover_command import HandOverCommand
from bot.serve.intake.message_edits import MessageEdits, arrival_of
from cards.buttons import BadButton, Button
from cards.model import Card, Lang, Principal
from cards.texts import COMPLETE, say
from engine.errors import NewerState, StaleWrite, StoreUnavailable
from engine.events import (
    Accepted,
    CardTapped,
    CommandGiven,
    DirectAnswer,
    FormSubmitted,
    MessageEdited,
    MessageReceived,
    NotRecorded,
    Outcome,
    Update,
    files_message,
)
from engine.mail import CommandArrived, MessageArrived, ServiceNotice
from engine.ports.storage.arrivals import Arrivals
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.store import Decisions, Mailbox
from engine.reviews.answer import tap_answer
from engine.reviews.judge import CardJudge
from engine.text.language import detect
from engine.understanding.router.command import parse_command

# Losing the compare-and-set so often means that something is wrong, not that people are quick.
DECIDE_ATTEMPTS = 20
# A store that hangs is given up in time for an answer: Slack waits for 3 seconds.
WITHIN_S = 2.0
Taken = TypeVar("Taken")
_OF_DECIDERS = ("pending", HAND_OVER)
log = structlog.get_logger()


HelpText = Callable[[Principal, Lang], str]
"""What a person may ask and start, as plain text."""


@dataclass(frozen=True, slots=True)
class Intake:
    """Hands verified updates to the store; answers only once they are durable."""

    mailbox: Mailbox
    decisions: Decisions
    people: Directory
    zone: str
    inbox: Inbox
    arrivals: Arrivals
    doorkeeper: AdmissionRequests | None = None
    help_text: HelpText | None = None

    async def __call__(self, update: Update) -> Outcome:
        """What became of the update; never raises for a store that is away."""
        return await self._in_time(update, self._take(update))

    async def repeated(self, update: Update) -> Outcome | None:
        """What a message or command is answered that was put before; None for what is new."""
        if not isinstance(update, MessageReceived | CommandGiven):
            return None
        return await self._in_time(update, self._known(update))

    async def _in_time(self, update: Update, taking: Awaitable[Taken]) -> Taken | NotRecorded:
        try:
            async with asyncio.timeout(WITHIN_S):
                return await taking
        except (StoreUnavailable, TimeoutError) as error:
            why = str(error) or "the store gives no answer in time"
            log.warning("not_recorded", update=update.id, error=why)
            return NotRecorded(_not_recorded(update, self.people.principal(update.actor)))

    async def _known(self, update: MessageReceived | CommandGiven) -> Accepted | None:
        known = await self.arrivals.has(_lane(update), update_id=update.id)
        return Accepted(duplicate=True) if known else None

    async def _take(self, update: Update) -> Outcome:
        principal = self.people.principal(update.actor)
        if not self.people.is_admitted(principal) and not _decides(update, principal):
            if isinstance(update, MessageEdited):
                # What they wrote was turned away, and they were told.
                return Accepted(duplicate=True)
            if self.doorkeeper is not None:
                await self.doorkeeper.came(update, principal)
            return self._stranger(update, principal)
        match update:
            case MessageReceived():
                command = parse_command(update.text)
                if command:
                    await self._along(update, principal)
                    given = CommandGiven(
                        id=update.id,
                        conversation=update.conversation,
                        actor=update.actor,
                        name=command[0],
                        text=command[1],
                        said=update.text,
                        thread=update.thread,
                        aside=update.aside,
                        files=update.files,
                        message=update.message,
                    )
                    return await self._command(given, principal)
                mail = MessageArrived(update=update, principal=_in_mail(principal)).stored()
                return await self._put(update, mail)
            case CommandGiven():
                await self._along(update, principal)
                return await self._command(update, principal)
            case MessageEdited():
                edits = MessageEdits(self.mailbox, self.arrivals)
                taken = await edits.take(update, _in_mail(principal))
                return taken or await self._take(update.to)
            case FormSubmitted():
                await self._along(update, principal)
                return await self._decide(update, principal)
            case CardTapped():
                return await self._decide(update, principal)

    def _stranger(self, update: Update, principal: Principal) -> DirectAnswer:
        """One sentence, and nothing is kept: no message, no card, no file."""
        texts = (update.text,) if isinstance(update, MessageReceived | CommandGiven) else ()
        typed = [text for text in texts if text.strip() and not text.startswith("/")]
        langs = (detect(typed[0]),) if typed else COMPLETE
        told = (self.people.stranger_text(principal, lang) for lang in langs)
        return DirectAnswer(" ".join(dict.fromkeys(told)), ok=False, stranger=True)

    async def _along(
        self, update: MessageReceived | CommandGiven | FormSubmitted, principal: Principal
    ) -> None:
        """Files beside a command or a form are a message of their own: nothing else takes them."""
        if not update.files:
            return
        alone = files_message(update)
        mail = MessageArrived(update=alone, principal=_in_mail(principal)).model_dump_json()
        await self.mailbox.put(f"talk:{update.conversation}", mail, update_id=alone.id)

    async def _command(self, update: CommandGiven, principal: Principal) -> Outcome:
        if update.name == HAND_OVER:
            return await self._hand_over(update, principal)
        if update.aside and update.name == "help" and self.help_text:
            typed = update.text or update.said.removeprefix("/").removeprefix(update.name)
            langs = _langs(principal, typed)
            told = "\n\n".join(self.help_text(principal, lang) for lang in langs)
            return DirectAnswer(told, ok=True, aside=True)
        mail = CommandArrived(update=update, principal=_in_mail(principal)).stored()
        return await self._put(update, mail)

    async def _put(self, update: MessageReceived | CommandGiven, mail: str) -> Accepted:
        lane, arrival = _lane(update), arrival_of(update)
        new = await self.mailbox.put(lane, mail, update_id=update.id, arrival=arrival)
        return Accepted(duplicate=not new)

    async def _hand_over(self, update: CommandGiven, principal: Principal) -> Outcome:
        """Done at once, since the card may lie in another lane's partition; then said."""
        command = HandOverCommand(self.decisions, self.inbox, self.people, self.zone)
        text, lang = await command.carry_out(update, principal)
        mail = ServiceNotice(id=f"told/{update.id}", lang=lang, text=text).stored()
        lane = f"control:{update.conversation}"
        new = await self.mailbox.put(lane, mail, update_id=f"{update.id}/told")
        return Accepted(not new)

    async def _decide(
        self,
        update: CardTapped | FormSubmitted,
        principal: Principal,
    ) -> Outcome:
        try:
            button = Button.unpack(update.button)
        except BadButton:
            return _both("card.unknown", principal)
        answer = tap_answer(update, principal, button)
        for _ in range(DECIDE_ATTEMPTS):
            try:
                found = await self.decisions.card(button.token)
            except NewerState:
                return _both("card.newer", principal)
            if found is None or self._is_foreign(update, principal, found.card):
                return _both("card.unknown", principal)
            judgement = CardJudge(self.people, self.zone).judge(found, answer)
            try:
                return await store_answer(self.decisions, update, found.card, judgement)
            except StaleWrite:
                continue
        raise StoreUnavailable(f"card {button.token} kept changing")

    def _is_foreign(
        self, update: CardTapped | FormSubmitted, principal: Principal, card: Card
    ) -> bool:
        """Whether somebody of another workspace asks: not even that there is the card is told."""
        if self.people.scope_to(card.conversation).refresh(principal).id != principal.id:
            return True
        actor = update.actor
        stranger = not principal.roles and principal.id.startswith(f"{actor.platform}:")
        return stranger and card.conversation.split(":")[:2] != [actor.platform, actor.workspace]


def _lane(update: MessageReceived | CommandGiven) -> str:
    is_command = isinstance(update, CommandGiven) or parse_command(update.text) is not None
    return f"{'control' if is_command else 'talk'}:{update.conversation}"


def _in_mail(principal: Principal) -> Principal:
    """Without their accounts: whoever handles the mail looks them up anew, and reads less."""
    return principal.model_copy(update={"accounts": (), "guest": False})


def _decides(update: Update, principal: Principal) -> bool:
    """Whether somebody who may not ask holds a role all the same, and only decides.

    So do members of a role's Slack group whom the file does not admit.
    """
    if not principal.roles:
        return False
    match update:
        case CardTapped() | FormSubmitted():
            return True
        case CommandGiven(name=name):
            return name in _OF_DECIDERS
        case MessageEdited():
            return False
        case MessageReceived(text=text):
            command = parse_command(text)
            return command is not None and command[0] in _OF_DECIDERS


def _both(key: str, principal: Principal) -> DirectAnswer:
    """A refusal where no card says the language: the person's, or both."""
    return DirectAnswer(_said(key, principal), ok=False)


def _not_recorded(update: Update, principal: Principal) -> str:
    """What a store that hangs was sent may still be taken: only a tap counts once for certain."""
    match update:
        case CardTapped():
            return _said("card.not_recorded", principal)
        case FormSubmitted():
            return _said("form.not_recorded", principal)
        case MessageReceived() | CommandGiven():
            return _said("message.not_recorded", principal, update.text)
        case MessageEdited(to=to):
            return _said("message.not_recorded", principal, to.text)


def _said(key: str, principal: Principal, text: str = "") -> str:
    """In the person's language, else that of their text, else in both."""
    return " ".join(say(key, each) for each in _langs(principal, text))


def _langs(principal: Principal, text: str) -> tuple[Lang, ...]:
    lang = principal.lang or (detect(text) if text.strip() else None)
    return (lang,) if lang else COMPLETE

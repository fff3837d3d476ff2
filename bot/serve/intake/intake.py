"""The intake: an update goes into its lane, or is judged as an answer to a card (design §3, §7)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import structlog

from bot.people.directory import Directory
from bot.serve.intake.admissions import AdmissionRequests
from bot.serve.intake.answer_store import store_answer
from bot.serve.intake.cancel_taps import CancelTaps
from bot.serve.intake.form_files import FindFormFiles, no_form_files
from bot.serve.intake.handover_command import COMMAND as HAND_OVER
from bot.serve.intake.handover_command import HandOverCommand
from bot.serve.intake.message_edits import MessageEdits, arrival_of
from bot.serve.intake.project_door import RefreshProjects, is_hidden_now, know_projects
from cards.buttons import CANCEL_RUN, WHOLE_CASE, BadButton, Button
from cards.deciding.codes import RefusalCode
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
from engine.text.entity_kinds import NO_ENTITIES, Entities
from engine.text.language import detect_language
from engine.time_limit import allow_seconds
from engine.understanding.router.command import parse_command

# Losing the compare-and-set more often is a fault, not people who are quick.
DECIDE_ATTEMPTS = 20
# A store that hangs is given up in time for a reply: Slack waits for 3 seconds. Where the
# process itself stood still it answers late: the platform may ask again, and it is taken once.
WITHIN_S = 2.0
ResultT = TypeVar("ResultT")
_REVIEWER_COMMANDS = ("pending", HAND_OVER)
log = structlog.get_logger()


HelpText = Callable[[Principal, Lang], str]
"""What a person may ask and start, as plain text."""


@dataclass(frozen=True, slots=True)
class Intake:
    """Stores verified updates; returns their outcome once they are durable."""

    mailbox: Mailbox
    decisions: Decisions
    people: Directory
    zone: str
    inbox: Inbox
    arrivals: Arrivals
    now: Callable[[], datetime]
    admission_requests: AdmissionRequests | None = None
    help_text: HelpText | None = None
    entities: Callable[[Card, Principal], Entities] = lambda card, person: NO_ENTITIES
    form_files: FindFormFiles = no_form_files
    refresh_projects: RefreshProjects = know_projects

    async def __call__(self, update: Update) -> Outcome:
        """The outcome of the update; NotRecorded while the store is away."""
        return await self._or_not_recorded(update, self._take(update))

    async def repeated(self, update: Update) -> Outcome | None:
        """The outcome of a message or command that is stored already; None for a new one."""
        if not isinstance(update, MessageReceived | CommandGiven):
            return None
        return await self._or_not_recorded(update, self._find_duplicate(update))

    async def _or_not_recorded(
        self, update: Update, work: Awaitable[ResultT]
    ) -> ResultT | NotRecorded:
        try:
            async with allow_seconds(WITHIN_S):
                return await work
        except (StoreUnavailable, TimeoutError) as error:
            why = str(error) or "the store gives no answer in time"
            log.warning("not_recorded", update=update.id, error=why)
            return NotRecorded(_not_recorded_text(update, self.people.principal(update.actor)))

    async def _find_duplicate(self, update: MessageReceived | CommandGiven) -> Outcome | None:
        known = await self.arrivals.has(_lane(update), update_id=update.id)
        return await self._judge_repeat(update) if known else None

    async def _judge_repeat(self, update: MessageReceived | CommandGiven) -> Outcome:
        """A duplicate, unless its sender has chosen an id under which something else was said.

        Where messages can be edited, ids are the platform's, and a repeat may say something else.
        """
        if update.message:
            return Accepted(duplicate=True)
        said = await self.arrivals.digest(_lane(update), update_id=update.id)
        if said in ("", arrival_of(update).digest):
            return Accepted(duplicate=True)
        told = _text_for("message.other_text", self.people.principal(update.actor), update.text)
        return DirectAnswer(told, ok=False, code="conflict")

    async def _take(self, update: Update) -> Outcome:
        principal = self.people.principal(update.actor)
        if not self.people.is_admitted(principal) and not _may_answer_cards(update, principal):
            if isinstance(update, MessageEdited):
                # The message itself was turned away with a word.
                return Accepted(duplicate=True)
            if self.admission_requests is not None:
                await self.admission_requests.request(update, principal)
            return self._turn_away(update, principal)
        if await self._is_hidden(update, principal):
            if isinstance(update, MessageEdited):
                return Accepted(duplicate=True)
            text = update.text if isinstance(update, MessageReceived | CommandGiven) else ""
            told = _text_for("project.hidden", principal, text)
            return DirectAnswer(told, ok=False, stranger=True, code="not_allowed")
        match update:
            case MessageReceived():
                command = parse_command(update.text)
                if command:
                    await self._put_files(update, principal)
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
                mail = MessageArrived(
                    update=update, principal=_without_accounts(principal)
                ).stored()
                return await self._put(update, mail)
            case CommandGiven():
                await self._put_files(update, principal)
                return await self._command(update, principal)
            case MessageEdited():
                edits = MessageEdits(self.mailbox, self.arrivals)
                taken = await edits.take(update, _without_accounts(principal))
                return taken or await self._take(update.to)
            case FormSubmitted():
                await self._put_files(update, principal)
                return await self._decide(update, principal)
            case CardTapped():
                return await self._decide(update, principal)

    async def _is_hidden(self, update: Update, principal: Principal) -> bool:
        """Whether it was said in a conversation of a project that the person may not see.

        What is about a card is judged by the card's own project.
        """
        if isinstance(update, CardTapped | FormSubmitted):
            return False
        said = update.to if isinstance(update, MessageEdited) else update
        if not is_hidden_now(said, principal, self.people):
            return False
        # Perhaps an admin has just said otherwise.
        await self.refresh_projects()
        return is_hidden_now(said, principal, self.people)

    def _turn_away(self, update: Update, principal: Principal) -> DirectAnswer:
        """One sentence; nothing is stored."""
        texts = (update.text,) if isinstance(update, MessageReceived | CommandGiven) else ()
        typed = [text for text in texts if text.strip() and not text.startswith("/")]
        langs = _languages_of(principal, typed[0] if typed else "")
        told = (self.people.stranger_text(principal, lang) for lang in langs)
        text = " ".join(dict.fromkeys(told))
        return DirectAnswer(text, ok=False, stranger=True, code="not_allowed")

    async def _put_files(
        self, update: MessageReceived | CommandGiven | FormSubmitted, principal: Principal
    ) -> None:
        """Put the files of a command or form into the talk lane, as a message of their own."""
        if not update.files:
            return
        alone = files_message(update)
        mail = MessageArrived(
            update=alone, principal=_without_accounts(principal)
        ).model_dump_json()
        await self.mailbox.put(f"talk:{update.conversation}", mail, update_id=alone.id)

    async def _command(self, update: CommandGiven, principal: Principal) -> Outcome:
        if update.name == HAND_OVER:
            return await self._hand_over(update, principal)
        if update.aside and update.name == "help" and self.help_text:
            typed = update.text or update.said.removeprefix("/").removeprefix(update.name)
            langs = _languages_of(principal, typed)
            told = "\n\n".join(self.help_text(principal, lang) for lang in langs)
            return DirectAnswer(told, ok=True, aside=True)
        mail = CommandArrived(update=update, principal=_without_accounts(principal)).stored()
        return await self._put(update, mail)

    async def _put(self, update: MessageReceived | CommandGiven, mail: str) -> Outcome:
        lane, arrival = _lane(update), arrival_of(update)
        new = await self.mailbox.put(lane, mail, update_id=update.id, arrival=arrival)
        return Accepted() if new else await self._judge_repeat(update)

    async def _hand_over(self, update: CommandGiven, principal: Principal) -> Outcome:
        """Hand over at once, since the card may be in another partition; then say so in chat."""
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
            return _refusal("card.unknown", principal, "not_found")
        if button.choice == WHOLE_CASE:
            return await self._take(_whole_case(update, button))
        if button.choice == CANCEL_RUN:
            taps = CancelTaps(self.decisions, self.people, self.now)
            return await taps.take(update, principal, button.token)
        for _ in range(DECIDE_ATTEMPTS):
            try:
                found = await self.decisions.card(button.token)
            except NewerState:
                return _refusal("card.newer", principal, "unavailable")
            if found is None or self._is_foreign(update, principal, found.card):
                return _refusal("card.unknown", principal, "not_found")
            if self.people.scope_of(found.card).refresh(principal).id != principal.id:
                return _refusal("project.hidden_card", principal, "not_allowed")
            files = await self.form_files(update, found.card)
            answer = tap_answer(update, principal, button, files)
            judgement = CardJudge(self.people, self.zone, self.entities).judge(found, answer)
            try:
                return await store_answer(self.decisions, update, found.card, judgement)
            except StaleWrite:
                continue
        raise StoreUnavailable(f"card {button.token} kept changing")

    def _is_foreign(
        self, update: CardTapped | FormSubmitted, principal: Principal, card: Card
    ) -> bool:
        """Whether the person is of another workspace, and so may not learn that the card exists."""
        if self.people.scope_to(card.conversation, "").refresh(principal).id != principal.id:
            return True
        actor = update.actor
        stranger = not principal.roles and principal.id.startswith(f"{actor.platform}:")
        return stranger and card.conversation.split(":")[:2] != [actor.platform, actor.workspace]


def _whole_case(update: CardTapped | FormSubmitted, button: Button) -> CommandGiven:
    """The command that a tap on “all of it” stands for: it is judged as one that was typed."""
    return CommandGiven(
        id=update.id,
        conversation=update.conversation,
        actor=update.actor,
        name="case",
        text=button.token,
    )


def _lane(update: MessageReceived | CommandGiven) -> str:
    is_command = isinstance(update, CommandGiven) or parse_command(update.text) is not None
    return f"{'control' if is_command else 'talk'}:{update.conversation}"


def _without_accounts(principal: Principal) -> Principal:
    """The principal as it is mailed: the handler looks the accounts up again."""
    return principal.model_copy(update={"accounts": (), "guest": False})


def _may_answer_cards(update: Update, principal: Principal) -> bool:
    """Whether a person who may not ask holds a role, and so may still answer cards.

    Members of a role's Slack group whom the file does not admit are such people.
    """
    if not principal.roles:
        return False
    match update:
        case CardTapped() | FormSubmitted():
            return True
        case CommandGiven(name=name):
            return name in _REVIEWER_COMMANDS
        case MessageEdited():
            return False
        case MessageReceived(text=text):
            command = parse_command(text)
            return command is not None and command[0] in _REVIEWER_COMMANDS


def _refusal(key: str, principal: Principal, code: RefusalCode) -> DirectAnswer:
    """A refusal without a card to take the language from."""
    return DirectAnswer(_text_for(key, principal), ok=False, code=code)


def _not_recorded_text(update: Update, principal: Principal) -> str:
    """What to do after an update that may not be stored: only a tap is sure to count once."""
    match update:
        case CardTapped():
            return _text_for("card.not_recorded", principal)
        case FormSubmitted():
            return _text_for("form.not_recorded", principal)
        case MessageReceived() | CommandGiven():
            return _text_for("message.not_recorded", principal, update.text)
        case MessageEdited(to=to):
            return _text_for("message.not_recorded", principal, to.text)


def _text_for(key: str, principal: Principal, text: str = "") -> str:
    """The sentence in the person's language, else that of their text, else in all."""
    return " ".join(say(key, each) for each in _languages_of(principal, text))


def _languages_of(principal: Principal, text: str) -> tuple[Lang, ...]:
    lang = principal.lang or (detect_language(text) if text.strip() else None)
    return (lang,) if lang else COMPLETE

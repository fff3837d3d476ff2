"""One payload from arrival to answer: parsed, handed to intake, acknowledged (design §3)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from telegram import Bot, ForceReply
from telegram.error import TelegramError

from adapters.telegram.errors import translate
from adapters.telegram.forms.confirmation import keyboard, sure
from adapters.telegram.forms.prompts import ask, ask_again
from adapters.telegram.inbound.form_handler import Clerk, fills, visit_of
from adapters.telegram.inbound.migrations import Moves
from adapters.telegram.inbound.receive import BotIdentity, prompt_answered, update_of
from adapters.telegram.outbound.answers import SOON_S, Answers, Interaction
from adapters.telegram.outbound.render import keyboard_of, page_turned
from adapters.telegram.outbound.richtext import Span, html_of, plain
from adapters.telegram.payload import Payload, parse
from cards.buttons import Button
from cards.model import Card
from cards.showing.show import show
from cards.showing.view import ConfirmView
from cards.texts import say
from engine.errors import Gone, PlatformError, StoreError, StoreUnavailable, Unavailable
from engine.events import (
    ConfirmWanted,
    DirectAnswer,
    FormRefused,
    FormWanted,
    NotRecorded,
    Outcome,
    Update,
    note_shown,
)
from engine.ports.platform import Intake
from engine.ports.storage.platform_texts import ExpiringTexts

ANSWER_S = 2.5
"""How long an answer to Telegram may hold up the acknowledgement of an update, in seconds."""

FORM_S = 20.0
"""How long a step of a form may take, in seconds; what is slow there is the store."""

ReadCard = Callable[[str, str], Awaitable[Card | None]]
"""The card of a token as it is read in a conversation, None for no card. Raises StoreError."""

_log = structlog.get_logger(__name__)


class UpdateHandler:
    """Takes updates in, and answers the people behind them as well as it can in time."""

    def __init__(
        self,
        bot: Bot,
        me: BotIdentity,
        slate: ExpiringTexts,
        moves: Moves,
        card: ReadCard,
        *,
        soon_s: float = SOON_S,
    ) -> None:
        self._bot = bot
        self._me = me
        self._moves, self._card = moves, card
        self._answers = Answers(bot, soon_s=soon_s)
        self._clerk = Clerk(self._answers, slate)

    async def learn_name(self) -> str:
        """The bot's name, asked for unless it is known; "" when Telegram does not say.

        Mentions in groups depend on it.
        """
        if not self._me.username:
            try:
                async with asyncio.timeout(ANSWER_S):
                    user = await self._bot.get_me()
            except (TelegramError, TimeoutError) as exc:
                _log.warning("telegram_name_unknown", error=str(exc))
            else:
                self._me = BotIdentity(self._me.id, user.username or "")
        return self._me.username

    async def take(self, raw: Any, intake: Intake) -> bool:
        """False when the update has to come again, because it was not recorded. Raises BadPayload.

        A tap that was not recorded is settled: its person is told to tap again.
        """
        payload = await self._named(parse(raw))
        if payload is None:
            return False
        if payload.message is not None and payload.message.chat.type != "private":
            await self.learn_name()
        visit = visit_of(payload)
        if visit is None:
            return True
        async with self._answers.soon(visit):
            taken = None if payload.edited else await self._aside(visit, intake)
            if taken is not None:
                return taken
            update = update_of(payload, self._me)
            if update is None:
                return True
            outcome = await intake(update)
            await self._answer(visit, update, outcome)
        return not isinstance(outcome, NotRecorded) or payload.callback_query is not None

    async def _named(self, payload: Payload) -> Payload | None:
        """The update as of its conversation, also in a group that moved; None with no store.

        A tap goes on: nobody would bring it again, and whoever tapped is told.
        """
        message = payload.message
        try:
            if message is not None and message.migrate_to_chat_id is not None:
                await self._moves.note(message.chat.id, message.migrate_to_chat_id)
            elif message is not None and message.migrate_from_chat_id is not None:
                await self._moves.note(message.migrate_from_chat_id, message.chat.id)
            return await self._moves.named(payload)
        except StoreUnavailable as error:
            _log.warning("telegram_place_unknown", error=str(error))
            return payload if payload.callback_query is not None else None

    async def _aside(self, visit: Interaction, intake: Intake) -> bool | None:
        """What is no update of the service: a page is turned, a form goes on; else None.

        A step that could not be shown now is shown when the message comes again.
        """
        try:
            async with asyncio.timeout(FORM_S):
                if visit.callback and (turn := page_turned(visit.callback.data)):
                    return await self._turn(visit, *turn)
                return await self._clerk.take(visit, self._me, intake)
        except TelegramError as exc:
            return self._unshown(visit, translate(exc))
        except PlatformError as exc:
            return self._unshown(visit, exc)
        except TimeoutError:
            return self._unshown(visit, Unavailable("no answer in time"))

    async def _turn(self, visit: Interaction, token: str, page: int) -> bool:
        """Another page of a card's buttons, which decides nothing."""
        try:
            card = await self._read(visit, token)
        except StoreError as error:
            _log.warning("telegram_page_not_turned", error=str(error))
            await self._answers.tap(visit, say("card.not_recorded", visit.person.lang), alert=True)
            return True
        await self._answers.tap(visit)
        await self._show_buttons(visit, card, page)
        return True

    async def _read(self, visit: Interaction, token: str) -> Card | None:
        return await self._card(token, visit.at.place.conversation(self._me.id))

    async def _show_buttons(self, visit: Interaction, card: Card | None, page: int = 0) -> None:
        """The card's own buttons as it stands now: none when it is closed."""
        if card is not None:
            markup = keyboard_of(show(card, "UTC"), card.lang, page=page)
            await self._answers.buttons(visit, markup)

    def _unshown(self, visit: Interaction, error: PlatformError) -> bool:
        _log.warning("telegram_form_not_shown", update=visit.update, error=str(error))
        return visit.callback is not None or not error.retryable

    async def _answer(self, visit: Interaction, update: Update, outcome: Outcome) -> None:
        """What counts is recorded by now; an answer that fails is logged and left out."""
        try:
            async with asyncio.timeout(ANSWER_S):
                if visit.callback is not None:
                    await self._answer_tap(visit, outcome)
                else:
                    await self._answer_message(visit, outcome)
            await note_shown(outcome)
        except (TelegramError, PlatformError, TimeoutError, StoreError) as exc:
            _log.warning("telegram_answer_failed", update=update.id, error=str(exc))

    async def _answer_tap(self, visit: Interaction, outcome: Outcome) -> None:
        match outcome:
            case DirectAnswer(again="update", text=text, ok=ok):
                # Telegram shows one answer to a tap: this one where it did not take the first.
                await self._answers.tap(visit, text, alert=not ok, post=False)
            case DirectAnswer(again="tap") | FormWanted(again="update" | "tap"):
                await self._answers.tap(visit)
            case DirectAnswer(text=text, ok=ok):
                await self._answers.tap(visit, text, alert=not ok)
            case NotRecorded(text=text):
                await self._answers.tap(visit, text, alert=True)
            case FormWanted(form=form):
                await self._answers.tap(visit)
                if fills(form):
                    await self._clerk.begin(visit, form, self._me)
                else:
                    await self._prompt(visit, ask(form, visit.mention))
            case ConfirmWanted(confirm=confirm):
                await self._answers.tap(visit, confirm.text)
                await self._ask_first(visit, confirm)
            case _:
                await self._answers.tap(visit)
        await self._after_confirming(visit, outcome)

    async def _ask_first(self, visit: Interaction, confirm: ConfirmView) -> None:
        """The question in place of the card's buttons, unless the card has changed meanwhile."""
        asked = keyboard(confirm, visit)
        try:
            if visit.at.chat.left:
                raise Gone("the group has moved on")
            await self._answers.buttons(visit, asked)
        except Gone:
            # That message cannot be edited any more.
            await self._answers.post(visit, html_of([Span(plain(confirm.text))]), asked)
            return
        button = Button.unpack(confirm.data)
        card = await self._read(visit, button.token)
        if card is not None and (card.status != "open" or card.revision != button.revision):
            await self._show_buttons(visit, card)

    async def _after_confirming(self, visit: Interaction, outcome: Outcome) -> None:
        """The card's own buttons again, if it is open still."""
        confirmed = visit.callback and sure(visit.callback.data)
        if not confirmed or isinstance(outcome, NotRecorded | ConfirmWanted):
            return
        token = Button.unpack(confirmed.button).token
        await self._show_buttons(visit, await self._read(visit, token))

    async def _answer_message(self, visit: Interaction, outcome: Outcome) -> None:
        match outcome:
            case DirectAnswer(again="update") | FormRefused(again="update"):
                pass
            case DirectAnswer(text=text, aside=True):
                await self._answers.tell_aside(visit, text)
            case DirectAnswer(text=text):
                await self._answers.say(visit, text)
            case FormRefused(errors=errors):
                prompt = prompt_answered(visit.at, self._me)
                if prompt is not None:
                    await self._prompt(visit, ask_again(prompt, errors, visit.mention))
            case _:
                pass

    async def _prompt(self, visit: Interaction, html: str) -> None:
        await self._answers.post(visit, html, ForceReply(selective=True))

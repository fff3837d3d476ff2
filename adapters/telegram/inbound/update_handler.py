"""Handles each update from its payload to the answer: parse, intake, acknowledge (design §3)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, assert_never

import structlog
from telegram import Bot, ForceReply
from telegram.error import TelegramError

from adapters.telegram.errors import translate
from adapters.telegram.forms.confirmation import NOT_NOW, confirm_keyboard, parse_confirmation
from adapters.telegram.forms.prompts import form_html, retry_html
from adapters.telegram.inbound.form_handler import FormHandler, interaction_of, needs_steps
from adapters.telegram.inbound.migrations import GroupMigrations
from adapters.telegram.inbound.receive import BotIdentity, prompt_answered, update_of
from adapters.telegram.outbound.answers import SOON_S, Answers, Interaction
from adapters.telegram.outbound.render import card_keyboard, parse_page_button
from adapters.telegram.outbound.richtext import Span, render_html, without_mentions
from adapters.telegram.payload import Payload, parse
from cards.buttons import CANCEL_RUN, Button
from cards.model import Card
from cards.showing.show import show
from cards.showing.view import ConfirmView
from cards.texts import say
from engine.errors import Gone, PlatformError, StoreError, StoreUnavailable, Unavailable
from engine.events import (
    Accepted,
    ConfirmWanted,
    DirectAnswer,
    FormRefused,
    FormWanted,
    NotForUs,
    NotRecorded,
    Outcome,
    Update,
    note_shown,
)
from engine.ports.platform import Intake
from engine.ports.storage.platform_texts import ExpiringTexts

ANSWER_S = 2.5
"""How long an answer may delay the acknowledgement of an update, in seconds."""

FORM_S = 20.0
"""How long a step of a form may take, in seconds, with a slow store."""

ReadCard = Callable[[str, str], Awaitable[Card | None]]
"""Reads the card of a token for a conversation, None for no card. Raises StoreError."""

_log = structlog.get_logger(__name__)


class UpdateHandler:
    """Hands updates to intake and answers the people behind them, as well as it can in time."""

    def __init__(
        self,
        bot: Bot,
        me: BotIdentity,
        texts: ExpiringTexts,
        migrations: GroupMigrations,
        read_card: ReadCard,
        *,
        soon_s: float = SOON_S,
    ) -> None:
        self._bot = bot
        self._me = me
        self._migrations = migrations
        self._card_reader = read_card
        self._answers = Answers(bot, soon_s=soon_s)
        self.forms = FormHandler(self._answers, texts)

    async def learn_name(self) -> str:
        """Return the bot's name, asked for until it is known; "" when Telegram does not say.

        Mentions in groups are found by it.
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
        """Handle an update; False when it has to come again, as not recorded. Raises BadPayload.

        A tap is settled even if it was not recorded: its person is told to tap again.
        """
        payload = await self._resolve_chat(parse(raw))
        if payload is None:
            return False
        if payload.message is not None and payload.message.chat.type != "private":
            await self.learn_name()
        interaction = interaction_of(payload)
        if interaction is None:
            return True
        async with self._answers.answer_in_time(interaction):
            taken = None if payload.edited else await self._take_locally(interaction, intake)
            if taken is not None:
                return taken
            update = update_of(payload, self._me)
            if update is None:
                return True
            outcome = await intake(update)
            await self._answer(interaction, update, outcome)
        return not isinstance(outcome, NotRecorded) or payload.callback_query is not None

    async def _resolve_chat(self, payload: Payload) -> Payload | None:
        """Return the update with its conversation, also of a migrated group; None without store.

        A tap is returned as it is then: it does not come again, and its person is told.
        """
        message = payload.message
        try:
            if message is not None and message.migrate_to_chat_id is not None:
                await self._migrations.record(message.chat.id, message.migrate_to_chat_id)
            elif message is not None and message.migrate_from_chat_id is not None:
                await self._migrations.record(message.migrate_from_chat_id, message.chat.id)
            return await self._migrations.resolve(payload)
        except StoreUnavailable as error:
            _log.warning("telegram_place_unknown", error=str(error))
            return payload if payload.callback_query is not None else None

    async def _take_locally(self, interaction: Interaction, intake: Intake) -> bool | None:
        """Turn a page or go on with a form, which are no updates of the service; else return None.

        False when the step could not be shown and the message has to come again.
        """
        try:
            async with asyncio.timeout(FORM_S):
                if interaction.callback and (turn := parse_page_button(interaction.callback.data)):
                    return await self._turn_page(interaction, *turn)
                if interaction.callback and interaction.callback.data == NOT_NOW:
                    return await self._drop_question(interaction)
                return await self.forms.take(interaction, self._me, intake)
        except TelegramError as exc:
            return self._is_settled_unshown(interaction, translate(exc))
        except PlatformError as exc:
            return self._is_settled_unshown(interaction, exc)
        except TimeoutError:
            return self._is_settled_unshown(interaction, Unavailable("no answer in time"))

    async def _turn_page(self, interaction: Interaction, token: str, page: int) -> bool:
        """Show another page of a card's buttons, which decides nothing."""
        try:
            card = await self._read_card(interaction, token)
        except StoreError as error:
            _log.warning("telegram_page_not_turned", error=str(error))
            await self._answers.answer_tap(
                interaction, say("card.not_recorded", interaction.person.lang), alert=True
            )
            return True
        await self._answers.answer_tap(interaction)
        await self._show_buttons(interaction, card, page)
        return True

    async def _drop_question(self, interaction: Interaction) -> bool:
        """Leave a question that stands apart without its answers."""
        await self._answers.answer_tap(interaction)
        await self._answers.replace_buttons(interaction, None)
        return True

    async def _read_card(self, interaction: Interaction, token: str) -> Card | None:
        return await self._card_reader(token, interaction.message.place.conversation(self._me.id))

    async def _show_buttons(
        self, interaction: Interaction, card: Card | None, page: int = 0
    ) -> None:
        """Show the card's buttons as it stands now: none when it is closed."""
        if card is not None:
            markup = card_keyboard(show(card, "UTC"), card.lang, page=page)
            await self._answers.replace_buttons(interaction, markup)

    def _is_settled_unshown(self, interaction: Interaction, error: PlatformError) -> bool:
        """Log that a step was not shown; False when the message has to come again."""
        _log.warning("telegram_form_not_shown", update=interaction.update_id, error=str(error))
        return interaction.callback is not None or not error.retryable

    async def _answer(self, interaction: Interaction, update: Update, outcome: Outcome) -> None:
        """Show the outcome; a failure is logged, as the update itself is recorded."""
        try:
            async with asyncio.timeout(ANSWER_S):
                if interaction.callback is not None:
                    await self._answer_tap(interaction, outcome)
                else:
                    await self._answer_message(interaction, outcome)
            await note_shown(outcome)
        except (TelegramError, PlatformError, TimeoutError, StoreError) as exc:
            _log.warning("telegram_answer_failed", update=update.id, error=str(exc))

    async def _answer_tap(self, interaction: Interaction, outcome: Outcome) -> None:
        match outcome:
            case DirectAnswer(again="update", text=text, ok=ok):
                # Telegram shows the first answer to a tap that arrives; this is a repeat of it.
                await self._answers.answer_tap(interaction, text, alert=not ok, post=False)
            case DirectAnswer(again="tap") | FormWanted(again="update" | "tap"):
                await self._answers.answer_tap(interaction)
            case DirectAnswer(text=text, ok=ok):
                await self._answers.answer_tap(interaction, text, alert=not ok)
            case NotRecorded(text=text):
                await self._answers.answer_tap(interaction, text, alert=True)
            case FormWanted(form=form):
                await self._answers.answer_tap(interaction)
                if needs_steps(form):
                    await self.forms.begin(interaction, form, self._me)
                else:
                    await self._prompt(interaction, form_html(form, interaction.mention))
            case ConfirmWanted(confirm=confirm):
                await self._answers.answer_tap(interaction, confirm.text)
                await self._ask_to_confirm(interaction, confirm)
            case Accepted() | NotForUs() | FormRefused():
                await self._answers.answer_tap(interaction)
            case _:
                assert_never(outcome)
        await self._restore_buttons(interaction, outcome)

    async def _ask_to_confirm(self, interaction: Interaction, confirm: ConfirmView) -> None:
        """Ask in place of the card's buttons, unless the card has changed meanwhile.

        What stands apart is asked in a message of its own.
        """
        question = confirm_keyboard(confirm, interaction)
        try:
            if confirm.apart:
                raise Gone("other buttons stand there")
            if interaction.message.chat.left:
                raise Gone("the group has moved on")
            await self._answers.replace_buttons(interaction, question)
        except Gone:
            # That message cannot be edited any more.
            await self._answers.post(
                interaction, render_html([Span(without_mentions(confirm.text))]), question
            )
            return
        button = Button.unpack(confirm.data)
        card = await self._read_card(interaction, button.token)
        if card is not None and (card.status != "open" or card.revision != button.revision):
            await self._show_buttons(interaction, card)

    async def _restore_buttons(self, interaction: Interaction, outcome: Outcome) -> None:
        """Show the card's own buttons again, if it is still open; none of what is no card."""
        confirmed = interaction.callback and parse_confirmation(interaction.callback.data)
        if not confirmed or isinstance(outcome, NotRecorded | ConfirmWanted):
            return
        button = Button.unpack(confirmed.button)
        if button.choice == CANCEL_RUN:
            await self._answers.replace_buttons(interaction, None)
            return
        await self._show_buttons(interaction, await self._read_card(interaction, button.token))

    async def _answer_message(self, interaction: Interaction, outcome: Outcome) -> None:
        match outcome:
            case DirectAnswer(again="update") | FormRefused(again="update"):
                pass
            case DirectAnswer(text=text, aside=True):
                await self._answers.say_privately(interaction, text)
            case DirectAnswer(text=text):
                await self._answers.say(interaction, text)
            case FormRefused(errors=errors):
                prompt = prompt_answered(interaction.message, self._me)
                if prompt is not None:
                    await self._prompt(interaction, retry_html(prompt, errors, interaction.mention))
            case Accepted() | NotForUs() | FormWanted() | ConfirmWanted() | NotRecorded():
                pass
            case _:
                assert_never(outcome)

    async def _prompt(self, interaction: Interaction, html: str) -> None:
        await self._answers.post(interaction, html, ForceReply(selective=True))

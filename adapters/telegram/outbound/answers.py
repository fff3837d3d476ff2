"""Answers to whoever tapped or wrote; a tap is answered within seconds, whatever else is slow."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog
from telegram import Bot, ForceReply, InlineKeyboardMarkup, LinkPreviewOptions, ReplyParameters
from telegram.constants import ParseMode
from telegram.error import BadRequest, Forbidden, TelegramError

from adapters.telegram.errors import translate_errors
from adapters.telegram.outbound.richtext import Span, Tag, render_html, split, without_mentions
from adapters.telegram.payload import Callback, TelegramMessage, TelegramUser
from cards.clipping import clip
from cards.texts import say

NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
SOON_S = 3.0
"""Telegram takes the answer to a tap for some seconds only (platform-facts A2)."""

_ALERT_CHARS = 200
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Interaction:
    """One update: its id, the person, and the message they wrote or whose button they tapped."""

    update_id: int
    person: TelegramUser
    message: TelegramMessage
    callback: Callback | None = None

    @property
    def mention(self) -> Span | None:
        """The person, to be named in a group; None elsewhere."""
        if not self.message.place.is_group:
            return None
        name = without_mentions(self.person.name or str(self.person.id))
        return Span(name, (Tag("a", f"tg://user?id={self.person.id}"),))


class Answers:
    """Answers of one bot. A tap that had to be answered early gets its text as a message."""

    def __init__(self, bot: Bot, *, soon_s: float = SOON_S) -> None:
        self._bot = bot
        self._soon_s = soon_s
        self._early: set[str] = set()

    @asynccontextmanager
    async def answer_in_time(self, interaction: Interaction) -> AsyncIterator[None]:
        """Answer a tap in time while the block still works on it."""
        if interaction.callback is None:
            yield
            return
        name = interaction.callback.id
        waiting = asyncio.create_task(self._answer_early(name, interaction.person))
        try:
            yield
        finally:
            # An answer that is on its way may arrive.
            if name not in self._early:
                waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            self._early.discard(name)

    async def answer_tap(
        self, interaction: Interaction, text: str = "", *, alert: bool = False, post: bool = True
    ) -> None:
        """Answer a tap; after an early answer the text is posted, unless `post` is off.

        Telegram forgets a tap within seconds; then it needs no answer.
        """
        if interaction.callback is None:
            return
        if interaction.callback.id not in self._early:
            await self._answer_callback(interaction.callback.id, text, alert=alert)
        elif text and post:
            await self.say(interaction, text)

    async def say(self, interaction: Interaction, text: str) -> None:
        """Post a text below their message. Raises TelegramError."""
        who = (
            [interaction.mention, Span(" ")] if interaction.mention and interaction.callback else []
        )
        await self.post(interaction, render_html([*who, Span(without_mentions(text))]))

    async def say_privately(self, interaction: Interaction, text: str) -> None:
        """Post a text in their private chat, and a note below their message that it is there.

        People without that chat are told how to open it. Raises TelegramError.
        """
        lang = interaction.person.lang
        try:
            for piece in split([Span(without_mentions(text))]):
                await self._bot.send_message(
                    interaction.person.id,
                    render_html(piece),
                    parse_mode=ParseMode.HTML,
                    link_preview_options=NO_PREVIEW,
                )
        except (Forbidden, BadRequest) as error:
            _log.info("telegram_private_chat_closed", error=str(error))
            await self.say(interaction, say("telegram.open_private", lang))
        else:
            await self.say(interaction, say("telegram.told_in_private", lang))

    async def post(
        self,
        interaction: Interaction,
        html: str,
        markup: InlineKeyboardMarkup | ForceReply | None = None,
    ) -> None:
        """Post HTML below their message. Raises TelegramError."""
        await self._bot.send_message(
            interaction.message.chat.id,
            html,
            parse_mode=ParseMode.HTML,
            message_thread_id=interaction.message.place.topic,
            reply_markup=markup,
            reply_parameters=_reply_parameters(interaction.message),
            link_preview_options=NO_PREVIEW,
        )

    async def replace(
        self, interaction: Interaction, html: str, markup: InlineKeyboardMarkup | None = None
    ) -> None:
        """Show this in the message whose button was tapped. Raises PlatformError."""
        if interaction.message.chat.left:
            await self.post(interaction, html, markup)
            return
        with translate_errors():
            await self._bot.edit_message_text(
                html,
                chat_id=interaction.message.chat.id,
                message_id=interaction.message.message_id,
                parse_mode=ParseMode.HTML,
                reply_markup=markup,
                link_preview_options=NO_PREVIEW,
            )

    async def replace_buttons(
        self, interaction: Interaction, markup: InlineKeyboardMarkup | None = None
    ) -> None:
        """Show these buttons, or none, below the message that was tapped. Raises PlatformError."""
        if interaction.message.chat.left:
            return
        with translate_errors():
            await self._bot.edit_message_reply_markup(
                chat_id=interaction.message.chat.id,
                message_id=interaction.message.message_id,
                reply_markup=markup,
            )

    async def _answer_early(self, callback_id: str, person: TelegramUser) -> None:
        await asyncio.sleep(self._soon_s)
        self._early.add(callback_id)
        await self._answer_callback(callback_id, say("telegram.working", person.lang))

    async def _answer_callback(self, callback_id: str, text: str, *, alert: bool = False) -> None:
        try:
            await self._bot.answer_callback_query(
                callback_id, text=clip(text, _ALERT_CHARS) or None, show_alert=alert
            )
        except TelegramError as exc:
            _log.info("telegram_tap_unanswered", error=str(exc))


def _reply_parameters(message: TelegramMessage) -> ReplyParameters | None:
    """Return where to reply; messages in a migrated group's old chat cannot be replied to."""
    if message.chat.left:
        return None
    return ReplyParameters(message.message_id, allow_sending_without_reply=True)

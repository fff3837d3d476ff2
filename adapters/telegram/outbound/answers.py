"""What is said to who tapped or wrote: a tap is answered within seconds, whatever else is slow."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog
from telegram import Bot, ForceReply, InlineKeyboardMarkup, LinkPreviewOptions, ReplyParameters
from telegram.constants import ParseMode
from telegram.error import BadRequest, Forbidden, TelegramError

from adapters.telegram.errors import translated
from adapters.telegram.outbound.richtext import Span, Tag, html_of, pieces, plain
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
    """Somebody at one update: which, who, and the message they wrote or whose button they hit."""

    update: int
    person: TelegramUser
    at: TelegramMessage
    callback: Callback | None = None

    @property
    def mention(self) -> Span | None:
        """Who a prompt in a group is for; elsewhere there is nobody else."""
        if not self.at.place.is_group:
            return None
        name = plain(self.person.name or str(self.person.id))
        return Span(name, (Tag("a", f"tg://user?id={self.person.id}"),))


class Answers:
    """Answers as one bot. A tap that had to be answered early gets the rest as a message."""

    def __init__(self, bot: Bot, *, soon_s: float = SOON_S) -> None:
        self._bot = bot
        self._soon_s = soon_s
        self._early: set[str] = set()

    @asynccontextmanager
    async def soon(self, visit: Interaction) -> AsyncIterator[None]:
        """Sees to it that a tap is answered while the block still works on it."""
        if visit.callback is None:
            yield
            return
        name = visit.callback.id
        waiting = asyncio.create_task(self._wait(name, visit.person))
        try:
            yield
        finally:
            # An answer that is on its way may arrive.
            if name not in self._early:
                waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            self._early.discard(name)

    async def tap(
        self, visit: Interaction, text: str = "", *, alert: bool = False, post: bool = True
    ) -> None:
        """Telegram forgets a tap within seconds; one that it forgot needs no answer.

        Of one that was answered early the text is posted, unless it was before.
        """
        if visit.callback is None:
            return
        if visit.callback.id not in self._early:
            await self._tell(visit.callback.id, text, alert=alert)
        elif text and post:
            await self.say(visit, text)

    async def say(self, visit: Interaction, text: str) -> None:
        """A message below the one they are at. Raises TelegramError."""
        who = [visit.mention, Span(" ")] if visit.mention and visit.callback else []
        await self.post(visit, html_of([*who, Span(plain(text))]))

    async def tell_aside(self, visit: Interaction, text: str) -> None:
        """A message in their private chat, and a word below the one they are at that it is there.

        Who never opened that chat is told how. Raises TelegramError.
        """
        lang = visit.person.lang
        try:
            for piece in pieces([Span(plain(text))]):
                await self._bot.send_message(
                    visit.person.id,
                    html_of(piece),
                    parse_mode=ParseMode.HTML,
                    link_preview_options=NO_PREVIEW,
                )
        except (Forbidden, BadRequest) as error:
            _log.info("telegram_private_chat_closed", error=str(error))
            await self.say(visit, say("telegram.open_private", lang))
        else:
            await self.say(visit, say("telegram.told_in_private", lang))

    async def post(
        self, visit: Interaction, html: str, markup: InlineKeyboardMarkup | ForceReply | None = None
    ) -> None:
        """A message in HTML below the one they are at. Raises TelegramError."""
        await self._bot.send_message(
            visit.at.chat.id,
            html,
            parse_mode=ParseMode.HTML,
            message_thread_id=visit.at.place.topic,
            reply_markup=markup,
            reply_parameters=_below(visit.at),
            link_preview_options=NO_PREVIEW,
        )

    async def replace(
        self, visit: Interaction, html: str, markup: InlineKeyboardMarkup | None = None
    ) -> None:
        """Shows this in the message whose button was tapped. Raises PlatformError."""
        if visit.at.chat.left:
            await self.post(visit, html, markup)
            return
        with translated():
            await self._bot.edit_message_text(
                html,
                chat_id=visit.at.chat.id,
                message_id=visit.at.message_id,
                parse_mode=ParseMode.HTML,
                reply_markup=markup,
                link_preview_options=NO_PREVIEW,
            )

    async def buttons(self, visit: Interaction, markup: InlineKeyboardMarkup | None = None) -> None:
        """Shows these buttons, or none, below the message that was tapped. Raises PlatformError."""
        if visit.at.chat.left:
            return
        with translated():
            await self._bot.edit_message_reply_markup(
                chat_id=visit.at.chat.id, message_id=visit.at.message_id, reply_markup=markup
            )

    async def _wait(self, callback_id: str, person: TelegramUser) -> None:
        await asyncio.sleep(self._soon_s)
        self._early.add(callback_id)
        await self._tell(callback_id, say("telegram.working", person.lang))

    async def _tell(self, callback_id: str, text: str, *, alert: bool = False) -> None:
        try:
            await self._bot.answer_callback_query(
                callback_id, text=clip(text, _ALERT_CHARS) or None, show_alert=alert
            )
        except TelegramError as exc:
            _log.info("telegram_tap_unanswered", error=str(exc))


def _below(message: TelegramMessage) -> ReplyParameters | None:
    """A message that a group left behind in its old chat cannot be replied to."""
    if message.chat.left:
        return None
    return ReplyParameters(message.message_id, allow_sending_without_reply=True)

"""An answer that grows in a private chat: a draft, which Telegram shows for half a minute."""

import asyncio
from typing import Final
from zlib import crc32

from telegram import Bot
from telegram.constants import ParseMode

from adapters.telegram.addresses import ChatPlace
from adapters.telegram.errors import translate_errors
from adapters.telegram.outbound.render import render_chunks
from engine.errors import Unavailable
from engine.ports.platform import Pace
from engine.ports.storage.drafts import Growth

GROWTH: Final = Pace(every_s=0.1, burst=10)
"""A third of a bot's rate for all chats: messages need the rest."""
EVERY_S: Final = 1.0
IN_GROUPS_EVERY_S: Final = 6.0
"""A group takes about 20 messages and edits a minute (platform-facts A2)."""
_PATIENCE_S = 5.0


class MessageDrafts:
    """The drafts of one bot."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def show(self, place: ChatPlace, growth: Growth) -> str:
        """Show the text so far, or that the bot thinks; always "". Raises PlatformError.

        Only in a private chat, and not where the reply has its message already: both would be read.
        """
        has_text = growth.text or not growth.alone
        text = render_chunks(growth.view, most=1)[0] if has_text else ""
        try:
            with translate_errors():
                async with asyncio.timeout(_PATIENCE_S):
                    await self._bot.send_message_draft(
                        place.chat,
                        # The same for every growth of one reply: that is how it is animated.
                        crc32(growth.key.encode()) or 1,
                        text,
                        message_thread_id=place.topic,
                        parse_mode=ParseMode.HTML if text else None,
                    )
        except TimeoutError as error:
            raise Unavailable("sendMessageDraft: no answer in time") from error
        return ""

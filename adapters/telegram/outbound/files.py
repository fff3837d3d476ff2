"""Files of messages: charts as photos, and views that are too long as documents."""

import structlog
from telegram import Bot

from adapters.pictures.chart import png
from adapters.telegram.addresses import ChatPlace
from adapters.telegram.errors import translate_errors
from adapters.telegram.outbound.richtext import without_mentions
from cards.clipping import clip
from cards.showing.document import FILE_NAME
from cards.showing.view import ChartView
from engine.errors import Gone, PlatformError

CAPTION = 1_024
_log = structlog.get_logger(__name__)


class FileSender:
    """Sends photos and documents as one bot."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def photo(self, place: ChatPlace, chart: ChartView) -> int:
        """Send the chart with a caption in words; returns the message's id.

        0 when Telegram takes no photo here; raises PlatformError for all else.
        """
        content = await png(chart)
        try:
            with translate_errors():
                message = await self._bot.send_photo(
                    place.chat,
                    content,
                    caption=clip(without_mentions(chart.alt_text), CAPTION),
                    message_thread_id=place.topic,
                    filename="chart.png",
                )
        except PlatformError as error:
            if error.retryable or isinstance(error, Gone):
                raise
            _log.error("telegram_photo_refused", chat=place.chat, error=str(error))
            return 0
        return message.message_id

    async def document(self, place: ChatPlace, text: str) -> bool:
        """Send a text as a file; False when this chat takes none. Raises PlatformError."""
        try:
            with translate_errors():
                await self._bot.send_document(
                    place.chat,
                    text.encode(errors="replace"),
                    message_thread_id=place.topic,
                    filename=FILE_NAME,
                )
        except PlatformError as error:
            if error.retryable or isinstance(error, Gone):
                raise
            _log.error("telegram_document_refused", chat=place.chat, error=str(error))
            return False
        return True
